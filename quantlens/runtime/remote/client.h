// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "quantlens/base/error.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/remote.h"

namespace quantlens::remote {

/// A worker that is asked and answers, one question at a time. After an Error of its own making
/// (not one that the worker answers with) the worker is gone, and every question throws that again.
class Client {
 public:
  /// Starts it and waits until it says what it is.
  explicit Client(const Worker& worker);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  ///< asks it to end, and ends it where it does not

  /// A question and its answer, of type `answer`. `doing` is what the worker does, for a sentence
  /// that says when it failed: "mobilenet.onnx: step 3 (sample 2)". Throws what the worker answers
  /// with, or Errc::failed.
  Received ask(Message question, FrameType answer, const std::string& doing);

  /// What `read` makes of an answer; what it throws is the worker's fault.
  template <class Read>
  auto read(const std::string& doing, const Read& read) {
    try {
      return read();
    } catch (const Error& error) {
      refuse(doing, error);
    }
  }

 private:
  bool wait_for(int socket, short events, const std::function<bool()>& stop);
  using Clock = Process::Clock;

  Received exchange(Message question, const std::string& doing);
  void receive(Received& received, const std::string& doing);
  void say_hello(const Worker& worker);
  void check(Transfer transfer, const std::string& doing);
  [[noreturn]] void refuse(const std::string& doing, const Error& error);
  [[noreturn]] void give_up(const std::string& doing, const std::string& problem,
                            const std::string& advice);

  std::string runtime_;
  double timeout_seconds_;
  Clock::time_point deadline_;
  Process process_;
  Channel channel_;
  std::uint32_t sequence_ = 0;
  std::string lost_;  // why the worker is of no more use
};

}  // namespace quantlens::remote
