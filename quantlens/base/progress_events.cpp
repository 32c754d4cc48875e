// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/progress_events.h"

#include "quantlens/base/json_line.h"

namespace quantlens {

ProgressEvents::ProgressEvents(Sink sink, std::chrono::milliseconds interval)
    : sink_(std::move(sink)), interval_(interval) {}

void ProgressEvents::kept_as(std::string_view id, std::string_view folder) {
  sink_(json::line(boost::json::object{{"event", "workload"}, {"id", id}, {"folder", folder}}) +
        "\n");
}

void ProgressEvents::begin(std::string_view step, std::optional<std::uint64_t> total) {
  step_ = step;
  total_ = total;
  done_ = 0;
  started_ = Clock::now();
  tell("begin");
}

void ProgressEvents::advance(std::uint64_t units) {
  done_ += units;
  if (Clock::now() - told_ >= interval_) tell("progress");
}

void ProgressEvents::end() {
  tell("end");
}

void ProgressEvents::note(std::string_view sentence) {
  sink_(json::line(boost::json::object{{"event", "note"}, {"text", sentence}}) + "\n");
}

void ProgressEvents::tell(std::string_view event) {
  told_ = Clock::now();
  boost::json::object object{{"event", event},
                             {"step", step_},
                             {"done", done_},
                             {"seconds", std::chrono::duration<double>(told_ - started_).count()}};
  if (total_) object["total"] = *total_;
  sink_(json::line(object) + "\n");
}

}  // namespace quantlens
