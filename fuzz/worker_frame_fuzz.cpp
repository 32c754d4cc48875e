// SPDX-License-Identifier: Apache-2.0
// Bytes that claim to be a frame of the worker pipe are refused in a sentence, or read; a frame
// that was read is written as it was, and so is what it says. The checksum is put right first.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "quantlens/record/tap_state.h"
#include "quantlens/runtime/remote/frame.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/runtime/remote/plan_text.h"

using namespace quantlens::remote;  // NOLINT(google-build-using-namespace): a program of one file

template <class T>
static T read_as(std::string_view text) {
  T message = message_from<T>(text);
  const std::string stored = text_of(message);
  if (text_of(message_from<T>(stored)) != stored) std::abort();
  return message;
}

/// What lies in a body, as if it were the memory that comes with it; what was read is written, and
/// read again, as it was.
static void read_graph(const GraphsText& text, const Payload& memory) {
  const auto written = [](const quantlens::Graph& graph, Body& out) {
    return text_of(text_from(graph, {}, out));
  };
  const quantlens::Graph graph = graph_from(text, memory, {});
  Body body;
  const std::string stored = written(graph, body);
  std::vector<std::byte> bytes(body.size());
  body.copy_to(bytes);
  Body again;
  const Payload copy{.bytes = bytes, .owner = nullptr};
  if (written(graph_from(message_from<GraphsText>(stored), copy, {}), again) != stored) {
    std::abort();
  }
}

static void read_answer(FrameType type, std::string_view text, const Payload& body) {
  if (type == FrameType::stepped) {
    const auto stepped = read_as<SteppedText>(text);
    tensors_from(stepped.reference, body);
    tensors_from(stepped.quantized, body);
  }
  if (type == FrameType::opened) read_as<OpenedText>(text);
  if (type == FrameType::status_told) read_as<StatusText>(text);
  if (type == FrameType::read_done) {
    model_from(read_as<ModelText>(text), body, {});
    read_graph(message_from<ModelText>(text).graph, body);
  }
  if (type == FrameType::applied) read_as<AppliedText>(text);
  if (type == FrameType::opened_timed) read_graph(read_as<OpenedTimedText>(text).graph, body);
  if (type == FrameType::timed) read_as<TimesText>(text);
  if (type == FrameType::outputs) tensors_from(read_as<OutputsText>(text).outputs, body);
  if (type == FrameType::error) read_as<ErrorText>(text);
}

static void read_question(FrameType type, std::string_view text, const Payload& body) {
  if (type == FrameType::open) read_as<OpenText>(text);
  if (type == FrameType::step) tensors_from(read_as<StepText>(text).inputs, body);
  if (type == FrameType::read) read_as<ModelFileText>(text);
  if (type == FrameType::apply) plan_from(read_as<ApplyText>(text).plan, body);
  if (type == FrameType::open_timed) read_as<OpenTimedText>(text);
  if (type == FrameType::add) tensors_from(read_as<AddText>(text).inputs, body);
  if (type == FrameType::time) read_as<TimeText>(text);
  if (type == FrameType::ask_outputs) read_as<TimedBatchText>(text);
}

static void read_message(FrameType type, std::string_view text, std::string_view bytes) {
  const Payload body{.bytes = std::as_bytes(std::span(bytes)), .owner = nullptr};
  if (type == FrameType::hello) read_as<Hello>(text);
  if (type == FrameType::taken) quantlens::tap_state_from_bytes(bytes, "fuzz");
  read_question(type, text, body);
  read_answer(type, text, body);
}

static void read_frame(std::string_view bytes) {
  const FrameHeader header = header_from_bytes(bytes.substr(0, kHeaderBytes));
  const std::string_view rest = bytes.substr(kHeaderBytes);
  // Of a body in shared memory the memory is what follows the text.
  if (header.text_bytes > rest.size() || header.body_bytes > rest.size() - header.text_bytes)
    return;
  const std::string_view text = rest.substr(0, header.text_bytes);
  const std::string_view body = rest.substr(header.text_bytes, header.body_bytes);
  const std::string again = frame_bytes(header, text, header.in_memory ? "" : body);
  constexpr std::size_t kSummed = kHeaderBytes - 4;
  if (again.substr(0, kSummed) != bytes.substr(0, kSummed)) std::abort();
  check_sum(std::string_view(again).substr(0, kHeaderBytes),
            std::string_view(again).substr(kHeaderBytes));
  read_message(header.type, text, body);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeaderBytes) return 0;
  try {
    read_frame({reinterpret_cast<const char*>(data), size});
  } catch (const quantlens::Error&) {  // refused in words
  }
  return 0;
}
