// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>

#include "quantlens/base/phases.h"
#include "quantlens/base/progress_events.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// Progress as it is shown, and also as lines of a workload's events.jsonl, at most one a second of
/// each step; each step is a phase, and notes are kept in the workload. A note is told once,
/// however many passes over the same data come to it. All of them must outlive this.
class RecordedProgress final : public Progress {
 public:
  RecordedProgress(Progress& shown, WorkloadWriter& workload, Phases& phases);

  void begin(std::string_view step, std::optional<std::uint64_t> total) override;
  void advance(std::uint64_t units) override;
  void end() override;
  void note(std::string_view sentence) override;
  bool stop_requested() const override { return shown_.stop_requested(); }

 private:
  Progress& shown_;
  WorkloadWriter& workload_;
  ProgressEvents events_;
  Phases& phases_;
  std::set<std::string, std::less<>> told_;
};

}  // namespace quantlens::flow
