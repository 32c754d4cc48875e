// SPDX-License-Identifier: Apache-2.0
#include "server/private_file.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

[[noreturn]] void fail(const fs::path& path, std::string_view verb) {
  const int error = errno;
  throw Error(Errc::io,
              fmt::format("{}: cannot {}: {}; check the folder or choose another one "
                          "with --workspace",
                          printable(path.string()), verb, std::generic_category().message(error)));
}

/// A file that is removed unless it got its final name.
class PartFile {
 public:
  explicit PartFile(const fs::path& path) : path_(path), name_(path.string() + ".partXXXXXX") {
    fd_ = ::mkostemp(name_.data(), O_CLOEXEC);  // made with 0600
    if (fd_ < 0) fail(path_, "write");
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!is_placed_) ::unlink(name_.c_str());
  }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, "write");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void place() {
    // Not synced, which takes longer than all else of a start: what a power cut takes is made anew.
    if (::close(std::exchange(fd_, -1)) != 0) fail(path_, "write");
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "write");
    is_placed_ = true;
  }

 private:
  fs::path path_;
  std::string name_;
  int fd_ = -1;
  bool is_placed_ = false;
};

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

void write_private(const fs::path& path, std::string_view bytes) {
  PartFile file(path);
  file.write(bytes);
  file.place();
}

std::optional<std::string> read_private(const fs::path& path) {
  const OpenFile file(path);
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ELOOP || errno == EACCES) return std::nullopt;
    fail(path, "read");
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) fail(path, "read");
  const bool is_ours = S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
                       (info.st_mode & 077) == 0 &&
                       static_cast<std::size_t>(info.st_size) <= kMostBytes;
  if (!is_ours) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "read");
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace quantlens::server
