// What a verb of Python is run with. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/core/asked.h"
#include "python/core/hooks.h"
#include "python/core/run.h"
#include "quantlens/base/cores.h"
#include "quantlens/flow/tensorboard.h"

namespace quantlens::python {

/// Event files of a run, as `--tensorboard` asks for them.
class EventFiles {
 public:
  EventFiles() = default;  ///< none
  /// `tensorboard`: the folder, "" for the usual one, null for none; `tensorboard_tags`.
  explicit EventFiles(const Asked& asked);

  /// A recipe asks for them as the option does: into the usual folder, unless one is named.
  void ask() { wanted_ = true; }
  bool is_wanted() const { return wanted_; }
  /// Before hours of work, as flow::check_tags and flow::check_events_folder.
  void check(Store& store) const;
  void write(Store& store, const fs::path& workload, Progress& progress) const;

 private:
  bool wanted_ = false, names_tags_ = false, has_accuracies_ = false;
  flow::TensorboardOptions options_;
};

/// Made while the GIL is held; `start` runs the verb.
class Call {
 public:
  explicit Call(const Asked& asked);

  flow::DataChoice data(const Asked& asked, const char* name = "data") const;
  std::optional<flow::DataChoice> other_data(const Asked& asked, const char* name) const;
  std::optional<MetricSpec> metric(const Asked& asked) const;
  /// Throws Errc::usage where none is given.
  MetricSpec needed_metric(const Asked& asked) const;
  /// Said once the verb runs.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  template <class Result, class Work>
  PythonRun start(Work&& work, const EventFiles& events = {}) const {
    PythonRun run;
    run_in_session([&](const flow::Session& session) {
      events.check(session.store);
      Result result = work(session);
      run.folder = result.folder.string();
      if constexpr (requires { result.output; }) run.output = result.output.string();
      run.records = std::move(static_cast<RunRecords&>(result));
      events.write(session.store, run.folder, session.progress);
    });
    return run;
  }

  void run_in_session(const std::function<void(const flow::Session&)>& work) const;

 private:
  flow::Session session(Store& store, Progress& progress) const;

  std::shared_ptr<Work> work_;
  std::shared_ptr<CalledBack> called_;
  fs::path workspace_;
  fs::path program_;  ///< that runs models elsewhere; none: there is none
  std::string name_;
  std::optional<unsigned> threads_;
  std::optional<double> isolate_timeout_;
  bool strict_ = false, isolate_ = false;
  Ends ends_;
  std::vector<std::string> notes_;
};

/// Says which stored run names a model that is about to be written anew. `output`: as it is given;
/// empty: beside `model`.
void note_overwritten(const fs::path& output, const fs::path& model, const flow::Session& session);

}  // namespace quantlens::python
