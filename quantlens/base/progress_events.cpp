// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/progress_events.h"

#include <fmt/format.h>

#include "quantlens/base/json_line.h"

namespace quantlens {

std::string line_of(const ProgressEvent& event) {
  json::Value whole = json::encode(event);
  boost::json::object told;
  for (auto& field : whole.get_object()) {
    if (!field.value().is_null()) told.emplace(field.key(), std::move(field.value()));
  }
  return json::line(told) + "\n";
}

std::vector<ProgressEvent> events_of_lines(std::string_view lines, std::string_view where) {
  std::vector<ProgressEvent> events;
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    const std::string place = fmt::format("{}, line {}", where, events.size() + 1);
    events.push_back(json::decode<ProgressEvent>(json::parse(lines.substr(0, end), place), place));
    lines.remove_prefix(end + 1);
  }
  return events;
}

ProgressEvents::ProgressEvents(Sink sink, std::chrono::milliseconds interval)
    : sink_(std::move(sink)), interval_(interval) {}

void ProgressEvents::kept_as(std::string_view id, std::string_view folder) {
  sink_(line_of(
      {.event = EventKind::workload, .id = std::string(id), .folder = std::string(folder)}));
}

void ProgressEvents::begin(std::string_view step, std::optional<std::uint64_t> total) {
  step_ = step;
  total_ = total;
  done_ = 0;
  started_ = Clock::now();
  tell(EventKind::begin);
}

void ProgressEvents::advance(std::uint64_t units) {
  done_ += units;
  if (Clock::now() - told_ >= interval_) tell(EventKind::progress);
}

void ProgressEvents::end() {
  tell(EventKind::end);
}

void ProgressEvents::note(std::string_view sentence) {
  sink_(line_of({.event = EventKind::note, .text = std::string(sentence)}));
}

void ProgressEvents::tell(EventKind event) {
  told_ = Clock::now();
  sink_(line_of({.event = event,
                 .step = step_,
                 .done = done_,
                 .seconds = std::chrono::duration<double>(told_ - started_).count(),
                 .total = total_}));
}

}  // namespace quantlens
