// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/store.h"

namespace quantlens::remote {

/// How a child is talked with.
enum class Talk {
  socket,  ///< its standard input is one end of a socket pair; all that it prints are last words
  output,  ///< its standard output is read, its standard input is empty
};

/// A program and what it is called with.
struct Command {
  fs::path program;  ///< without a folder: found in $PATH
  std::vector<std::string> arguments;
  Talk talk = Talk::socket;
  std::string role = "the worker";  ///< for sentences, with what to do where it does not start
  std::string advice = "check the path, or run without --isolate";
};

/// A child; what it prints beside the talk is kept, as far as it is the last. It is in a process
/// group of its own, so that Ctrl-C reaches only the program itself. However this ends, the child
/// is ended and waited for.
class Process {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws Errc::failed where it cannot be started.
  explicit Process(const Command& command);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { kill(); }

  pid_t id() const { return id_; }
  /// Our end of the talk; the first call has it.
  FileDescriptor take_socket() { return std::move(socket_); }

  /// Waits for poll's events on `fd`, and listens to what the child prints meanwhile; several
  /// threads may wait at once, all else is for one at a time. False at the deadline. Once `stop`
  /// says so (it is asked when a signal comes, too), waits two seconds more and throws
  /// Errc::interrupted.
  bool wait_for(int fd, short events, Clock::time_point deadline,
                const std::function<bool()>& stop = {});
  /// Ends it at once, if it still runs.
  void kill();
  /// Gives it time to end by itself; true if it did.
  bool wait_for_end(Clock::duration patience);
  /// "ended with exit code 3", "was ended by signal 9 (Killed)"; empty while it runs.
  const std::string& how_it_ended() const { return end_; }
  /// Whether it has ended with exit code 0.
  bool succeeded() const { return succeeded_; }
  /// The last lines that it printed, on one line and safe to print.
  std::string last_words();

 private:
  bool collect(int options);
  void listen();

  pid_t id_ = -1;
  bool running_ = false;
  bool succeeded_ = false;
  std::string end_;
  FileDescriptor socket_;
  FileDescriptor output_;
  std::atomic<bool> output_ended_ = false;
  std::mutex listening_;  // of what follows
  std::string printed_;
};

}  // namespace quantlens::remote
