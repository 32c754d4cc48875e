// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/progress_events.h"
#include "quantlens/record/accuracy_summary.h"
#include "quantlens/record/workload.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::server {

/// What a list of runs shows of one.
struct RunSummary {
  std::string id;
  std::string name;
  std::string verb;
  WorkloadState state = WorkloadState::new_;
  std::string message;  ///< of a failure; what is damaged or of a newer format says so here
  std::string created;
  std::string finished;
  std::vector<ModelFile> models;
  std::string metric;
  std::optional<AccuracySummary> accuracy;
  std::optional<ProgressEvent> progress;  ///< of a run that has not ended: its last step
};
BOOST_DESCRIBE_STRUCT(RunSummary, (),
                      (id, name, verb, state, message, created, finished, models, metric, accuracy,
                       progress))

struct Run {
  RunSummary summary;
  fs::path folder;
  std::string state;  ///< another one where the summary may be another one
};

/// What a list tells of the runs, kept while their files stay as they are. Called from several
/// threads at once.
class Runs {
 public:
  Runs(const Store& store, const Workspace& workspace) : store_(store), workspace_(workspace) {}

  using One = std::shared_ptr<const Run>;
  /// Newest first; damaged ones are there, too, and say so.
  std::vector<One> all();
  /// By the whole id, or "last". Throws Errc::not_found.
  One find(std::string_view id);

 private:
  One current(const std::string& id);  ///< null: there is none
  /// Of a workload that was just read.
  One remember(const Workload& workload, const std::string& own);
  std::string state_now(const std::string& id, const std::string& own, bool has_ended) const;
  fs::path folder_of(const std::string& id) const;

  const Store& store_;
  const Workspace& workspace_;
  std::mutex mutex_;
  struct Kept {
    One run;
    std::string own;    ///< state of its workload.json
    std::string state;  ///< and of what else the summary is made of
    bool has_ended = false;
  };
  std::map<std::string, Kept> kept_;
};

}  // namespace quantlens::server
