// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/command.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/words.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/remote/process.h"

namespace quantlens {
namespace {

using Clock = remote::Process::Clock;

constexpr std::size_t kMostPrinted = 1U << 20U;
constexpr std::chrono::milliseconds kSlice(200);  // after which a stop is asked for again

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view last_line(std::string_view text) {
  text = trimmed(text);
  return trimmed(text.substr(text.find_last_of("\n\r") + 1));
}

/// Nothing where the text is no number, or not a finite one.
std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// One run of the program.
class CommandRun {
 public:
  CommandRun(const MetricSpec& spec, const fs::path& model, const Progress& progress)
      : progress_(progress),
        timeout_(given_number(spec, "timeout")),
        command_(command_of(spec, model)),
        process_(command_),
        output_(process_.take_socket()),
        started_(Clock::now()) {}

  double number() {
    read_all();
    while (!process_.wait_for_end(kSlice)) check_time();
    if (!process_.succeeded()) fail(process_.how_it_ended());
    const std::string_view line = last_line(printed_);
    if (line.empty()) fail("printed no number");
    if (const std::optional<double> number = finite_number(line)) return *number;
    constexpr std::size_t kShown = 60;
    fail(fmt::format("printed '{}' last, which is no finite number",
                     printable(line.substr(0, kShown))));
  }

 private:
  static remote::Command command_of(const MetricSpec& spec, const fs::path& model) {
    std::vector<std::string> words = split_words(spec.program);
    remote::Command command{.program = words.at(0),
                            .arguments = {words.begin() + 1, words.end()},
                            .talk = remote::Talk::output,
                            .role = "the program of --metric command",
                            .advice = "check the path, or that it may be executed"};
    command.arguments.push_back(fs::absolute(model).lexically_normal().string());
    return command;
  }

  [[noreturn]] void fail(const std::string& what) {
    process_.kill();
    const std::string words = process_.last_words();
    throw Error(Errc::failed,
                fmt::format("{}: {}{}; it must print a number, and end with exit code 0",
                            printable(command_.program.string()), what,
                            words.empty() ? "" : fmt::format(" ({})", words)));
  }

  void check_time() {
    throw_if_stopped(progress_);
    if (!timeout_ || Clock::now() - started_ < std::chrono::duration<double>(*timeout_)) return;
    process_.kill();
    throw Error(Errc::failed,
                fmt::format("{}: was ended after {:g} seconds without a number; raise "
                            "command:...,timeout=SECONDS",
                            printable(command_.program.string()), *timeout_));
  }

  /// Until its end, or until the program ends: what it left behind may hold the pipe open.
  void read_all() {
    for (;;) {
      check_time();
      const bool is_ready = process_.wait_for(output_.get(), POLLIN, Clock::now() + kSlice);
      if (is_ready && !read_some()) return;
      if (!is_ready && process_.wait_for_end(Clock::duration::zero())) {
        read_some();
        return;
      }
    }
  }

  /// False at the end.
  bool read_some() {
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t count = ::read(output_.get(), part.data(), part.size());
      if (count < 0) return errno == EAGAIN || errno == EINTR;
      if (count == 0) return false;
      printed_.append(part.data(), static_cast<std::size_t>(count));
      if (printed_.size() > kMostPrinted) fail("printed more than 1 MB");
    }
  }

  const Progress& progress_;
  std::optional<double> timeout_;
  remote::Command command_;
  remote::Process process_;
  FileDescriptor output_;
  Clock::time_point started_;
  std::string printed_;
};

}  // namespace

Accuracy command_accuracy(const MetricSpec& spec, const fs::path& model, const Progress& progress) {
  return {.metric = spec.name,
          .value = CommandRun(spec, model, progress).number(),
          .interval = {},
          .samples = 0,
          .is_rate = false,
          .higher_is_better = is_higher_better(spec)};
}

}  // namespace quantlens
