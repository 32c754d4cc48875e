// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/recorded_progress.h"

namespace quantlens::flow {

RecordedProgress::RecordedProgress(Progress& shown, WorkloadWriter& workload)
    : shown_(shown),
      events_([&workload](std::string_view line) { workload.log("events.jsonl", line); },
              std::chrono::seconds(1)) {}

void RecordedProgress::begin(std::string_view step, std::optional<std::uint64_t> total) {
  shown_.begin(step, total);
  events_.begin(step, total);
}

void RecordedProgress::advance(std::uint64_t units) {
  shown_.advance(units);
  events_.advance(units);
}

void RecordedProgress::end() {
  shown_.end();
  events_.end();
}

void RecordedProgress::note(std::string_view sentence) {
  shown_.note(sentence);
  events_.note(sentence);
}

}  // namespace quantlens::flow
