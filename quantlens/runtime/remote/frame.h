// The frames of the worker pipe: a header of fixed size, a text (JSON), and a body of bytes, which
// lies in the frame if it is small and in the sender's shared memory otherwise. docs/workers.md
// gives every byte. Nothing here knows what a frame is about, or waits for one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quantlens::remote {

inline constexpr std::uint16_t kProtocolVersion = 5;
inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::uint32_t kMostText = 32U << 20U;
inline constexpr std::uint64_t kMostInFrame = 64U << 10U;  ///< a larger body lies in shared memory
inline constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 46U;
inline constexpr std::uint8_t kMostFiles = 4;

enum class FrameType : std::uint16_t {
  hello = 1,          ///< worker: which runtime it is
  open = 2,           ///< which models, taps and options
  opened = 3,         ///< worker: what could not be tapped
  step = 4,           ///< a batch
  stepped = 5,        ///< worker: the graph outputs
  take = 6,           ///< asks for what was gathered
  taken = 7,          ///< worker: a TapState
  error = 8,          ///< worker: instead of the answer
  close = 9,          ///< the worker may end
  widen = 10,         ///< brings a further socket for questions
  widened = 11,       ///< worker: it listens there, too
  status = 12,        ///< asks what the worker is
  status_told = 13,   ///< worker: that
  read = 14,          ///< a model's file
  read_done = 15,     ///< worker: the Model
  apply = 16,         ///< a model's file and a Plan
  applied = 17,       ///< worker: the quantized files
  open_timed = 18,    ///< which model is to be timed
  opened_timed = 19,  ///< worker: its number, and the graph that is run
  add = 20,           ///< a batch for a timed model
  added = 21,         ///< worker: the batch's number
  time = 22,          ///< which batch is to be run for its time
  timed = 23,         ///< worker: the times
  ask_outputs = 24,   ///< which batch is to be run for what it answers
  outputs = 25,       ///< worker: the answer
  close_timed = 26,   ///< which timed model may go
  closed_timed = 27,  ///< worker: it is gone
  patch = 28,         ///< a model's file and a Patch
  patched = 29,       ///< worker: the patched files
};
inline constexpr FrameType kLastFrameType = FrameType::patched;

struct FrameHeader {
  FrameType type = FrameType::hello;
  std::uint32_t sequence = 0;  ///< of the request; an answer has that of its request
  std::uint32_t text_bytes = 0;
  std::uint64_t body_bytes = 0;
  bool in_memory = false;   ///< the body lies at the beginning of the sender's shared memory
  bool new_memory = false;  ///< the first of the files is that memory from now on
  std::uint8_t files = 0;   ///< open files that come with the frame
};

/// A whole frame; `body` is what lies in it. REQUIRES: the header's numbers agree with the parts.
std::string frame_bytes(const FrameHeader& header, std::string_view text, std::string_view body);

/// All but the checksum is judged. Throws Errc::unsupported for another version, Errc::bad_input
/// for anything else that `frame_bytes` cannot have written. REQUIRES: kHeaderBytes bytes.
FrameHeader header_from_bytes(std::string_view bytes);

/// How much follows the header in the frame.
std::uint64_t bytes_behind(const FrameHeader& header);

/// Throws Errc::bad_input where the frame is not as it was sent. `rest`: what follows the header.
void check_sum(std::string_view header, std::string_view rest);

}  // namespace quantlens::remote
