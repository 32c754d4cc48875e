// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/serve.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
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
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/messages.h"

namespace quantlens::remote {
namespace {

constexpr Served kServed[] = {
    {"onnxruntime", [] { return onnxruntime::status().version; }, onnx::read, onnxruntime::open},
    {"oracle", [] { return std::string(); }, onnx::read, oracle::open},
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

/// What one worker has open, and its answers.
class Session {
 public:
  explicit Session(const Served& runtime) : runtime_(runtime) {}

  Message answer(Received request) {
    switch (request.header.type) {
      case FrameType::open:
        return open(std::move(request));
      case FrameType::step:
        return step(request);
      case FrameType::take:
        return take();
      default:
        throw Error(Errc::usage, "a worker does not answer frames of this type");
    }
  }

 private:
  Message open(Received request) {
    if (run_) throw Error(Errc::usage, "a worker opens models only once");
    const auto text = message_from<OpenText>(request.text);
    constexpr std::size_t kMostModels = 2;
    if (text.models.empty() || text.models.size() > kMostModels) {
      throw Error(Errc::usage, "a worker opens one model or two");
    }
    models_.clear();
    models_.reserve(kMostModels);  // the Run refers to them
    auto file = request.files.begin();
    for (const ModelText& model : text.models) {
      if (model.attached && file == request.files.end()) {
        throw Error(Errc::usage, "a model's file does not come with the frame");
      }
      const fs::path where =
          model.attached ? fmt::format("/proc/self/fd/{}", (file++)->get()) : model.path;
      models_.push_back(runtime_.read(model.path, MappedFile::open(where)));
    }
    const Model* quantized = models_.size() > 1 ? &models_[1] : nullptr;
    run_ = runtime_.open(models_[0], quantized, text.taps, text.options);
    return reply(FrameType::opened, OpenedText{.not_tapped = new_not_tapped()});
  }

  Message step(const Received& request) {
    const auto text = message_from<StepText>(request.text);
    Batch batch;
    batch.samples = text.samples;
    batch.inputs = tensors_from(text.inputs, request.body);
    batch.labels.resize(batch.samples.size());
    outputs_ = opened().step(batch);
    Message message;
    message.type = FrameType::stepped;
    SteppedText stepped;
    stepped.reference = add_tensors(outputs_.reference, message.body);
    stepped.quantized = add_tensors(outputs_.quantized, message.body);
    stepped.not_tapped = new_not_tapped();
    message.text = text_of(stepped);
    return message;
  }

  Message take() {
    Message message;
    message.type = FrameType::taken;
    message.text = "{}";
    message.body.add_owned(to_bytes(opened().take()));
    return message;
  }

  /// Those that were not yet told of.
  std::vector<NotTapped> new_not_tapped() {
    const std::vector<NotTapped>& all = run_->not_tapped();
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(std::exchange(told_, all.size()));
    return {from, all.end()};
  }

  Run& opened() {
    if (!run_) throw Error(Errc::usage, "nothing is open in this worker");
    return *run_;
  }

  template <class T>
  static Message reply(FrameType type, const T& text) {
    Message message;
    message.type = type;
    message.text = text_of(text);
    return message;
  }

  const Served& runtime_;
  std::vector<Model> models_;
  std::unique_ptr<Run> run_;
  std::size_t told_ = 0;  // of its not_tapped()
  Outputs outputs_;       // until they are sent
};

Message error_message(const Error& error) {
  Message message;
  message.type = FrameType::error;
  message.text = text_of(ErrorText{.code = error.code(), .sentence = error.what()});
  return message;
}

/// The answer, whatever is thrown.
Message answer_or_error(Session& session, Received request) {
  try {
    return session.answer(std::move(request));
  } catch (const Error& error) {
    return error_message(error);
  } catch (const std::bad_alloc&) {
    return error_message({Errc::failed,
                          "out of memory; use fewer --threads, a smaller "
                          "--batch-size or a larger machine"});
  } catch (const std::exception& error) {
    return error_message({Errc::failed, fmt::format("unexpected: {}; please report this with the "
                                                    "command line",
                                                    printable(error.what()))});
  }
}

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

}  // namespace

void serve(const Served& runtime, int socket) {
  FileDescriptor apart = set_apart(socket);
  const Watch watch(apart.get());
  Channel channel(std::move(apart), wait_for);
  Message hello;
  hello.text = text_of(Hello{.runtime = std::string(runtime.name), .version = runtime.version()});
  if (!send(channel, 0, std::move(hello))) return;
  Session session(runtime);
  for (Received request; receive(channel, request);) {
    if (request.header.type == FrameType::close) return;
    const std::uint32_t sequence = request.header.sequence;
    if (!send(channel, sequence, answer_or_error(session, std::move(request)))) return;
  }
}

void serve(std::string_view runtime, int socket) {
  for (const Served& served : kServed) {
    if (served.name == runtime) return serve(served, socket);
  }
  throw Error(Errc::usage, fmt::format("there is no worker for '{}'; known: onnxruntime, oracle",
                                       printable(runtime)));
}

}  // namespace quantlens::remote
