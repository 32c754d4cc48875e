// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/runtime/remote/frame.h"
#include "quantlens/runtime/remote/memory.h"

namespace quantlens::remote {

/// A frame as it is to be sent; where its body lies is the channel's business.
struct Message {
  FrameType type = FrameType::hello;
  std::uint32_t sequence = 0;
  std::string text;
  Body body;
  std::vector<FileDescriptor> files;
};

/// A frame as it came.
struct Received {
  FrameHeader header;
  std::string text;
  Payload body;  ///< if it lies in shared memory: until the next frame is sent
  std::vector<FileDescriptor> files;
};

/// The sealed memory that came with a frame: its only file; without one, none. Throws as
/// map_sealed.
Payload memory_with(const Received& received);

/// How a transfer ended. What is no frame is thrown: Errc::bad_input, Errc::unsupported.
enum class Transfer {
  done,
  ended,  ///< the other side is gone
  cut,    ///< it is gone in the middle of a frame
  late,   ///< waiting was given up
};

/// One end of the pipe: frames, open files and shared memory over a stream socket (AF_UNIX).
class Channel {
 public:
  /// Waits until `poll`'s events come on the socket; false gives the transfer up.
  using Wait = std::function<bool(int socket, short events)>;

  /// Takes the socket over and makes it non-blocking.
  Channel(FileDescriptor socket, Wait wait);

  Transfer send(Message message);
  Transfer receive(Received& received);

 private:
  Transfer receive_header(std::string& bytes, std::vector<FileDescriptor>& files);
  Transfer receive_rest(std::string& out, std::uint64_t bytes);
  void place_body(Received& received, std::string rest);

  FileDescriptor socket_;
  Wait wait_;
  SharedMemory outgoing_;
  Payload incoming_;
};

}  // namespace quantlens::remote
