// SPDX-License-Identifier: Apache-2.0
#include "server/read_bounded.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/file_descriptor.h"

namespace quantlens::server {

std::optional<std::string> read_bounded(int fd, std::uint64_t most, std::uint64_t offset) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::string bytes(std::min(most, size - std::min(size, offset)), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count =
        ::pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

std::optional<std::string> read_bounded(const fs::path& path, std::uint64_t most,
                                        std::uint64_t offset) {
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file.is_open() ? read_bounded(file.get(), most, offset) : std::nullopt;
}

}  // namespace quantlens::server
