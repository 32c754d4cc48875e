// workspace: the folder of all runs: one folder a workload, readable without locks, written by one.
// The folders are the truth; nothing here knows what the records mean. Start here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/record/workload.h"

namespace quantlens {

/// $QUANTLENS_WORKSPACE, else the user's data folder ($XDG_DATA_HOME or ~/.local/share, then /quantlens).
fs::path default_workspace();

/// A workload being written. Marks itself failed ("interrupted" or the message) when destroyed unfinished.
class WorkloadWriter {
 public:
  WorkloadWriter(Store& store, fs::path folder, Workload workload);
  ~WorkloadWriter();
  WorkloadWriter(const WorkloadWriter&) = delete;
  WorkloadWriter& operator=(const WorkloadWriter&) = delete;

  const Workload& workload() const { return workload_; }
  const fs::path& folder() const { return folder_; }
  /// Writes one record, all or nothing.
  void write(std::string_view file, std::string_view bytes);
  void add_model(const ModelFile& model);
  void note(const std::string& key, const std::string& value);  ///< into `environment`
  void succeed();
  void fail(const std::string& message);

 private:
  void save();

  Store& store_;
  fs::path folder_;
  Workload workload_;
  bool finished_ = false;
  struct Lock;
  std::unique_ptr<Lock> lock_;  ///< held while this lives; another process sees the workload as being written
};

/// The registry over a workspace folder.
class Workspace {
 public:
  Workspace(Store& store, fs::path root) : store_(store), root_(std::move(root)) {}
  const fs::path& root() const { return root_; }

  /// A new workload, state wip. `id` sorts by time: "20261121-113045-quantize-mobilenet-3f2a".
  std::unique_ptr<WorkloadWriter> create(const std::string& verb, const std::string& name,
                                         const std::vector<std::string>& arguments);
  /// All of them, newest first. One that was being written by a process that is gone shows as failure,
  /// "interrupted"; a folder whose workload.json cannot be read shows as failure with the reason.
  std::vector<Workload> list() const;
  /// By id, or a unique beginning of it, or "last". Throws Errc::not_found, naming the nearest.
  Workload find(const std::string& id) const;
  fs::path folder(const std::string& id) const;
  /// Removes its folder, only if quantlens made it; never anything outside. Throws Errc::failed for one
  /// that is being written.
  void remove(const std::string& id);

 private:
  Store& store_;
  fs::path root_;
};

}  // namespace quantlens
