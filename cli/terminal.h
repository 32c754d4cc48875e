// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quantlens/base/progress_events.h"

namespace quantlens::cli {

/// How progress is shown on standard error.
enum class ProgressStyle { automatic, bar, json, none };

/// Progress on standard error: a bar with rate and remaining time on a terminal, JSON lines for
/// programs, or nothing; notes are lines of their own. Standard output is never touched.
class TerminalProgress final : public Progress {
 public:
  TerminalProgress(ProgressStyle style, bool quiet);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void kept_as(std::string_view id, std::string_view folder) override;
  void begin(std::string_view step, std::optional<std::uint64_t> total) override;
  void advance(std::uint64_t units) override;
  void end() override;
  void note(std::string_view sentence) override;
  bool stop_requested() const override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void clear_line();
  std::string line(double seconds) const;

  std::optional<ProgressEvents> json_;
  bool bar_ = false, quiet_ = false;
  std::string step_;
  std::optional<std::uint64_t> total_;
  std::uint64_t done_ = 0;
  Clock::time_point started_, drawn_;
  bool line_open_ = false;
};

/// From now on the first interrupt (Ctrl-C), termination or hang-up (a terminal that is closed)
/// asks running work to stop, a second one ends the program at once. Hang-ups stay ignored where
/// they are (nohup).
void install_interrupt_handler();

/// From now on each of them ends the program at once: for a process that another one started and
/// ends.
void uninstall_interrupt_handler();

/// What the system would end the program for without a word becomes an error (a file grows beyond
/// the allowed size) or at least a sentence (a mapped file is cut off while it is read). Closed
/// standard streams are reserved, so that no file that is opened later takes their place.
void guard_process();

/// Writes to standard error; what cannot be written is lost.
void print_err(std::string_view text);

/// Columns of the terminal that standard output is; where it is none, $COLUMNS, else 100.
std::size_t output_width();

}  // namespace quantlens::cli
