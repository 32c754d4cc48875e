// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/file_lock.h"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

// A reader that asks for the state holds a shared lock for microseconds; that is waited out.
constexpr int kTries = 50;
constexpr std::chrono::milliseconds kPause(2);

int open_retrying(const fs::path& file, int flags) {
  int fd = -1;
  do {
    fd = ::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

int flock_retrying(int fd, int operation) {
  int result = -1;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

std::optional<FileLock> FileLock::take(const fs::path& file) {
  const int fd = open_retrying(file, O_RDWR | O_CREAT);
  if (fd < 0) {
    throw Error(Errc::io,
                fmt::format("{}: cannot lock: {}; check the folder's permissions and the "
                            "disk, or choose another folder with --workspace",
                            printable(file.string()), std::generic_category().message(errno)));
  }
  FileLock lock(fd);
  for (int i = 0; i < kTries; ++i) {
    if (flock_retrying(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
    std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

FileLock::State FileLock::state(const fs::path& file) {
  const int fd = open_retrying(file, O_RDONLY);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR ? State::free : State::unknown;
  const FileLock closes(fd);
  if (flock_retrying(fd, LOCK_SH | LOCK_NB) == 0) return State::free;
  return errno == EWOULDBLOCK ? State::held : State::unknown;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace quantlens
