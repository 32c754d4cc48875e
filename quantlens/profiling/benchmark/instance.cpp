// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/instance.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/profiling/benchmark/topology.h"

namespace quantlens {
namespace {

using remote::FrameType;
using remote::Message;
using remote::message_of;
using remote::Received;
using remote::Transfer;
using Prepare = std::function<PreparedModels(const InstanceJob&)>;

bool is_ready(int socket, short events, int timeout) {
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  int ready = 0;
  while ((ready = ::poll(&polled, 1, timeout)) < 0 && errno == EINTR) continue;
  return ready > 0;
}

/// The other side's end of the socket, out of the reach of what uses the standard streams.
FileDescriptor own_socket(int socket) {
  int type = 0;
  socklen_t size = sizeof(type);
  if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
    throw Error(Errc::usage,
                "an instance of a benchmark is started by quantlens itself, with a socket as its "
                "standard input; see quantlens benchmark --help");
  }
  FileDescriptor own(::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!own.is_open() || !nothing.is_open() || ::dup2(nothing.get(), socket) < 0) {
    throw Error(Errc::failed,
                "an instance of a benchmark can open no file; raise the limit with ulimit -n");
  }
  return own;
}

class Instance {
 public:
  Instance(int socket, const Prepare& prepare)
      : prepare_(prepare),
        own_(own_socket(socket)),
        socket_(own_.get()),
        channel_(std::move(own_), [](int fd, short events) { return is_ready(fd, events, -1); }) {}

  /// False once the other side is gone, or asks to end.
  bool serve_one() {
    Received request;
    if (channel_.receive(request) != Transfer::done) return false;
    if (request.header.type == FrameType::close) return false;
    try {
      return answer(request);
    } catch (const Error& error) {
      return send_error(error);
    } catch (const std::bad_alloc&) {
      return send_error({Errc::failed,
                         "out of memory; use fewer --instances or a smaller "
                         "--batch-size"});
    } catch (const std::exception& error) {
      return send_error({Errc::failed, fmt::format("unexpected: {}; please report this with the "
                                                   "command line",
                                                   printable(error.what()))});
    }
  }

 private:
  bool answer(const Received& request) {
    if (request.header.type == FrameType::open) {
      const auto job = remote::message_from<InstanceJob>(request.text);
      bind_to(job.cores);
      round_ = job.round;
      prepared_ = prepare_(job);
      return send(message_of(FrameType::opened, InstanceAnswer()));
    }
    const auto order = remote::message_from<InstanceOrder>(request.text);
    switch (order.step) {
      case InstanceStep::prepare:
        model_.reset();
        model_ = std::make_unique<RoundModel>(prepared_.timed.at(order.model),
                                              TimedOptions{.threads = round_.threads});
        model_->warm_up(round_.warmup, {});
        return send(message_of(FrameType::stepped, InstanceAnswer()));
      case InstanceStep::run:
        return run();
      case InstanceStep::stop:
        return send(
            message_of(FrameType::stepped, InstanceAnswer{.runs_us = std::exchange(runs_us_, {})}));
    }
    return false;
  }

  /// Until something comes.
  bool run() {
    if (!model_) throw Error(Errc::usage, "nothing is prepared in this instance");
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    runs_us_.clear();
    bool told = false;
    for (std::uint64_t i = 0; !is_ready(socket_, POLLIN, 0); ++i) {
      const double us = model_->run_us(i);
      if (!told || !round_.iterations) runs_us_.push_back(us);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (told || !is_enough(i + 1, seconds, round_)) continue;
      told = true;
      if (!send(message_of(FrameType::stepped, InstanceAnswer()))) return false;
    }
    return true;
  }

  bool send(Message message) { return channel_.send(std::move(message)) == Transfer::done; }
  bool send_error(const Error& error) {
    return send(message_of(FrameType::error, remote::ErrorText{error.code(), error.what()}));
  }

  const Prepare& prepare_;
  FileDescriptor own_;  // until the channel has it
  int socket_;
  remote::Channel channel_;
  RoundOptions round_;
  PreparedModels prepared_;
  std::unique_ptr<RoundModel> model_;
  std::vector<double> runs_us_;
};

}  // namespace

void serve_instance(int socket, const Prepare& prepare) {
  Instance instance(socket, prepare);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also where the other side is killed in the midst of a run
  while (instance.serve_one()) continue;
}

}  // namespace quantlens
