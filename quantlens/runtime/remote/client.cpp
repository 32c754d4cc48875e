// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/client.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/runtime/remote/messages.h"

namespace quantlens::remote {
namespace {

using std::chrono::seconds;

constexpr double kLongestStart = 60;  // seconds; a program that is no worker is silent for ever
constexpr auto kToEnd = seconds(10);
constexpr auto kToDie = seconds(2);  // between closing the pipe and being gone

constexpr std::size_t kMostSentence = 16'384;

constexpr const char* kOtherVersion = "name a worker of this version of quantlens";

/// Any number that a caller may have given, as a time that a clock can hold.
Process::Clock::time_point deadline_after(double wait_seconds) {
  constexpr double kLongest = 1e8;
  const std::chrono::duration<double> wait(std::clamp(wait_seconds, 0.0, kLongest));
  return Process::Clock::now() + std::chrono::ceil<Process::Clock::duration>(wait);
}

std::string advice_for(const std::string& end) {
  if (end.find("signal 9 ") != std::string::npos) {
    return "the system does this where memory runs out: use a smaller --batch-size or a larger "
           "machine";
  }
  if (end.find("signal") == std::string::npos)
    return "correct what it says, or run without --isolate";
  return "the runtime cannot cope with this model: try another version of it (quantlens doctor "
         "shows which it is), or keep the op in float with a recipe";
}

}  // namespace

Client::Client(const Worker& worker)
    : runtime_(worker.runtime),
      timeout_seconds_(worker.timeout_seconds),
      process_(worker.command),
      channel_(process_.take_socket(),
               [this, stop = worker.stop_requested](int socket, short events) {
                 return wait_for(socket, events, stop);
               }) {
  say_hello(worker);
}

bool Client::wait_for(int socket, short events, const std::function<bool()>& stop) {
  try {
    return process_.wait_for(socket, events, deadline_, lost_.empty() ? stop : nullptr);
  } catch (const Error&) {
    lost_ = "interrupted";  // its answer may come yet, and nobody would wait for it
    throw;
  }
}

Client::~Client() {
  if (!lost_.empty()) return;
  deadline_ = Clock::now() + kToEnd;
  Message message;
  message.type = FrameType::close;
  message.sequence = ++sequence_;
  try {
    if (channel_.send(std::move(message)) == Transfer::done) process_.wait_for_end(kToEnd);
  } catch (const Error&) {  // it is ended all the same
  }
}

void Client::say_hello(const Worker& worker) {
  const std::string doing = "before it said what it is";
  timeout_seconds_ = std::min(timeout_seconds_, kLongestStart);
  deadline_ = deadline_after(timeout_seconds_);
  Received received;
  receive(received, doing);
  const Hello hello = read(doing, [&] {
    if (received.header.type != FrameType::hello) {
      throw Error(Errc::bad_input, "it begins with another frame than hello");
    }
    return message_from<Hello>(received.text);
  });
  if (hello.runtime != worker.runtime) {
    give_up(doing, fmt::format("is one for '{}'", printable(hello.runtime)), kOtherVersion);
  }
  timeout_seconds_ = worker.timeout_seconds;
}

Received Client::ask(Message question, FrameType answer, const std::string& doing) {
  if (!lost_.empty()) throw Error(Errc::failed, lost_);
  deadline_ = deadline_after(timeout_seconds_);
  question.sequence = ++sequence_;
  Received received = exchange(std::move(question), doing);
  if (received.header.type == FrameType::error) {
    const ErrorText error = read(doing, [&] { return message_from<ErrorText>(received.text); });
    throw Error(error.code, error.sentence.substr(0, kMostSentence));
  }
  read(doing, [&] {
    if (received.header.sequence == sequence_ && received.header.type == answer) return;
    throw Error(Errc::bad_input, "it is no answer to what was asked");
  });
  return received;
}

Received Client::exchange(Message question, const std::string& doing) {
  try {
    check(channel_.send(std::move(question)), doing);
  } catch (const Error& error) {
    if (!lost_.empty()) throw;
    give_up(doing, "cannot be asked", error.what());
  }
  Received received;
  receive(received, doing);
  return received;
}

void Client::receive(Received& received, const std::string& doing) {
  try {
    check(channel_.receive(received), doing);
  } catch (const Error& error) {
    if (!lost_.empty()) throw;
    refuse(doing, error);
  }
}

void Client::check(Transfer transfer, const std::string& doing) {
  if (transfer == Transfer::done) return;
  if (transfer == Transfer::late) {
    give_up(doing, fmt::format("did not answer within {:g} s and was ended", timeout_seconds_),
            "give it more time with --isolate-timeout, or less to do with a smaller --batch-size");
  }
  const char* where = transfer == Transfer::cut ? " in the middle of an answer" : "";
  if (!process_.wait_for_end(kToDie)) {
    give_up(doing, fmt::format("closed the pipe{}", where), kOtherVersion);
  }
  const std::string end = process_.how_it_ended();
  give_up(doing, end + where, advice_for(end));
}

void Client::refuse(const std::string& doing, const Error& error) {
  if (error.code() == Errc::failed) give_up(doing, "cannot be heard", error.what());
  give_up(doing, fmt::format("sent what is no sound frame: {}", error.what()), kOtherVersion);
}

void Client::give_up(const std::string& doing, const std::string& problem,
                     const std::string& advice) {
  process_.kill();
  const std::string words = process_.last_words();
  lost_ =
      fmt::format("{}: the worker for {} (process {}) {}{}; {}", doing, runtime_, process_.id(),
                  problem, words.empty() ? "" : fmt::format("; it last said: {}", words), advice);
  throw Error(Errc::failed, lost_);
}

}  // namespace quantlens::remote
