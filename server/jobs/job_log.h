// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include "quantlens/base/progress_events.h"
#include "quantlens/base/store.h"

namespace quantlens::server {

/// How far a job is.
struct JobProgress {
  std::string step;
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total;
  double seconds = 0;          ///< since the step began
  std::optional<double> rate;  ///< a second
  std::optional<double> remaining_seconds;
  bool operator==(const JobProgress&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobProgress, (), (step, done, total, seconds, rate, remaining_seconds))

/// Nothing of an event that tells no step.
std::optional<JobProgress> progress_of(const ProgressEvent& event);

/// What a job's log has told so far, read as it grows.
class JobLog {
 public:
  JobLog() = default;
  explicit JobLog(fs::path file) : file_(std::move(file)) {}

  /// Reads what is new; true where it told something. Never throws: a log that cannot be read tells
  /// nothing.
  bool read();
  /// From the beginning for the workload, and from near the end for the rest: of a log that was
  /// written while nobody read it.
  void catch_up(bool knows_workload);

  const std::optional<std::string>& workload() const { return workload_; }
  const std::optional<JobProgress>& progress() const { return progress_; }
  /// The last line that is no event: what a program that fails says.
  const std::string& last_sentence() const { return last_sentence_; }
  bool is_empty() const;

 private:
  bool take_lines(std::string_view text);
  void take_line(std::string_view line);
  void forget_old();

  fs::path file_;
  std::uint64_t at_ = 0;         // all before was read
  std::uint64_t forgotten_ = 0;  // all before is no longer on disk
  std::optional<std::string> workload_;
  std::optional<JobProgress> progress_;
  std::string last_sentence_;
};

/// A part of a log: whole lines where they are not too long.
struct LogPart {
  std::uint64_t begin = 0;  ///< of the text, in bytes; above what was asked for where that is gone
  std::uint64_t end = 0;    ///< to be asked for next
  std::uint64_t size = 0;   ///< of the log so far
  std::string text;
};
BOOST_DESCRIBE_STRUCT(LogPart, (), (begin, end, size, text))

LogPart log_part(const fs::path& file, std::uint64_t after, std::uint64_t most);

/// What is kept of a longer log: the last of it.
inline constexpr std::uint64_t kKeptLogBytes = std::uint64_t{1} << 20;

}  // namespace quantlens::server
