// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/memory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::remote {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kLeastShared = 1U << 20U;
constexpr std::uint64_t kDoubledUpTo = 256U << 20U;
constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

[[noreturn]] void throw_no_memory(std::uint64_t bytes, int error) {
  throw Error(Errc::failed,
              fmt::format("{} of shared memory cannot be had: {}; use a smaller --batch-size, free "
                          "some memory, or run without --isolate",
                          human_bytes(bytes), std::generic_category().message(error)));
}

/// What the system can give without ending processes; without a word of it, no limit.
std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::uint64_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %" SCNu64 " kB", &kilobytes) == 1) {
      return kilobytes * 1024;
    }
  }
  return std::numeric_limits<std::uint64_t>::max();
}

/// What is small is not asked about at every step.
bool is_clearly_too_much(std::uint64_t bytes) {
  constexpr std::uint64_t kSmall = 64U << 20U;
  return bytes > kSmall && bytes > available_memory();
}

/// Room to grow, so that batches which differ a little do not need new memory each time.
std::uint64_t rounded(std::uint64_t bytes) {
  if (bytes <= kDoubledUpTo) return std::max(kLeastShared, std::bit_ceil(bytes));
  return (bytes + kDoubledUpTo - 1) / kDoubledUpTo * kDoubledUpTo;
}

/// A file of this size whose pages are there: otherwise a full memory would end the process when
/// it writes to them. What is clearly too much is not even tried: the system would end any process.
FileDescriptor make_file(std::uint64_t bytes) {
  if (is_clearly_too_much(bytes)) throw_no_memory(bytes, ENOMEM);
  FileDescriptor file(::memfd_create("quantlens", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) throw_no_memory(bytes, errno);
  int failed = 0;
  do {
    failed = ::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes));
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) throw_no_memory(bytes, errno);
  return file;
}

/// Neither its size nor its bytes change from now on.
void seal(const FileDescriptor& file, std::uint64_t bytes) {
  if (::fcntl(file.get(), F_ADD_SEALS, kSizeSeals | F_SEAL_WRITE) != 0) {
    throw_no_memory(bytes, errno);
  }
}

void write_at(const FileDescriptor& file, std::uint64_t offset, Bytes bytes) {
  for (std::uint64_t done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(file.get(), bytes.data() + done, bytes.size() - done,
                                     static_cast<off_t>(offset + done));
    if (written < 0 && errno != EINTR) throw_no_memory(bytes.size(), errno);
    if (written > 0) done += static_cast<std::uint64_t>(written);
  }
}

class Mapping {
 public:
  Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(address_, size_); }

 private:
  void* address_;
  std::size_t size_;
};

}  // namespace

Payload copy_of(const Payload& payload) {
  try {
    if (is_clearly_too_much(payload.bytes.size())) throw std::bad_alloc();
    const std::shared_ptr<std::byte[]> copy =
        std::make_shared_for_overwrite<std::byte[]>(payload.bytes.size());
    std::ranges::copy(payload.bytes, copy.get());
    return {.bytes = {copy.get(), payload.bytes.size()}, .owner = copy};
  } catch (const std::bad_alloc&) {
    throw Error(Errc::failed, fmt::format("there is no memory for an answer of {}; use a smaller "
                                          "--batch-size or a larger machine",
                                          human_bytes(payload.bytes.size())));
  }
}

std::uint64_t Body::add(Bytes bytes) {
  const std::uint64_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
  pieces_.push_back({offset, bytes});
  size_ = offset + bytes.size();
  return offset;
}

std::uint64_t Body::add_owned(std::string bytes) {
  return add(std::as_bytes(std::span(owned_.emplace_back(std::move(bytes)))));
}

void Body::copy_to(std::span<std::byte> out) const {
  std::uint64_t end = 0;
  for (const auto& [offset, bytes] : pieces_) {
    std::ranges::fill(out.subspan(end, offset - end), std::byte{0});
    std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(offset));
    end = offset + bytes.size();
  }
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

bool SharedMemory::reserve(std::uint64_t bytes) {
  if (bytes <= bytes_.size()) return false;
  const std::uint64_t size = rounded(bytes);
  FileDescriptor file = make_file(size);
  if (::fcntl(file.get(), F_ADD_SEALS, kSizeSeals) != 0) throw_no_memory(size, errno);
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) throw_no_memory(size, errno);
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  bytes_ = {static_cast<std::byte*>(address), size};
  file_ = std::move(file);
  return true;
}

namespace {

/// Of a file that has these seals; `how`: MAP_SHARED, or MAP_PRIVATE of what nobody writes to.
Payload mapped(const FileDescriptor& file, int wanted, int how) {
  struct stat info = {};
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (::fstat(file.get(), &info) != 0 || seals < 0 || (seals & wanted) != wanted) {
    throw Error(Errc::bad_input, "what it sends as shared memory is none that stays");
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) throw Error(Errc::bad_input, "its shared memory is empty");
  void* address = ::mmap(nullptr, size, PROT_READ, how, file.get(), 0);
  if (address == MAP_FAILED) throw_no_memory(size, errno);
  return {.bytes = {static_cast<const std::byte*>(address), size},
          .owner = std::make_shared<const Mapping>(address, size)};
}

}  // namespace

Payload map_memory(const FileDescriptor& file) {
  return mapped(file, F_SEAL_SHRINK, MAP_SHARED);
}

Payload map_sealed(const FileDescriptor& file) {
  return mapped(file, F_SEAL_SHRINK | F_SEAL_WRITE, MAP_PRIVATE);
}

FileDescriptor file_of(Bytes bytes) {
  Body body;
  body.add(bytes);
  return file_of(body);
}

FileDescriptor file_of(const Body& body) {
  FileDescriptor file = make_file(body.size());
  for (const auto& [offset, bytes] : body.pieces()) write_at(file, offset, bytes);
  seal(file, body.size());
  return file;
}

SealedFile::SealedFile() : file_(::memfd_create("quantlens", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_.is_open()) throw_no_memory(0, errno);
}

void SealedFile::write(Bytes bytes) {
  if (is_clearly_too_much(bytes.size())) throw_no_memory(bytes.size(), ENOMEM);
  write_at(file_, size_, bytes);
  size_ += bytes.size();
}

FileDescriptor SealedFile::sealed() {
  seal(file_, size_);
  return std::move(file_);
}

}  // namespace quantlens::remote
