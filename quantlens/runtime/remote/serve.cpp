// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/serve.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/session.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"

namespace quantlens::remote {
namespace {

constexpr std::string_view kOnnx[] = {"onnx"};
/// Frozen graphs, and what becomes one.
constexpr std::string_view kOfTensorflow[] = {"graphdef", "savedmodel", "keras"};

RuntimeStatus oracle_status() {
  return {.name = "oracle", .available = true};
}

constexpr Served kServed[] = {
    {"onnxruntime", onnxruntime::status, kOnnx, onnx::read, onnxruntime::open,
     onnxruntime::open_timed, onnx::apply, onnx::write_patched},
    {"oracle", oracle_status, kOnnx, onnx::read, oracle::open},
    {.name = "tensorflow",
     .status = tensorflow::status,
     .formats = kOfTensorflow,
     .read = tensorflow::read,
     .open = tensorflow::open,
     .open_timed = tensorflow::open_timed,
     .apply = tensorflow::write,
     .cuts = true},
};

/// Ends the process once the other side is gone: nobody is left to wait for the step.
class Watch {
 public:
  explicit Watch(int socket)
      : stop_(::eventfd(0, EFD_CLOEXEC)), thread_([this, socket] { watch(socket); }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(stop_.get(), &one, sizeof(one));
    thread_.join();
  }

 private:
  void watch(int socket) const {
    std::array<pollfd, 2> polled{pollfd{.fd = socket, .events = POLLRDHUP, .revents = 0},
                                 pollfd{.fd = stop_.get(), .events = POLLIN, .revents = 0}};
    while (::poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) continue;
    if (polled[1].revents == 0) ::_exit(1);
  }

  FileDescriptor stop_;
  std::thread thread_;
};

/// False where the other side is gone.
bool send(Channel& channel, std::uint32_t sequence, Message message) {
  message.sequence = sequence;
  try {
    return channel.send(std::move(message)) == Transfer::done;
  } catch (const Error& error) {  // no shared memory: nothing is sent yet
    Message instead = error_message(error);
    instead.sequence = sequence;
    return channel.send(std::move(instead)) == Transfer::done;
  }
}

/// The socket out of the reach of those who use the standard streams.
FileDescriptor set_apart(int socket) {
  int type = 0;
  socklen_t size = sizeof(type);
  if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
    throw Error(Errc::usage,
                "a worker is started by quantlens itself, with a socket as its standard input");
  }
  FileDescriptor apart(::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!apart.is_open() || !nothing.is_open() || ::dup2(nothing.get(), socket) < 0) {
    throw Error(Errc::failed, "a worker can open no file; raise the limit with ulimit -n");
  }
  return apart;
}

/// False where the other side is gone.
bool receive(Channel& channel, Received& request) {
  try {
    return channel.receive(request) == Transfer::done;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("the worker is sent what is no sound frame: {}; start it "
                                          "from quantlens of the same version",
                                          error.what()));
  }
}

bool wait_for(int socket, short events) {
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  while (::poll(&polled, 1, -1) < 0 && errno == EINTR) continue;
  return true;
}

/// Answers what comes, until `close` or until the other side is gone. What `further` says to is no
/// question.
void answer_all(Channel& channel, WorkerSession& session,
                const std::function<bool(const Received&)>& further) {
  for (Received request; receive(channel, request);) {
    if (request.header.type == FrameType::close) return;
    const std::uint32_t sequence = request.header.sequence;
    Answer answer;
    if (request.header.type == FrameType::widen && further(request)) {
      answer.message = message_of(FrameType::widened, OpenedText());
    } else {
      answer = session.answer(request);
    }
    if (!send(channel, sequence, std::move(answer.message))) return;
  }
}

/// Further sockets, each with a thread that answers what comes there. However this ends, they are
/// closed and waited for.
class Lines {
 public:
  explicit Lines(WorkerSession& session) : session_(session) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    for (const FileDescriptor& socket : sockets_) ::shutdown(socket.get(), SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
  }

  /// False where the frame brings no socket, or one too many.
  bool add(const Received& request) {
    constexpr std::size_t kMost = 1024;
    if (request.files.size() != 1 || sockets_.size() == kMost) return false;
    FileDescriptor socket(::fcntl(request.files.front().get(), F_DUPFD_CLOEXEC, 0));
    FileDescriptor kept(::fcntl(request.files.front().get(), F_DUPFD_CLOEXEC, 0));
    if (!socket.is_open() || !kept.is_open()) return false;
    sockets_.push_back(std::move(kept));
    threads_.emplace_back([this, moved = std::make_shared<FileDescriptor>(std::move(socket))] {
      serve_line(std::move(*moved));
    });
    return true;
  }

 private:
  /// What is no frame ends the line; the other side then ends the worker.
  void serve_line(FileDescriptor socket) {
    Channel channel(std::move(socket), wait_for);
    try {
      answer_all(channel, session_, [](const Received&) { return false; });
    } catch (const Error& error) {
      send(channel, 0, error_message(error));
    }
  }

  WorkerSession& session_;
  std::vector<FileDescriptor> sockets_;  // for ending; the threads have their own
  std::vector<std::thread> threads_;
};

}  // namespace

void serve(const Served& runtime, int socket) {
  FileDescriptor apart = set_apart(socket);
  const Watch watch(apart.get());
  Channel channel(std::move(apart), wait_for);
  Message hello;
  hello.text =
      text_of(Hello{.runtime = std::string(runtime.name), .version = runtime.status().version});
  if (!send(channel, 0, std::move(hello))) return;
  WorkerSession session(runtime);
  Lines lines(session);
  answer_all(channel, session, [&](const Received& request) { return lines.add(request); });
}

void serve(std::string_view runtime, int socket) {
  for (const Served& served : kServed) {
    if (served.name == runtime) return serve(served, socket);
  }
  throw Error(Errc::usage, fmt::format("there is no worker for '{}'; known: onnxruntime, oracle, "
                                       "tensorflow",
                                       printable(runtime)));
}

}  // namespace quantlens::remote
