// SPDX-License-Identifier: Apache-2.0
// Bytes that claim to be a frame of the worker pipe are refused in a sentence, or read; a frame
// that was read is written as it was, and so is what it says. The checksum is put right first.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "quantlens/record/tap_state.h"
#include "quantlens/runtime/remote/frame.h"
#include "quantlens/runtime/remote/messages.h"

using namespace quantlens::remote;  // NOLINT(google-build-using-namespace): a program of one file

template <class T>
static T read_as(std::string_view text) {
  T message = message_from<T>(text);
  const std::string stored = text_of(message);
  if (text_of(message_from<T>(stored)) != stored) std::abort();
  return message;
}

static void read_message(FrameType type, std::string_view text, std::string_view bytes) {
  const Payload body{.bytes = std::as_bytes(std::span(bytes)), .owner = nullptr};
  if (type == FrameType::hello) read_as<Hello>(text);
  if (type == FrameType::open) read_as<OpenText>(text);
  if (type == FrameType::opened) read_as<OpenedText>(text);
  if (type == FrameType::step) tensors_from(read_as<StepText>(text).inputs, body);
  if (type == FrameType::stepped) {
    const auto stepped = read_as<SteppedText>(text);
    tensors_from(stepped.reference, body);
    tensors_from(stepped.quantized, body);
  }
  if (type == FrameType::taken) quantlens::tap_state_from_bytes(bytes, "fuzz");
  if (type == FrameType::error) read_as<ErrorText>(text);
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
