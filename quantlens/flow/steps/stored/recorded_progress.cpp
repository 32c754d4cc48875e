// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/recorded_progress.h"

#include <string>

#include <fmt/format.h>

namespace quantlens::flow {
namespace {

/// "run: <step>"; trials are one phase all together.
std::string phase_of(std::string_view step) {
  return fmt::format("run: {}", step.starts_with("trial ") ? "trials" : step);
}

}  // namespace

RecordedProgress::RecordedProgress(Progress& shown, WorkloadWriter& workload, Phases& phases)
    : shown_(shown),
      workload_(workload),
      events_([&workload](std::string_view line) { workload.log(kEvents, line); },
              std::chrono::seconds(1)),
      phases_(phases) {}

void RecordedProgress::begin(std::string_view step, std::optional<std::uint64_t> total) {
  shown_.begin(step, total);
  events_.begin(step, total);
  phases_.enter(phase_of(step));
}

void RecordedProgress::advance(std::uint64_t units) {
  shown_.advance(units);
  events_.advance(units);
}

void RecordedProgress::end() {
  shown_.end();
  events_.end();
  phases_.leave();
}

void RecordedProgress::note(std::string_view sentence) {
  if (!told_.emplace(sentence).second) return;
  shown_.note(sentence);
  events_.note(sentence);
  workload_.note(sentence);
}

}  // namespace quantlens::flow
