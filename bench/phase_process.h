// A phase of a benchmark in a process of its own, so that its peak of memory is its own too. The
// program starts itself anew; between passes the child waits for its turn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/base/error.h"

namespace quantlens::bench {

/// Of one pass over all samples.
struct Pass {
  double whole_ms = 0;  ///< from the files to the answer
  double steps_ms = 0;  ///< inside the loop over samples
  double cpu_ms = 0;    ///< of all threads, over the whole
  double peak_mb = 0;   ///< of the process so far, without the samples
  double samples_mb = 0;
  double samples = 0;
};

inline double now_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

/// What all threads of this process have computed so far.
inline double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Highest resident memory of this program; what was resident before exec does not count.
inline double peak_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

/// What a child does: a pass for every byte on standard input, its figures to standard output.
inline int serve_passes(const std::function<Pass()>& run) {
  for (char turn = 0; read(STDIN_FILENO, &turn, 1) == 1;) {
    const Pass pass = run();
    if (write(STDOUT_FILENO, &pass, sizeof pass) != sizeof pass) return 1;
  }
  return 0;
}

/// A child and the pipes to it.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, int phase) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw Error(Errc::io, "no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      std::vector<std::string> texts = arguments;
      texts.insert(texts.end(), {"--phase", std::to_string(phase)});
      std::vector<char*> pointers;
      for (std::string& text : texts) pointers.push_back(text.data());
      pointers.push_back(nullptr);
      execv("/proc/self/exe", pointers.data());
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(to_);
    close(from_);
    waitpid(child_, nullptr, 0);
  }

  Pass pass() const {
    Pass pass;
    if (write(to_, "+", 1) != 1 || read(from_, &pass, sizeof pass) != sizeof pass) {
      throw Error(Errc::failed, "a phase failed");
    }
    return pass;
  }

 private:
  pid_t child_ = 0;
  int to_ = 0, from_ = 0;
};

}  // namespace quantlens::bench
