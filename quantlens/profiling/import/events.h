// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/progress.h"

namespace quantlens::imports {

/// One event of Chrome's trace format. Texts are as they stand in the file, strings without their
/// quotes but with their escapes; they are valid until the next event is read.
struct Event {
  std::string_view category, name, phase, process, thread;
  std::string_view start, duration;    ///< numbers in microseconds; empty: not there
  std::vector<std::string_view> args;  ///< of those asked for, in their order; empty: not there
};

/// Reads the events of `[...]` or `{..., "traceEvents": [...], ...}` one after the other, in a
/// fixed buffer. An event that is no sound JSON (ONNX Runtime writes names without escapes) or too
/// large is left out with the rest of its line.
class EventReader {
 public:
  static constexpr std::size_t kMostBytes = 1U << 20;  ///< of one event
  /// `args`: keys wanted of an event's args; must outlive the reader, as `in` and `progress`.
  EventReader(std::istream& in, Progress& progress, std::span<const std::string_view> args);

  /// False at the end of the list or of the file.
  bool next(Event& event);
  /// The file ended before its list did.
  bool cut_off() const { return cut_off_; }
  std::uint64_t broken() const { return broken_; }

 private:
  bool refill();
  bool skip_space(std::string_view also);
  bool find_list();
  bool skip_line();
  void skip_broken(const char* at);
  std::string_view rest() const { return {buffer_.data() + at_, filled_ - at_}; }

  std::istream& in_;
  Progress& progress_;
  std::span<const std::string_view> args_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  bool started_ = false;
  bool finished_ = false;
  bool cut_off_ = false;
  std::uint64_t broken_ = 0;
};

/// A string of the file as people see it: escapes decoded, invalid UTF-8 replaced.
std::string decoded(std::string_view raw);

/// Nothing where it is no number, below 0, or above 1e12 microseconds (eleven days).
std::optional<double> duration_us(std::string_view raw);
/// 0 where it is none.
double time_us(std::string_view raw);

}  // namespace quantlens::imports
