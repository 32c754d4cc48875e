// Shared memory of the worker pipe: files without a name (memfd), so that nothing is left behind
// however a process ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/store.h"

namespace quantlens::remote {

/// Bytes and what keeps them alive.
struct Payload {
  Bytes bytes;
  std::shared_ptr<const void> owner;
};

/// The same bytes where nobody else can change them.
/// Throws Errc::failed where there is not as much memory.
Payload copy_of(const Payload& payload);

/// A body under construction: pieces at multiples of 64 bytes, zeros between them.
class Body {
 public:
  /// Gives where the piece begins. REQUIRES: the bytes outlive this.
  std::uint64_t add(Bytes bytes);
  std::uint64_t add_owned(std::string bytes);
  std::uint64_t size() const { return size_; }
  /// REQUIRES: out.size() == size().
  void copy_to(std::span<std::byte> out) const;

  struct Piece {
    std::uint64_t offset;
    Bytes bytes;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
  std::deque<std::string> owned_;
  std::uint64_t size_ = 0;
};

/// The shared memory that one side writes and the other reads. Its size is sealed: who reads it
/// cannot be cut off. Where more is needed, new memory takes its place.
class SharedMemory {
 public:
  SharedMemory() = default;  ///< of size 0
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Room for at least `bytes`, really there; true where the memory is new. Throws Errc::failed
  /// with the system's reason.
  bool reserve(std::uint64_t bytes);
  std::span<std::byte> bytes() const { return bytes_; }
  int file() const { return file_.get(); }

 private:
  FileDescriptor file_;
  std::span<std::byte> bytes_;
};

/// The other side's memory as this one reads it. Throws Errc::bad_input where it is none, or its
/// size is not sealed; Errc::failed where the system does not map it.
Payload map_memory(const FileDescriptor& file);

/// Sealed memory: it stays as it is, even for who made it. Throws as SharedMemory::reserve.
FileDescriptor file_of(Bytes bytes);
FileDescriptor file_of(const Body& body);

/// The same, of bytes that come one after the other. Throws as SharedMemory::reserve.
class SealedFile {
 public:
  SealedFile();
  void write(Bytes bytes);
  std::uint64_t size() const { return size_; }
  FileDescriptor sealed();  ///< at the end; leaves none

 private:
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

/// The other side's sealed memory, without a copy. Throws as map_memory, and where it is not sealed
/// against writing.
Payload map_sealed(const FileDescriptor& file);

}  // namespace quantlens::remote
