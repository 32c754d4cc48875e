// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

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

Client::Line::Line(Client& client, FileDescriptor socket)
    : channel(std::move(socket), [&client, this](int fd, short events) {
        return client.wait_for(*this, fd, events);
      }) {}

Client::Turn::Turn(Client& client) : client_(client) {
  std::unique_lock lock(client_.mutex_);
  client_.returned_.wait(lock, [this] { return !client_.free_.empty(); });
  line_ = client_.free_.back();
  client_.free_.pop_back();
}

Client::Turn::~Turn() {
  const std::lock_guard lock(client_.mutex_);
  client_.free_.push_back(line_);
  client_.returned_.notify_one();
}

Client::Client(const Worker& worker)
    : runtime_(worker.runtime), timeout_seconds_(worker.timeout_seconds), process_(worker.command) {
  if (worker.stop_requested) {
    stop_ = [this, stop = worker.stop_requested] {
      const std::lock_guard lock(stopping_);
      return stop();
    };
  }
  lines_.push_back(std::make_unique<Line>(*this, process_.take_socket()));
  free_.push_back(lines_.back().get());
  say_hello(worker);
}

void Client::widen(unsigned questions, const std::string& doing) {
  while (lines_.size() < questions) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw Error(Errc::failed,
                  fmt::format("cannot open a further line to the worker: {}; use fewer --threads",
                              std::generic_category().message(errno)));
    }
    auto line = std::make_unique<Line>(*this, FileDescriptor(ends[0]));
    Message message;
    message.type = FrameType::widen;
    message.text = "{}";
    message.files.emplace_back(ends[1]);
    ask(std::move(message), FrameType::widened, doing, [](const Received&) { return 0; });
    const std::lock_guard lock(mutex_);
    free_.insert(free_.begin(), line.get());
    lines_.push_back(std::move(line));
  }
}

bool Client::wait_for(const Line& line, int socket, short events) {
  try {
    return process_.wait_for(socket, events, line.deadline, is_lost() ? nullptr : stop_);
  } catch (const Error&) {
    const std::lock_guard lock(mutex_);
    lost_ = "interrupted";  // its answer may come yet, and nobody would wait for it
    throw;
  }
}

Client::~Client() {
  if (!lost_.empty()) return;
  lines_.resize(1);
  Line& line = *lines_.front();
  line.deadline = Clock::now() + kToEnd;
  Message message;
  message.type = FrameType::close;
  message.sequence = ++line.sequence;
  try {
    if (line.channel.send(std::move(message)) == Transfer::done) process_.wait_for_end(kToEnd);
  } catch (const Error&) {  // it is ended all the same
  }
}

void Client::say_hello(const Worker& worker) {
  const std::string doing = "before it said what it is";
  Line& line = *lines_.front();
  timeout_seconds_ = std::min(timeout_seconds_, kLongestStart);
  line.deadline = deadline_after(timeout_seconds_);
  Received received;
  receive(line, received, doing);
  const Hello hello = judged(doing, [&] {
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

bool Client::is_lost() {
  const std::lock_guard lock(mutex_);
  return !lost_.empty();
}

void Client::check_lost() {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) throw Error(Errc::failed, lost_);
}

Received Client::answered(Line& line, Message question, FrameType answer,
                          const std::string& doing) {
  check_lost();
  line.deadline = deadline_after(timeout_seconds_);
  question.sequence = ++line.sequence;
  Received received = exchange(line, std::move(question), doing);
  if (received.header.type == FrameType::error) {
    const ErrorText error = judged(doing, [&] { return message_from<ErrorText>(received.text); });
    throw Error(error.code, error.sentence.substr(0, kMostSentence));
  }
  judged(doing, [&] {
    if (received.header.sequence == line.sequence && received.header.type == answer) return;
    throw Error(Errc::bad_input, "it is no answer to what was asked");
  });
  return received;
}

Received Client::exchange(Line& line, Message question, const std::string& doing) {
  try {
    check(line.channel.send(std::move(question)), doing);
  } catch (const Error& error) {
    if (is_lost()) throw;
    give_up(doing, "cannot be asked", error.what());
  }
  Received received;
  receive(line, received, doing);
  return received;
}

void Client::receive(Line& line, Received& received, const std::string& doing) {
  try {
    check(line.channel.receive(received), doing);
  } catch (const Error& error) {
    if (is_lost()) throw;
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
  std::string end;
  {
    const std::lock_guard lock(mutex_);
    if (was_ended_) throw Error(Errc::failed, lost_);
    if (process_.wait_for_end(kToDie)) end = process_.how_it_ended();
  }
  if (end.empty()) give_up(doing, fmt::format("closed the pipe{}", where), kOtherVersion);
  give_up(doing, end + where, advice_for(end));
}

void Client::refuse(const std::string& doing, const Error& error) {
  if (error.code() == Errc::failed) give_up(doing, "cannot be heard", error.what());
  give_up(doing, fmt::format("sent what is no sound frame: {}", error.what()), kOtherVersion);
}

/// A worker that has ended by itself is told of by every question that it leaves without an answer;
/// one that this side ends, by the first.
void Client::give_up(const std::string& doing, const std::string& problem,
                     const std::string& advice) {
  const std::lock_guard lock(mutex_);
  if (was_ended_) throw Error(Errc::failed, lost_);
  was_ended_ = process_.how_it_ended().empty();
  process_.kill();
  const std::string words = process_.last_words();
  lost_ =
      fmt::format("{}: the worker for {} (process {}) {}{}; {}", doing, runtime_, process_.id(),
                  problem, words.empty() ? "" : fmt::format("; it last said: {}", words), advice);
  throw Error(Errc::failed, lost_);
}

}  // namespace quantlens::remote
