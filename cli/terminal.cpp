// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "quantlens/base/text.h"

namespace quantlens::cli {
namespace {

constexpr auto kBetweenDraws = std::chrono::milliseconds(200);

std::atomic<int> g_interrupts = 0;  // a signal handler can reach nothing else
static_assert(std::atomic<int>::is_always_lock_free);

void on_interrupt(int signal) {
  if (++g_interrupts > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

void set_interrupts(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

/// Only what is allowed in a signal handler.
void on_lost_page(int) {
  constexpr std::string_view kSentence =
      "quantlens: a model or data file became shorter while it was read; leave the files alone "
      "during a run and start it again\n";
  [[maybe_unused]] const ssize_t ignored =
      ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  ::_exit(1);
}

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

}  // namespace

TerminalProgress::TerminalProgress(ProgressStyle style, bool quiet) : quiet_(quiet) {
  if (style == ProgressStyle::json) {
    json_.emplace([](std::string_view line) { print_err(line); }, kBetweenDraws);
  }
  bar_ = style == ProgressStyle::bar ||
         (style == ProgressStyle::automatic && isatty(STDERR_FILENO) == 1);
  if (quiet) bar_ = false;
}

TerminalProgress::~TerminalProgress() {
  clear_line();
}

void TerminalProgress::kept_as(std::string_view id, std::string_view folder) {
  if (json_) return json_->kept_as(id, folder);
  if (!quiet_) print_err(fmt::format("workload: {}\n", id));
}

void TerminalProgress::begin(std::string_view step, std::optional<std::uint64_t> total) {
  if (json_) json_->begin(step, total);
  step_ = step;
  total_ = total;
  done_ = 0;
  started_ = drawn_ = Clock::now();
  if (bar_) draw();  // loading a model tells nothing of itself until it is done
}

void TerminalProgress::advance(std::uint64_t units) {
  if (json_) json_->advance(units);
  done_ += units;
  if (bar_ && Clock::now() - drawn_ >= kBetweenDraws) draw();
}

void TerminalProgress::end() {
  if (json_) json_->end();
  clear_line();
}

std::string TerminalProgress::line(double seconds) const {
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  if (!total_ || *total_ == 0) {
    return done_ == 0 ? step_ : fmt::format("{} {} ({:.1f}/s)", step_, done_, rate);
  }
  constexpr std::uint64_t kBarWidth = 24;
  const std::uint64_t filled = std::min(kBarWidth, done_ * kBarWidth / *total_);
  const std::uint64_t left = *total_ - std::min(*total_, done_);
  return fmt::format("{} [{}{}] {}/{}  {:.1f}/s  {} left", step_, std::string(filled, '#'),
                     std::string(kBarWidth - filled, '.'), done_, *total_, rate,
                     rate > 0 ? duration(static_cast<double>(left) / rate) : "?");
}

void TerminalProgress::draw() {
  drawn_ = Clock::now();
  print_err("\r\033[K" + line(std::chrono::duration<double>(drawn_ - started_).count()));
  line_open_ = true;
}

void TerminalProgress::clear_line() {
  if (!line_open_) return;
  print_err("\r\033[K");
  line_open_ = false;
}

void TerminalProgress::note(std::string_view sentence) {
  if (json_) return json_->note(sentence);
  if (quiet_) return;
  clear_line();
  print_err(fmt::format("note: {}\n", printable(sentence)));
}

bool TerminalProgress::stop_requested() const {
  return g_interrupts > 0;
}

void install_interrupt_handler() {
  set_interrupts(on_interrupt);
}

void uninstall_interrupt_handler() {
  set_interrupts(SIG_DFL);
}

void guard_process() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened for the other direction: using it stays the error that it was.
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, on_lost_page);
}

void print_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::size_t output_width() {
  constexpr std::size_t kUsual = 100, kLeast = 40;
  winsize size{};
  std::size_t width = 0;
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    width = size.ws_col;
  } else if (const char* columns = std::getenv("COLUMNS")) {
    width = std::strtoul(columns, nullptr, 10);
  }
  return width < kLeast ? kUsual : width;
}

}  // namespace quantlens::cli
