// SPDX-License-Identifier: Apache-2.0
#include "server/part_file.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::server {
void fail_on(const fs::path& path, std::string_view verb) {
  const int error = errno;
  throw Error(Errc::io,
              fmt::format("{}: cannot {}: {}; check the folder or choose another one with "
                          "--workspace",
                          printable(path.string()), verb, std::generic_category().message(error)));
}

PartFile::PartFile(const fs::path& path) : path_(path), name_(path.string() + ".partXXXXXX") {
  file_ = FileDescriptor(::mkostemp(name_.data(), O_CLOEXEC));  // made with 0600
  if (!file_.is_open()) fail_on(path_, "write");
}

PartFile::~PartFile() {
  if (!is_placed_) ::unlink(name_.c_str());
}

void PartFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_on(path_, "write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
}

void PartFile::sync() {
  if (::fdatasync(file_.get()) != 0) fail_on(path_, "write");
}

void PartFile::place() {
  if (!file_.close()) fail_on(path_, "write");
  if (::rename(name_.c_str(), path_.c_str()) != 0) fail_on(path_, "write");
  is_placed_ = true;
}

}  // namespace quantlens::server
