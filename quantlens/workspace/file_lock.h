// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "quantlens/base/store.h"

namespace quantlens {

/// An advisory lock (flock) on a file. The system releases it when the holder ends, however it
/// ends.
class FileLock {
 public:
  enum class State {
    free,
    held,
    unknown,  ///< the file system keeps no locks, or the file may not be read
  };

  /// Takes the lock, making the file where it is absent; nothing where another holds it. Where the
  /// file system keeps no locks the result excludes nobody. Throws Errc::io.
  static std::optional<FileLock> take(const fs::path& file);

  /// Whether somebody holds it now; never waits. An absent file is free.
  static State state(const fs::path& file);

  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace quantlens
