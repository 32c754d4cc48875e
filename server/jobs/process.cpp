// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

extern char** environ;  // NOLINT(readability-identifier-naming): the system's

namespace quantlens::server {
namespace {

constexpr int kNicer = 5;
constexpr int kGate = 3;
constexpr int kFirstFree = 10;  // above all that the child's own files get
constexpr int kNotStarted = 127;

[[noreturn]] void fail(std::string_view what) {
  throw Error(Errc::failed, fmt::format("The job cannot be started: {}: {}", what,
                                        std::generic_category().message(errno)));
}

/// So that none of them is one of the child's own before it is there.
FileDescriptor moved_up(const FileDescriptor& file, std::string_view what) {
  FileDescriptor moved(::fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (!moved.is_open()) fail(what);
  return moved;
}

FileDescriptor opened(const fs::path& path, int flags) {
  constexpr mode_t kMode = 0666;
  const std::string name = printable(path.filename().string());
  const FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, kMode));
  if (!file.is_open()) fail(name);
  return moved_up(file, name);
}

std::vector<char*> words_of(const std::vector<std::string>& texts) {
  std::vector<char*> words;
  words.reserve(texts.size() + 1);
  for (const std::string& text : texts) words.push_back(const_cast<char*>(text.c_str()));
  words.push_back(nullptr);
  return words;
}

/// All that the child needs, made before it is: between fork and exec it may allocate nothing.
struct Prepared {
  const char* program;
  const char* folder;
  char* const* arguments;
  char* const* environment;
  int input, output, error, gate;
};

#ifdef SYS_close_range
constexpr long kCloseRange = SYS_close_range;
#else
constexpr long kCloseRange = 436;  // on all machines; headers before those of Linux 5.9 lack it
#endif

void close_all_above(int last) {
  if (::syscall(kCloseRange, last + 1, ~0U, 0) == 0) return;
  rlimit limit{};  // a kernel before 5.9
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = last + 1; fd < static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20)); ++fd)
    ::close(fd);
}

/// In the child, where other threads of the server do not exist and may have held any lock: calls
/// that are safe in a signal handler alone.
[[noreturn]] void become(const Prepared& child) {
  ::setsid();
  ::setpriority(PRIO_PROCESS, 0, kNicer);
  const bool has_files = ::dup2(child.input, STDIN_FILENO) >= 0 &&
                         ::dup2(child.output, STDOUT_FILENO) >= 0 &&
                         ::dup2(child.error, STDERR_FILENO) >= 0 && ::dup2(child.gate, kGate) >= 0;
  close_all_above(kGate);  // the server's sockets, and its end of the gate
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  char released = 0;
  ssize_t count = 0;
  do {
    count = ::read(kGate, &released, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1 || !has_files || ::chdir(child.folder) != 0) ::_exit(kNotStarted);
  ::close(kGate);
  ::execve(child.program, child.arguments, child.environment);
  constexpr std::string_view kSentence = "quantlens: the program cannot be started\n";
  if (::write(STDERR_FILENO, kSentence.data(), kSentence.size()) < 0) ::_exit(kNotStarted);
  ::_exit(kNotStarted);
}

/// No signal reaches the child before it has forgotten the server's handlers, which would write
/// into what both of them share.
pid_t forked(const Prepared& child) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(child);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

std::string read_proc(pid_t pid, const char* name) {
  const FileDescriptor file(
      ::open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part{};
  constexpr std::size_t kMost = std::size_t{4} << 20;
  while (file.get() >= 0 && text.size() < kMost) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The fields of /proc/PID/stat from the third on: the second is a name, which may be anything.
std::vector<std::string_view> fields_of(std::string_view stat) {
  std::vector<std::string_view> fields;
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return fields;
  stat.remove_prefix(end + 1);
  while (!stat.empty()) {
    const std::size_t begin = stat.find_first_not_of(" \n");
    if (begin == std::string_view::npos) break;
    stat.remove_prefix(begin);
    const std::size_t length = std::min(stat.find_first_of(" \n"), stat.size());
    fields.push_back(stat.substr(0, length));
    stat.remove_prefix(length);
  }
  return fields;
}

struct Stat {
  ProcessId id;
  std::uint64_t group = 0;
};

std::optional<Stat> stat_of(pid_t pid) {
  constexpr std::size_t kState = 0, kGroup = 2, kStartTime = 19;  // 3, 5 and 22 in proc(5)
  if (pid <= 0) return std::nullopt;
  const std::string text = read_proc(pid, "stat");
  const auto fields = fields_of(text);
  if (fields.size() <= kStartTime) return std::nullopt;
  if (fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  const auto ticks = number_of(fields[kStartTime]);
  if (!ticks) return std::nullopt;
  return Stat{{pid, *ticks}, number_of(fields[kGroup]).value_or(0)};
}

}  // namespace

HeldProcess::HeldProcess(const ProcessStart& start) {
  const FileDescriptor input = opened("/dev/null", O_RDONLY);
  const FileDescriptor output = opened(start.output, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  const FileDescriptor error = opened(start.error, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  std::array<int, 2> ends{-1, -1};
  // No pipe: to write into one whose reader was killed is a signal that ends the server.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  const FileDescriptor theirs(ends[0]);
  FileDescriptor ours(ends[1]);
  const FileDescriptor gate = moved_up(theirs, "socketpair");
  const std::vector<char*> arguments = words_of(start.arguments);
  const std::vector<char*> environment = words_of(start.environment);
  const pid_t pid = forked({.program = start.program.c_str(),
                            .folder = start.folder.c_str(),
                            .arguments = arguments.data(),
                            .environment = environment.data(),
                            .input = input.get(),
                            .output = output.get(),
                            .error = error.get(),
                            .gate = gate.get()});
  if (pid < 0) fail("fork");
  gate_ = std::move(ours);
  const auto stat = stat_of(pid);
  id_ = {pid, stat ? stat->id.start_ticks : 0};
}

HeldProcess::~HeldProcess() {
  if (!gate_.is_open()) return;
  gate_.close();
  ::waitpid(id_.pid, nullptr, 0);
}

void HeldProcess::release() {
  const char go = 1;
  const ssize_t written = ::send(gate_.get(), &go, 1, MSG_NOSIGNAL);
  gate_.close();
  if (written != 1) fail("the child is gone");
}

std::optional<ProcessId> process_of(pid_t pid) {
  const auto stat = stat_of(pid);
  return stat ? std::optional(stat->id) : std::nullopt;
}

bool is_running(const ProcessId& process) {
  return process_of(process.pid) == process;
}

std::optional<int> take_status(const ProcessId& child) {
  int status = 0;
  if (::waitpid(child.pid, &status, WNOHANG) == child.pid) return status;
  return std::nullopt;
}

std::vector<FoundProcess> processes_with(const std::string& name) {
  const std::string mark = name + "=";
  std::vector<FoundProcess> found;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = number_of(entry->path().filename().native());
    if (!pid) continue;
    std::string text = read_proc(static_cast<pid_t>(*pid), "environ");
    text.insert(0, 1, '\0');
    const std::size_t at = text.find(std::string(1, '\0') + mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + 1 + mark.size();
    const auto stat = stat_of(static_cast<pid_t>(*pid));
    if (stat) {
      found.push_back({.id = stat->id,
                       .value = text.substr(begin, text.find('\0', begin) - begin),
                       .leads_group = stat->group == *pid});
    }
  }
  return found;
}

void signal_group(const ProcessId& leader, int signal) {
  // A pid is not given away while a group of that number has members.
  if (leader.pid > 1 && is_running(leader)) ::kill(-leader.pid, signal);
}

void signal_one(const ProcessId& process, int signal) {
  if (process.pid <= 1) return;
  const FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (handle.get() < 0 || !is_running(process)) return;
  ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0);
}

std::vector<std::string> environment_of_job(const std::string& mark) {
  constexpr std::array<std::string_view, 9> kNames = {
      "PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "TERM"};
  // The last four are of sanitizers.
  constexpr std::array<std::string_view, 8> kBeginnings = {
      "LC_", "XDG_", "QUANTLENS_", "ORT_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_"};
  std::vector<std::string> kept;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const std::string_view name = text.substr(0, text.find('='));
    if (name == kJobMark) continue;
    const bool is_kept = std::ranges::find(kNames, name) != kNames.end() ||
                         std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
                           return name.starts_with(beginning);
                         });
    if (is_kept) kept.emplace_back(text);
  }
  kept.push_back(fmt::format("{}={}", kJobMark, mark));
  return kept;
}

}  // namespace quantlens::server
