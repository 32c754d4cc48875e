// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/store.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/text.h"
#include "quantlens/base/written_file.h"

namespace quantlens {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr int kMostNames = 1000;  // unfinished files of one name and process

std::string shown(const fs::path& path) {
  return printable(path.string());
}

std::string_view next_step(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "change the permissions or choose another place";
    case ENOENT:
    case ENOTDIR:
      return "check that the folder exists";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files with ulimit -n";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ELOOP:
      return "name a file that is no such link";
    default:
      return "check the path and the disk";
  }
}

/// "/x/y.onnx: cannot write: No space left on device; free some space ..."
[[noreturn]] void throw_io(const fs::path& path, std::string_view verb, int error) {
  throw Error(Errc::io, fmt::format("{}: cannot {}: {}; {}", shown(path), verb,
                                    std::generic_category().message(error), next_step(error)));
}

/// Makes a rename in the folder survive a power cut.
void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) {
    if (errno == EACCES) return;  // a folder one may write but not read
    throw_io(folder, "open the folder", errno);
  }
  // Some network file systems do not sync folders and say so by EINVAL.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) throw_io(folder, "sync the folder", errno);
}

void write_all(const FileDescriptor& fd, Bytes bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_io(path, "write", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

class DiskWriter final : public FileWriter {
 public:
  explicit DiskWriter(const fs::path& path) : path_(path), fd_(open_part()) {
    buffer_.reserve(kBufferBytes);
  }

  DiskWriter(const DiskWriter&) = delete;
  DiskWriter& operator=(const DiskWriter&) = delete;

  ~DiskWriter() override {
    if (!renamed_) ::unlink(part_.c_str());
  }

  void write(Bytes bytes) override {
    if (buffer_.size() + bytes.size() <= kBufferBytes) {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
      return;
    }
    flush();
    if (bytes.size() < kBufferBytes) {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    } else {
      write_all(fd_, bytes, path_);
    }
  }

  void commit() override {
    flush();
    if (::fsync(fd_.get()) != 0 || !fd_.close()) throw_io(path_, "write", errno);
    if (::rename(part_.c_str(), path_.c_str()) != 0) throw_io(path_, "write", errno);
    renamed_ = true;
    sync_folder(path_);
  }

 private:
  /// Opens the first free name of `<path>.part<pid>`, `<path>.part<pid>-1`, ... for writing.
  /// A name that exists belongs to another thread or to a process that died; it is never followed.
  int open_part() {
    const std::string base = fmt::format("{}.part{}", path_.string(), ::getpid());
    for (int i = 0; i < kMostNames; ++i) {
      part_ = i == 0 ? base : fmt::format("{}-{}", base, i);
      const int fd = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      if (errno != EEXIST) break;
    }
    throw_io(path_, "write", errno);
  }

  void flush() {
    write_all(fd_, buffer_, path_);
    buffer_.clear();
  }

  fs::path path_;
  std::string part_;
  FileDescriptor fd_;
  std::vector<std::byte> buffer_;
  bool renamed_ = false;
};

}  // namespace

MappedFile MappedFile::open(const fs::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw Error(Errc::not_found, fmt::format("{}: no such file; check the path", shown(path)));
    }
    throw_io(path, "read", errno);
  }
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) throw_io(path, "read", errno);
  if (!S_ISREG(info.st_mode)) {
    throw Error(Errc::io, fmt::format("{}: cannot read: {}; name a regular file", shown(path),
                                      S_ISDIR(info.st_mode) ? "it is a folder" : "it is no file"));
  }
  MappedFile file;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return file;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) throw_io(path, "read", errno);
  file.owner_ = std::shared_ptr<const void>(
      address, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  file.bytes_ = {static_cast<const std::byte*>(address), size};
  return file;
}

MappedFile MappedFile::from_bytes(std::string bytes) {
  MappedFile file;
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  file.bytes_ = std::as_bytes(std::span(*owner));
  file.owner_ = owner;
  return file;
}

MappedFile DiskStore::read(const fs::path& path) const {
  return MappedFile::open(path);
}

std::unique_ptr<FileWriter> DiskStore::create(const fs::path& path) {
  struct stat info = {};
  // The rename would replace a device such as /dev/null.
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    throw Error(Errc::io,
                fmt::format("{}: cannot write: {}; choose another name", shown(path),
                            S_ISDIR(info.st_mode) ? "it is a folder" : "it is no regular file"));
  }
  return std::make_unique<DiskWriter>(written_file(path));
}

void DiskStore::append(const fs::path& path, std::string_view text) {
  const FileDescriptor fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd.is_open()) throw_io(path, "write", errno);
  write_all(fd, std::as_bytes(std::span(text)), path);
}

std::vector<std::string> DiskStore::list(const fs::path& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  while (!error && entry != fs::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error) throw_io(folder, "list the folder", error.value());
  std::ranges::sort(names);
  return names;
}

void DiskStore::make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_io(folder, "make the folder", error.value());
}

void DiskStore::remove(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw_io(path, "remove", error.value());
}

void write_atomic(Store& store, const fs::path& path, std::string_view bytes) {
  const std::unique_ptr<FileWriter> writer = store.create(path);
  writer->write(std::as_bytes(std::span(bytes)));
  writer->commit();
}

}  // namespace quantlens
