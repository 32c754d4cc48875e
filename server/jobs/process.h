// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/store.h"

namespace quantlens::server {

/// A process and when it began, which no later process of the same pid shares.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  ///< since the machine started
  bool operator==(const ProcessId&) const = default;
};

struct ProcessStart {
  fs::path program;
  std::vector<std::string> arguments;    ///< its own name first
  std::vector<std::string> environment;  ///< "NAME=value"
  fs::path folder;                       ///< it works there
  fs::path output, error;                ///< files, which are added to
};

/// A child that waits before it becomes the program: who it is can be written down first. Where
/// the server dies before `release`, the child ends without having begun. It leads a session and a
/// process group of its own, has no file open but its three, and is nicer than the server.
class HeldProcess {
 public:
  /// Throws Errc::failed, Errc::io.
  explicit HeldProcess(const ProcessStart& start);
  ~HeldProcess();  ///< one that was not released ends
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;

  const ProcessId& id() const { return id_; }
  void release();

 private:
  ProcessId id_;
  FileDescriptor gate_;
};

/// Nothing where there is no such process, or only what is left of one that ended.
std::optional<ProcessId> process_of(pid_t pid);
bool is_running(const ProcessId& process);
/// The exit status of a child that has ended, as waitpid has it; nothing while it runs.
std::optional<int> take_status(const ProcessId& child);

/// A process that has `name=value` in the environment that it was started with.
struct FoundProcess {
  ProcessId id;
  std::string value;
  bool leads_group = false;
};
std::vector<FoundProcess> processes_with(const std::string& name);

/// To the process group that it leads, if it is still running.
void signal_group(const ProcessId& leader, int signal);
/// To it alone, and to no later process of its pid.
void signal_one(const ProcessId& process, int signal);

/// What of the server's own environment a job gets, and the mark by which it is found.
std::vector<std::string> environment_of_job(const std::string& mark);

inline constexpr const char* kJobMark = "QUANTLENS_JOB";

}  // namespace quantlens::server
