// SPDX-License-Identifier: Apache-2.0
// A worker for tests: `worker RUNTIME` serves like the real one, any other word is a way to fail.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/runtime/remote/plan_text.h"
#include "quantlens/runtime/remote/serve.h"

namespace quantlens::remote {
namespace {

constexpr int kSocket = STDIN_FILENO;

[[noreturn]] void hang() {
  for (;;) ::pause();
}

[[noreturn]] void chatter() {
  for (;;) std::fputs("still here\n", stderr);
}

[[noreturn]] void end_with_many_words() {
  for (int i = 0; i < 50'000; ++i) std::fprintf(stderr, "line %d\n", i);
  std::fputs("the last\nwords\x1b[31m\n", stderr);
  std::exit(7);
}

/// As a check of Abseil's that fails, under a deep stack.
[[noreturn]] void fail_a_check() {
  std::fputs("I0000 00:00:1.4 21086 port.cc:153] custom operations are on\n", stderr);
  std::fputs("F0000 00:00:1.5 21086 op_kernel.cc:450] Check failed: index < 7\n", stderr);
  std::fputs("*** Check failure stack trace: ***\n", stderr);
  for (int i = 0; i < 100; ++i)
    std::fprintf(stderr, "    @     0x7efee551d%03d  tensorflow::Kernel::Compute()\n", i);
  std::raise(SIGABRT);
  std::exit(1);
}

/// Bytes with a file, if there is one.
void send_raw(std::string_view bytes, int file = -1) {
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof(room);
    cmsghdr* control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &file, sizeof(int));
  }
  if (::sendmsg(kSocket, &message, 0) < 0) std::exit(9);
}

int memory_of(std::size_t bytes) {
  const int file = ::memfd_create("test", MFD_ALLOW_SEALING);
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) std::exit(9);
  return file;
}

constexpr std::string_view kLies =
    R"({"reference":[{"name":"y","dtype":"float32","shape":[1,2],"offset":8,"bytes":8}]})";

/// The answer to a step, as `fault` has it.
void answer_step(std::string_view fault, const FrameHeader& request) {
  FrameHeader header{.type = FrameType::stepped, .sequence = request.sequence};
  const auto frame = [&](std::string_view text, std::string_view body) {
    header.text_bytes = static_cast<std::uint32_t>(text.size());
    if (!header.in_memory) header.body_bytes = body.size();
    return frame_bytes(header, text, body);
  };
  if (fault == "killed") std::raise(SIGKILL);
  if (fault == "crashes") std::raise(SIGSEGV);
  if (fault == "hangs") hang();
  if (fault == "chatters") chatter();
  if (fault == "ends") end_with_many_words();
  if (fault == "checks") fail_a_check();
  if (fault == "closes") {
    ::close(kSocket);
    hang();
  }
  if (fault == "cut") {
    send_raw(std::string_view(frame("{}", "elements")).substr(0, 36));
    std::exit(0);
  }
  if (fault == "lies") send_raw(frame(kLies, "elements"));
  if (fault == "no_json") send_raw(frame("{", ""));
  if (fault == "other_answer") header.type = FrameType::opened;
  if (fault == "late_answer") --header.sequence;
  if (fault == "other_answer" || fault == "late_answer") send_raw(frame("{}", ""));
  if (fault == "extra_file") send_raw(frame("{}", ""), memory_of(8));
  std::string bytes = frame("{}", "");
  if (fault == "wrong_sum") bytes.back() = ' ';
  if (fault == "huge") bytes.replace(12, 4, "\xff\xff\xff\xff");
  if (fault == "wrong_sum" || fault == "huge") send_raw(bytes);
  header.in_memory = true;
  header.body_bytes = 4097;
  if (fault == "no_memory") send_raw(frame("{}", ""));
  header.new_memory = true;
  header.files = 1;
  const int memory = memory_of(4096);
  if (fault == "unsealed_memory") {
    send_raw(frame("{}", ""), memory);
    hang();  // it may not be sealed while the other side looks
  }
  if (::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) != 0) std::exit(9);
  if (fault == "short_memory") send_raw(frame("{}", ""), memory);
  hang();
}

/// A result of one file, as `fault` has it.
void answer_apply(std::string_view fault, Message& answer) {
  AppliedText text{.notes = {}, .files = {{.suffix = "", .bytes = 4}}};
  Body body;
  body.add_owned("data");
  answer.files.push_back(file_of(body));
  if (fault == "elsewhere") {
    text.files.insert(text.files.begin(), {.suffix = "/../../x", .bytes = 4});
    answer.files.push_back(file_of(body));
  }
  if (fault == "fewer_files") text.files.push_back(text.files.front());
  if (fault == "cut_file") text.files.front().bytes = 5;
  if (fault == "open_file") {
    answer.files.clear();
    answer.files.emplace_back(memory_of(4));
  }
  answer.text = text_of(text);
}

/// As a worker up to the step where it fails.
int fail(std::string_view fault) {
  Channel channel(FileDescriptor(kSocket), [](int socket, short events) {
    pollfd polled{.fd = socket, .events = events, .revents = 0};
    ::poll(&polled, 1, -1);
    return true;
  });
  Message hello;
  hello.text = text_of(Hello{.runtime = fault == "other_runtime" ? "tensorflow" : "fake"});
  channel.send(std::move(hello));
  int steps = 0;
  for (Received request; channel.receive(request) == Transfer::done;) {
    if (request.header.type == FrameType::close) break;
    if (request.header.type == FrameType::step && ++steps == 2) answer_step(fault, request.header);
    if (request.header.type == FrameType::time && ++steps == 2) answer_step(fault, request.header);
    Message answer;
    answer.type = FrameType{static_cast<std::uint16_t>(
        static_cast<std::uint16_t>(request.header.type) + 1U)};  // as all answers are numbered
    answer.sequence = request.header.sequence;
    answer.text = "{}";
    if (answer.type == FrameType::opened_timed && fault != "no_graph") {
      answer.text = text_of(OpenedTimedText{.model = 1, .graph = {{GraphText()}}});
    }
    if (answer.type == FrameType::timed) {
      answer.body.add_owned(std::string(fault == "many_times" ? 16 : 8, '\1'));
    }
    if (answer.type == FrameType::applied) answer_apply(fault, answer);
    if (answer.type == FrameType::taken) answer.body.add_owned("no statistics");
    if (fault == "errs") {
      answer.type = FrameType::error;
      answer.text = text_of(ErrorText{.code = Errc::unsupported, .sentence = "not this model"});
    }
    channel.send(std::move(answer));
  }
  return 0;
}

/// Never comes back from a step; first tells its process where it is told to.
class StuckRun final : public Run {
 public:
  Outputs step(const Batch&) override {
    std::ofstream(told.string() + ".part") << ::getpid();
    fs::rename(told.string() + ".part", told);
    hang();
  }
  TapState take() override { return {}; }
  const std::vector<NotTapped>& not_tapped() const override { return none_; }

  inline static fs::path told;  // a Served opens by a plain function

 private:
  std::vector<NotTapped> none_;
};

constexpr std::string_view kOnnx[] = {"onnx"};

void serve_stuck(std::string_view told) {
  StuckRun::told = told;
  serve({.name = "fake",
         .status = [] { return RuntimeStatus(); },
         .formats = kOnnx,
         .read = onnx::read,
         .open = [](const Model&, const Model*, const TapSpec&, const RunOptions&)
             -> std::unique_ptr<Run> { return std::make_unique<StuckRun>(); }},
        kSocket);
}

constexpr std::string_view kMagic = "RNMD";
constexpr std::string_view kRenamed[] = {"renamed"};

/// ONNX behind a magic of its own, which nothing but this worker reads.
Model read_renamed(const fs::path& path,
                   MappedFile file) {  // NOLINT(performance-unnecessary-value-param): as Served
  if (!file.text().starts_with(kMagic)) throw Error(Errc::bad_input, "it is not renamed");
  Model model =
      onnx::read(path, MappedFile::from_bytes(std::string(file.text().substr(kMagic.size()))));
  return model;
}

std::vector<std::string> apply_renamed(const Model& model, const Plan& plan,
                                       const std::map<std::string, std::string>& metadata,
                                       Store& store, const fs::path& path) {
  MemoryStore made;
  std::vector<std::string> notes = onnx::apply(model, plan, metadata, made, path);
  write_atomic(store, path, std::string(kMagic) + made.files().at(path.string()));
  return notes;
}

void patch_renamed(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  MemoryStore made;
  onnx::write_patched(model, patch, made, path);
  write_atomic(store, path, std::string(kMagic) + made.files().at(path.string()));
}

void serve_renamed() {
  serve({.name = "renamed",
         .status = [] { return RuntimeStatus{.available = true, .version = "1"}; },
         .formats = kRenamed,
         .read = read_renamed,
         .open = onnxruntime::open,
         .open_timed = onnxruntime::open_timed,
         .apply = apply_renamed,
         .write_patched = patch_renamed},
        kSocket);
}

int run(std::string_view word, std::string_view runtime) {
  if (word == "worker" && runtime == "renamed") return serve_renamed(), 0;
  if (word == "worker" || word == "stuck") {
    word == "worker" ? serve(runtime, kSocket) : serve_stuck(runtime);
    return 0;
  }
  if (word == "silent") hang();
  if (word == "ends_at_once") end_with_many_words();
  if (word == "http") send_raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  if (word == "newer" || word == "older") {
    std::string bytes = frame_bytes({.text_bytes = 2}, "{}", "");
    bytes[4] = static_cast<char>(kProtocolVersion + (word == "newer" ? 1 : -1));
    send_raw(bytes);
  }
  if (word == "http" || word == "newer" || word == "older") hang();
  return fail(word);
}

}  // namespace
}  // namespace quantlens::remote

int main(int argc, char** argv) try {
  return quantlens::remote::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
} catch (const quantlens::Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
