// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/unpack.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/dataset.h"

namespace quantlens {
namespace {

constexpr std::uint64_t kBestDeflate = 1032;            // deflate never packs more bytes into one
constexpr std::size_t kPiece = std::size_t{64} << 10U;  // some 0.3 ms, for which others wait

[[noreturn]] void fail_opening(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t{1} << 40U;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

/// A directory may claim any size; nothing is allocated before it is plausible.
std::size_t plausible_size(const NpzMember& member, std::size_t file_size, std::string_view where) {
  if (member.packed_size > file_size || member.size / kBestDeflate > member.packed_size) {
    fail_opening(where,
                 fmt::format("the array '{}' claims {} in a file that cannot hold it; write it "
                             "again",
                             printable(member.array), human_bytes(member.size)));
  }
  if (member.size > physical_memory() / 2) {
    fail_opening(where,
                 fmt::format("the array '{}' unpacks to {}, more than half of this machine's "
                             "memory; save it with numpy.savez, which needs none",
                             printable(member.array), human_bytes(member.size)));
  }
  return member.size;
}

}  // namespace

NpzArchive::NpzArchive(MappedFile file, std::string_view where)
    : file_(std::move(file)), file_size_(file_.bytes().size()) {
  zip_error_t error;
  zip_error_init(&error);
  const Bytes bytes = file_.bytes();
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) zip_ = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip_ != nullptr) return;
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  zip_source_free(source);
  fail_opening(where, fmt::format("not a sound .npz file: {}; write it again with numpy.savez",
                                  printable(why)));
}

NpzArchive::~NpzArchive() {
  if (zip_ != nullptr) zip_discard(zip_);
}

void NpzArchive::release() {
  if (--users_ > 0) return;
  zip_discard(std::exchange(zip_, nullptr));
  file_ = MappedFile();  // its pages count as ours
}

PackedArray::PackedArray(std::shared_ptr<NpzArchive> archive, const NpzMember& member,
                         std::string_view where)
    : archive_(std::move(archive)),
      member_(member),
      where_(where),
      size_(plausible_size(member, archive_->file_size(), where)),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(size_)) {
  const std::lock_guard lock(archive_->mutex());
  archive_->acquire();
}

PackedArray::~PackedArray() {
  if (entry_ != nullptr) zip_fclose(entry_);
}

void PackedArray::unpack(std::size_t count) {
  const std::size_t wanted = std::min(count, size_);
  while (unpacked_.load(std::memory_order_acquire) < wanted) {
    const std::lock_guard lock(archive_->mutex());
    const std::size_t done = unpacked_.load(std::memory_order_relaxed);
    if (done < wanted) unpack_piece(done);
  }
}

void PackedArray::unpack_piece(std::size_t done) {
  if (!problem_.empty()) fail(problem_);
  if (entry_ == nullptr) entry_ = zip_fopen_index(archive_->zip(), member_.index, 0);
  if (entry_ == nullptr) {
    fail(fmt::format("cannot be unpacked: {}; write it again",
                     printable(zip_strerror(archive_->zip()))));
  }
  const zip_int64_t got = zip_fread(entry_, bytes_.get() + done, std::min(kPiece, size_ - done));
  if (got > 0) done += static_cast<std::size_t>(got);
  std::byte beyond{};  // the checksum is compared at the end
  if (got <= 0 || (done == size_ && zip_fread(entry_, &beyond, 1) != 0)) {
    fail("is damaged or cut short; write it again");
  }
  if (done == size_) {
    zip_fclose(std::exchange(entry_, nullptr));
    archive_->release();
  }
  unpacked_.store(done, std::memory_order_release);
}

void PackedArray::fail(std::string_view problem) {
  const std::string kept(problem);  // may be a view of what is set here
  problem_ = kept;
  throw DamagedData(Errc::bad_input, fmt::format("{}: the array '{}' {}", printable(where_),
                                                 printable(member_.array), kept));
}

}  // namespace quantlens
