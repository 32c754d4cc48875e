// SPDX-License-Identifier: Apache-2.0
#include "server/private_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/file_descriptor.h"
#include "server/part_file.h"
#include "server/read_bounded.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

}  // namespace

void write_private(const fs::path& path, std::string_view bytes) {
  PartFile file(path);
  file.write(bytes);
  file.place();  // not synced, which takes longer than all else of a start: it is made anew
}

std::optional<std::string> read_private(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ELOOP || errno == EACCES) return std::nullopt;
    fail_on(path, "read");
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) fail_on(path, "read");
  const bool is_ours = S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
                       (info.st_mode & 077) == 0 &&
                       static_cast<std::size_t>(info.st_size) <= kMostBytes;
  if (!is_ours) return std::nullopt;
  auto bytes = read_bounded(file.get(), kMostBytes);
  if (!bytes) fail_on(path, "read");
  return bytes;
}

}  // namespace quantlens::server
