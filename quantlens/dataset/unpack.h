// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <zip.h>

#include "quantlens/base/store.h"

namespace quantlens {

/// What a .npz file's directory says of one array.
struct NpzMember {
  std::string array;  ///< its file name without ".npy"
  zip_uint64_t index = 0;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  bool is_stored = false;
};

/// A .npz file as libzip has opened it, which is for one thread at a time.
class NpzArchive {
 public:
  /// Throws Errc::bad_input naming `where` for a file that is no sound archive.
  NpzArchive(MappedFile file, std::string_view where);
  ~NpzArchive();
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  zip_t* zip() const { return zip_; }  ///< REQUIRES: the lock is held once there are PackedArrays
  std::size_t file_size() const { return file_size_; }
  std::mutex& mutex() { return mutex_; }
  /// Under the lock: one more needs it beside whoever opened it, or one less. Where the last has
  /// gone, it is closed.
  void acquire() { ++users_; }
  void release();

 private:
  MappedFile file_;
  std::size_t file_size_;
  zip_t* zip_ = nullptr;
  std::size_t users_ = 1;
  std::mutex mutex_;
};

/// A member of a .npz file that is unpacked from its beginning, as far as anybody has asked for.
/// Thread-safe.
class PackedArray {
 public:
  /// Unpacks nothing yet. Throws Errc::bad_input naming `where` for a size that cannot be true.
  PackedArray(std::shared_ptr<NpzArchive> archive, const NpzMember& member, std::string_view where);
  ~PackedArray();
  PackedArray(const PackedArray&) = delete;
  PackedArray& operator=(const PackedArray&) = delete;

  std::size_t size() const { return size_; }          ///< bytes, unpacked
  std::size_t unpacked() const { return unpacked_; }  ///< bytes from the beginning that are there
  /// All its bytes; those that are not there yet must not be read.
  Bytes bytes() const { return {bytes_.get(), size_}; }
  std::shared_ptr<const void> owner() const { return bytes_; }  ///< of the bytes
  /// Unpacks until `count` bytes or all are there. The last ones are there only if the checksum of
  /// all holds. Throws DamagedData, and at every later call that asks for more than is there.
  void unpack(std::size_t count);

 private:
  [[noreturn]] void fail(std::string_view problem);
  void unpack_piece(std::size_t done);

  const std::shared_ptr<NpzArchive> archive_;
  const NpzMember member_;
  const std::string where_;
  const std::size_t size_;
  std::shared_ptr<std::byte[]> bytes_;
  std::atomic<std::size_t> unpacked_ = 0;  // grows under the archive's lock
  zip_file_t* entry_ = nullptr;            // under the archive's lock, like what follows
  std::string problem_;                    // why it goes no further; empty: it does
};

}  // namespace quantlens
