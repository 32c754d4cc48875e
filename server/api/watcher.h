// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <boost/describe.hpp>

#include "server/api/runs.h"
#include "server/events.h"

namespace quantlens::server {

/// An event `workloads`: a run that is new, or is in another state or further than before.
struct RunChange {
  std::string id;
  std::optional<WorkloadState> state;  ///< null: it was removed
  std::optional<ProgressEvent> progress;
};
BOOST_DESCRIBE_STRUCT(RunChange, (), (id, state, progress))

/// Publishes what changes in a workspace, within a second. The system tells it where to look
/// (inotify); where it does not, it looks by itself.
class Watcher {
 public:
  /// All must outlive this.
  Watcher(const fs::path& root, Runs& runs, Events& events);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  class Notes;
  void run(const std::stop_token& stop);
  void try_to_look() noexcept;
  /// And publish. True where it should look once more.
  bool look();

  fs::path root_;
  Runs& runs_;
  Events& events_;
  std::unique_ptr<Notes> notes_;
  std::map<std::string, std::string> known_;  // state by id
  bool has_looked_ = false;
  std::jthread thread_;  // the last: it uses the others
};

}  // namespace quantlens::server
