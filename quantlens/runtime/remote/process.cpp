// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::remote {
namespace {

constexpr std::size_t kKeptOutput = 16'384;  // a stack trace and what is before it
constexpr std::size_t kShownOutput = 300;

[[noreturn]] void throw_not_started(const Command& command, int error) {
  throw Error(Errc::failed,
              fmt::format("{}: {} cannot be started: {}; {}", printable(command.program.string()),
                          command.role, std::generic_category().message(error), command.advice));
}

/// Whether a line is "I0000 ...", which Abseil prints for information.
bool is_information(std::string_view line) {
  constexpr std::size_t kDate = 5;
  return line.starts_with('I') && line.size() > kDate && line[kDate] == ' ' &&
         std::ranges::all_of(line.substr(1, kDate - 1),
                             [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether it is of a stack trace, as Abseil prints one where a check fails.
bool is_frame(std::string_view line) {
  const std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(at);
  if (line.starts_with("*** ") && line.ends_with(" ***")) return true;
  if (!line.starts_with('@')) return false;
  line.remove_prefix(std::min(line.find_first_not_of(' ', 1), line.size()));
  return line.starts_with("0x");
}

/// What was printed but for what hides the reason of an end.
std::string telling_lines(std::string_view printed) {
  std::string kept;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size() - 1) + 1;
    const std::string_view whole = printed.substr(0, end);
    const std::string_view line = whole.substr(0, whole.size() - (whole.back() == '\n' ? 1 : 0));
    if (!is_information(line) && !is_frame(line)) kept += whole;
    printed.remove_prefix(end);
  }
  return kept;
}

struct Pair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

/// Beyond the standard streams, whose numbers are free where a caller has closed them: the child's
/// are put together from these.
FileDescriptor beyond_standard(FileDescriptor fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  return FileDescriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Pair socket_pair(const Command& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw_not_started(command, errno);
  }
  return {FileDescriptor(ends[0]), beyond_standard(FileDescriptor(ends[1]))};
}

/// We read.
Pair pipe_from(const Command& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_not_started(command, errno);
  Pair pipe{FileDescriptor(ends[0]), beyond_standard(FileDescriptor(ends[1]))};
  if (::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK) != 0) throw_not_started(command, errno);
  return pipe;
}

/// What a child is started with; its parts are freed with it.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void set_streams(int input, int output, int errors) {
    ::posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    close_from(STDERR_FILENO + 1);
  }
  /// A group of its own, no signal blocked.
  void set_apart() {
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  /// 0, or why it could not be started.
  int start(const Command& command, pid_t& id) const {
    std::vector<std::string> words{command.program.string()};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return ::posix_spawnp(&id, words[0].c_str(), &files_, &attributes_, arguments.data(), environ);
  }

 private:
  void close_from(int first) {
#if __GLIBC_PREREQ(2, 34)
    ::posix_spawn_file_actions_addclosefrom_np(&files_, first);
#else
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored)) {
      const int open = std::atoi(entry.path().filename().c_str());
      if (open >= first) ::posix_spawn_file_actions_addclose(&files_, open);
    }
#endif
  }

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::string end_of(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
#if __GLIBC_PREREQ(2, 32)
  const char* name = ::sigdescr_np(signal);
#else
  const char* name = ::strsignal(signal);
#endif
  return fmt::format("was ended by signal {} ({})", signal, name != nullptr ? name : "unknown");
}

}  // namespace

Process::Process(const Command& command) {
  const bool is_read = command.talk == Talk::output;
  Pair talk = is_read ? pipe_from(command) : socket_pair(command);
  Pair printed = pipe_from(command);
  const FileDescriptor nothing =
      beyond_standard(FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  if (!printed.theirs.is_open() || !talk.theirs.is_open() || !nothing.is_open()) {
    throw_not_started(command, errno);
  }
  SpawnSettings settings;
  if (is_read) {
    settings.set_streams(nothing.get(), talk.theirs.get(), printed.theirs.get());
  } else {
    settings.set_streams(talk.theirs.get(), printed.theirs.get(), printed.theirs.get());
  }
  settings.set_apart();
  if (const int error = settings.start(command, id_); error != 0) {
    throw_not_started(command, error);
  }
  running_ = true;
  socket_ = std::move(talk.ours);
  output_ = std::move(printed.ours);
}

bool Process::wait_for(int fd, short events, Clock::time_point deadline,
                       const std::function<bool()>& stop) {
  using std::chrono::milliseconds;
  constexpr std::chrono::seconds kGrace(2);  // most steps end by then, and nothing is lost
  bool is_stopping = false;
  for (;;) {
    if (!is_stopping && stop && stop()) {
      is_stopping = true;
      deadline = std::min(deadline, Clock::now() + kGrace);
    }
    std::array<pollfd, 2> polled{
        pollfd{.fd = fd, .events = events, .revents = 0},
        pollfd{.fd = output_ended_ ? -1 : output_.get(), .events = POLLIN, .revents = 0}};
    // A signal may come to another thread.
    const milliseconds kMost = stop ? milliseconds(200) : milliseconds(std::chrono::hours(1));
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    const int timeout = static_cast<int>(std::clamp(left, milliseconds(0), kMost).count());
    const int ready = ::poll(polled.data(), polled.size(), timeout);
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && polled[1].revents != 0) listen();
    if (ready > 0 && polled[0].revents != 0) return true;
    if (Clock::now() < deadline) continue;
    if (is_stopping) throw Error(Errc::interrupted, "interrupted");
    return false;
  }
}

/// Reads what there is. A child that prints without end holds nothing up.
void Process::listen() {
  constexpr int kMostParts = 16;  // as much as a pipe holds
  const std::lock_guard lock(listening_);
  std::array<char, kKeptOutput> part{};
  for (int i = 0; i < kMostParts && !output_ended_; ++i) {
    const ssize_t count = ::read(output_.get(), part.data(), part.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      output_ended_ = true;
      return;
    }
    printed_.append(part.data(), static_cast<std::size_t>(count));
    if (printed_.size() > kKeptOutput) printed_.erase(0, printed_.size() - kKeptOutput);
  }
}

bool Process::collect(int options) {
  if (!running_) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(id_, &status, options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  running_ = false;
  succeeded_ = ended == id_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end_ = ended == id_ ? end_of(status) : "ended";  // else somebody else has waited for it
  return true;
}

void Process::kill() {
  if (!running_) return;
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  collect(0);
}

bool Process::wait_for_end(Clock::duration patience) {
  using std::chrono::milliseconds;
  const Clock::time_point deadline = Clock::now() + patience;
  for (auto pause = milliseconds(1); !collect(WNOHANG);
       pause = std::min(pause * 2, milliseconds(20))) {
    if (Clock::now() >= deadline) return false;
    listen();  // or it may wait for room to print
    std::this_thread::sleep_for(pause);
  }
  return true;
}

std::string Process::last_words() {
  listen();
  const std::lock_guard lock(listening_);
  const std::string lines = telling_lines(printed_);
  std::string_view text = lines;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const bool cut = text.size() > kShownOutput;
  if (cut) text.remove_prefix(text.size() - kShownOutput);
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += " | ";
    } else {
      line += c;
    }
  }
  return (cut ? "..." : "") + printable(line);
}

}  // namespace quantlens::remote
