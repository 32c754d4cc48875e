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

template <class T>
Message reply(FrameType type, const T& text) {
  Message message;
  message.type = type;
  message.text = text_of(text);
  return message;
}

/// A step of a Run that other threads step as well; says what was known when it was done.
class Stepping {
 public:
  Outputs step(Run& run, const Batch& batch, SteppedText& done) {
    const Count count(*this);
    Outputs outputs = run.step(batch);
    const std::lock_guard lock(mutex_);
    done.steps = ++done_;
    done.in_flight = run.in_flight();
    done.settled = under_way_ == 1;
    if (done.settled) done.not_tapped = run.not_tapped();
    return outputs;
  }

 private:
  struct Count {
    explicit Count(Stepping& stepping) : of(stepping) { change(1); }
    ~Count() { change(-1); }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    void change(int by) {
      const std::lock_guard lock(of.mutex_);
      of.under_way_ += by;
    }
    Stepping& of;
  };

  std::mutex mutex_;
  int under_way_ = 0;  // a step counts until its answer is complete
  std::uint64_t done_ = 0;
};

/// What one worker has open, and its answers. Steps may be asked for by several threads at once.
class Session {
 public:
  explicit Session(const Served& runtime) : runtime_(runtime) {}

  /// `outputs` has to live until the answer is sent.
  Message answer(Received request, Outputs& outputs) {
    switch (request.header.type) {
      case FrameType::open:
        return open(std::move(request));
      case FrameType::step:
        return step(request, outputs);
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
    return reply(FrameType::opened,
                 OpenedText{.not_tapped = run_->not_tapped(), .in_flight = run_->in_flight()});
  }

  Message step(const Received& request, Outputs& outputs) {
    const auto text = message_from<StepText>(request.text);
    Batch batch;
    batch.samples = text.samples;
    batch.inputs = tensors_from(text.inputs, request.body);
    batch.labels.resize(batch.samples.size());
    SteppedText stepped;
    outputs = stepping_.step(opened(), batch, stepped);
    Message message;
    message.type = FrameType::stepped;
    stepped.reference = add_tensors(outputs.reference, message.body);
    stepped.quantized = add_tensors(outputs.quantized, message.body);
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

  Run& opened() {
    if (!run_) throw Error(Errc::usage, "nothing is open in this worker");
    return *run_;
  }

  const Served& runtime_;
  std::vector<Model> models_;
  std::unique_ptr<Run> run_;
  Stepping stepping_;
};

Message error_message(const Error& error) {
  Message message;
  message.type = FrameType::error;
  message.text = text_of(ErrorText{.code = error.code(), .sentence = error.what()});
  return message;
}

/// The answer, whatever is thrown.
Message answer_or_error(Session& session, Received request, Outputs& outputs) {
  try {
    return session.answer(std::move(request), outputs);
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

/// Answers what comes, until `close` or until the other side is gone. What `further` says to is no
/// question.
void answer_all(Channel& channel, Session& session,
                const std::function<bool(const Received&)>& further) {
  for (Received request; receive(channel, request);) {
    if (request.header.type == FrameType::close) return;
    const std::uint32_t sequence = request.header.sequence;
    Outputs outputs;
    Message answer;
    if (request.header.type == FrameType::widen && further(request)) {
      answer = reply(FrameType::widened, OpenedText());
    } else {
      answer = answer_or_error(session, std::move(request), outputs);
    }
    if (!send(channel, sequence, std::move(answer))) return;
  }
}

/// Further sockets, each with a thread that answers what comes there. However this ends, they are
/// closed and waited for.
class Lines {
 public:
  explicit Lines(Session& session) : session_(session) {}
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

  Session& session_;
  std::vector<FileDescriptor> sockets_;  // for ending; the threads have their own
  std::vector<std::thread> threads_;
};

}  // namespace

void serve(const Served& runtime, int socket) {
  FileDescriptor apart = set_apart(socket);
  const Watch watch(apart.get());
  Channel channel(std::move(apart), wait_for);
  Message hello;
  hello.text = text_of(Hello{.runtime = std::string(runtime.name), .version = runtime.version()});
  if (!send(channel, 0, std::move(hello))) return;
  Session session(runtime);
  Lines lines(session);
  answer_all(channel, session, [&](const Received& request) { return lines.add(request); });
}

void serve(std::string_view runtime, int socket) {
  for (const Served& served : kServed) {
    if (served.name == runtime) return serve(served, socket);
  }
  throw Error(Errc::usage, fmt::format("there is no worker for '{}'; known: onnxruntime, oracle",
                                       printable(runtime)));
}

}  // namespace quantlens::remote
