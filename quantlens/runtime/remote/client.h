// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/remote.h"

namespace quantlens::remote {

/// A worker that is asked and answers: one question at a time, and after `widen` as many as wanted.
/// After an Error of its own making (not one that the worker answers with) the worker is gone, and
/// every question throws that again.
class Client {
 public:
  /// Starts it and waits until it says what it is.
  explicit Client(const Worker& worker);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  ///< asks it to end, and ends it where it does not

  /// From now on so many threads may ask at once; each question that is one too many waits.
  void widen(unsigned questions, const std::string& doing);

  /// Whether the worker is of no more use.
  bool is_lost();

  /// A question, and what `read` makes of its answer, of type `answer`; it lies in memory that the
  /// worker may change, and is gone afterwards. `doing` is what the worker does, for a sentence
  /// that says when it failed: "mobilenet.onnx: step 3 (sample 2)". Throws what the worker answers
  /// with, or Errc::failed; what `read` throws is the worker's fault.
  template <class Read>
  auto ask(Message question, FrameType answer, const std::string& doing, const Read& read) {
    const Turn turn(*this);
    const Received received = answered(turn.line(), std::move(question), answer, doing);
    return judged(doing, [&] { return read(received); });
  }

 private:
  using Clock = Process::Clock;

  /// One socket to the worker, and the question that it is busy with.
  struct Line {
    Line(Client& client, FileDescriptor socket);
    Clock::time_point deadline;
    std::uint32_t sequence = 0;
    Channel channel;
  };

  /// A line for one question.
  class Turn {
   public:
    explicit Turn(Client& client);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Line& line() const { return *line_; }

   private:
    Client& client_;
    Line* line_;
  };

  template <class Read>
  auto judged(const std::string& doing, const Read& read) {
    try {
      return read();
    } catch (const Error& error) {
      refuse(doing, error);
    }
  }

  bool wait_for(const Line& line, int socket, short events);
  Received answered(Line& line, Message question, FrameType answer, const std::string& doing);
  Received exchange(Line& line, Message question, const std::string& doing);
  void receive(Line& line, Received& received, const std::string& doing);
  void say_hello(const Worker& worker);
  void check(Transfer transfer, const std::string& doing);
  void check_lost();
  [[noreturn]] void refuse(const std::string& doing, const Error& error);
  [[noreturn]] void give_up(const std::string& doing, const std::string& problem,
                            const std::string& advice);

  std::string runtime_;
  double timeout_seconds_;
  std::function<bool()> stop_;
  Process process_;
  std::mutex stopping_;  // one thread at a time asks `stop_`
  std::mutex mutex_;     // of what follows, and of the process but for waiting
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Line*> free_;  // the last is taken first
  std::string lost_;         // why the worker is of no more use
  bool was_ended_ = false;   // by this side
};

}  // namespace quantlens::remote
