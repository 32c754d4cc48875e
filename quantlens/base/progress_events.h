// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/progress.h"

namespace quantlens {

BOOST_DEFINE_ENUM_CLASS(EventKind, workload, begin, progress, end, note)

/// A line of progress; docs/format.md tells which fields a kind of event has.
struct ProgressEvent {
  EventKind event = EventKind::progress;
  std::optional<std::string> id, folder;  ///< of the workload
  std::optional<std::string> step;
  std::optional<std::uint64_t> done;
  std::optional<double> seconds;  ///< since the step began
  std::optional<std::uint64_t> total;
  std::optional<std::string> text;  ///< of a note
  bool operator==(const ProgressEvent&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProgressEvent, (), (event, id, folder, step, done, seconds, total, text))

/// Without what it has not, and with its end.
std::string line_of(const ProgressEvent& event);

/// What is written line by line, maybe at this moment: a last line without its end is left out.
/// Throws Errc::bad_input, naming `where` and the line, for another one that is no event.
std::vector<ProgressEvent> events_of_lines(std::string_view lines, std::string_view where);

/// Progress as JSON lines, for logs and programs.
class ProgressEvents final : public Progress {
 public:
  using Sink = std::function<void(std::string_view line)>;  ///< a line with its end
  /// Of `advance` at most one line an interval is made.
  ProgressEvents(Sink sink, std::chrono::milliseconds interval);

  void kept_as(std::string_view id, std::string_view folder) override;
  void begin(std::string_view step, std::optional<std::uint64_t> total) override;
  void advance(std::uint64_t units) override;
  void end() override;
  void note(std::string_view sentence) override;

 private:
  using Clock = std::chrono::steady_clock;
  void tell(EventKind event);

  Sink sink_;
  std::chrono::milliseconds interval_;
  std::string step_;
  std::optional<std::uint64_t> total_;
  std::uint64_t done_ = 0;
  Clock::time_point started_, told_;
};

}  // namespace quantlens
