// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace quantlens {

/// A file that is closed with this.
class FileDescriptor {
 public:
  FileDescriptor() = default;  ///< none
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// The caller closes it from now on.
  int release() { return std::exchange(fd_, -1); }
  /// False with errno where the system lost data on closing.
  bool close() { return fd_ < 0 || ::close(release()) == 0 || errno == EINTR; }

 private:
  int fd_ = -1;
};

}  // namespace quantlens
