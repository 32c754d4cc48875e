// SPDX-License-Identifier: Apache-2.0
#include "server/private_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/text.h"
#include "server/part_file.h"
#include "server/read_bounded.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

[[noreturn]] void fail(const fs::path& path) {
  const int error = errno;
  throw Error(Errc::io,
              fmt::format("{}: cannot read: {}; check the folder or choose another one "
                          "with --workspace",
                          printable(path.string()), std::generic_category().message(error)));
}

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
    fail(path);
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) fail(path);
  const bool is_ours = S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
                       (info.st_mode & 077) == 0 &&
                       static_cast<std::size_t>(info.st_size) <= kMostBytes;
  if (!is_ours) return std::nullopt;
  auto bytes = read_bounded(file.get(), kMostBytes);
  if (!bytes) fail(path);
  return bytes;
}

}  // namespace quantlens::server
