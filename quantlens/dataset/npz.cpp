// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/npz.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <zip.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/unpack.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

constexpr std::uint64_t kMostMembers = 100'000;

[[noreturn]] void fail_in_npz(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

std::vector<NpzMember> list_members(zip_t* archive, std::string_view where) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) > kMostMembers) {
    fail_in_npz(where, fmt::format("has more than {} arrays; split it", kMostMembers));
  }
  std::vector<NpzMember> members;
  std::set<std::string> seen;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t entry;
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive, i, 0, &entry) != 0 || (entry.valid & kNeeded) != kNeeded) {
      fail_in_npz(where,
                  fmt::format("the entry {} of its directory is damaged; write it again", i));
    }
    std::string name = entry.name;
    if (!name.ends_with(".npy")) continue;  // NumPy ignores these as well
    name.resize(name.size() - 4);
    if (!seen.insert(name).second) {
      fail_in_npz(where,
                  fmt::format("holds the array '{}' twice; write it again", printable(name)));
    }
    if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE) {
      fail_in_npz(where,
                  fmt::format("the array '{}' is encrypted; write it again without a password",
                              printable(name)));
    }
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
      fail_in_npz(where,
                  fmt::format("the array '{}' is packed in a way that NumPy does not use; write it "
                              "again with numpy.savez",
                              printable(name)));
    }
    members.push_back({.array = name,
                       .index = i,
                       .size = entry.size,
                       .packed_size = entry.comp_size,
                       .is_stored = entry.comp_method == ZIP_CM_STORE});
  }
  return members;
}

std::uint64_t little_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = (value << 8U) | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}

/// Where the bytes of stored members lie. libzip does not tell, so this follows the chain of local
/// headers from the file's beginning, as NumPy writes them, and stops at anything unusual: what it
/// does not find is unpacked by libzip instead. The checksum of a view is not compared: that would
/// read the whole file before the first sample.
class StoredMembers {
 public:
  explicit StoredMembers(Bytes file) {
    constexpr std::size_t kHeader = 30;
    std::size_t at = 0;
    while (file.size() - at >= kHeader && little_endian(file, at, 4) == 0x04034b50) {
      const std::uint64_t flags = little_endian(file, at + 6, 2);
      const std::uint64_t method = little_endian(file, at + 8, 2);
      std::uint64_t packed = little_endian(file, at + 18, 4);
      const std::size_t name_size = little_endian(file, at + 26, 2);
      const std::size_t extra_size = little_endian(file, at + 28, 2);
      constexpr std::uint64_t kSizesFollow = 8;  // and are not in this header
      if ((flags & kSizesFollow) != 0 || file.size() - at - kHeader < name_size + extra_size) break;
      const Bytes name = file.subspan(at + kHeader, name_size);
      if (packed == 0xFFFFFFFF) {
        packed = large_size(file.subspan(at + kHeader + name_size, extra_size));
      }
      at += kHeader + name_size + extra_size;
      if (packed > file.size() - at) break;
      const std::string key(reinterpret_cast<const char*>(name.data()), name.size());
      if (method == 0) found_.emplace(key, file.subspan(at, packed));
      at += packed;
    }
  }

  std::optional<Bytes> find(const NpzMember& member) const {
    const auto it = found_.find(member.array + ".npy");
    if (it == found_.end() || it->second.size() != member.size) return std::nullopt;
    return it->second;
  }

 private:
  /// The packed size in the ZIP64 field of a header's extra fields; a size no file has where
  /// there is none.
  static std::uint64_t large_size(Bytes extra) {
    while (extra.size() >= 4) {
      const std::uint64_t id = little_endian(extra, 0, 2);
      const std::uint64_t size = little_endian(extra, 2, 2);
      if (size > extra.size() - 4) break;
      if (id == 1 && size >= 16) return little_endian(extra, 4 + 8, 8);
      extra = extra.subspan(4 + size);
    }
    return UINT64_MAX;
  }

  std::map<std::string, Bytes> found_;
};

/// An array whose rows are unpacked one after the other.
struct PackedRows {
  std::shared_ptr<PackedArray> array;
  std::size_t begin = 0;  ///< of the first row, in bytes
  std::size_t row_bytes = 0;
  std::uint64_t rows = 0;

  /// Bytes of the array that must be there for a row; for the last one all, and so the checksum.
  std::size_t end_of(std::uint64_t row) const {
    return row + 1 >= rows ? array->size() : begin + (row + 1) * row_bytes;
  }
};

/// Rows of arrays of which some are packed. They are unpacked when they are asked for, or ahead.
class PackedDataset final : public Dataset {
 public:
  PackedDataset(std::unique_ptr<Dataset> rows, std::vector<PackedRows> packed)
      : rows_(std::move(rows)), packed_(std::move(packed)) {}

  std::uint64_t size() const override { return rows_->size(); }
  std::string name(std::uint64_t index) const override { return rows_->name(index); }
  bool has_labels() const override { return rows_->has_labels(); }

  Sample read(std::uint64_t index) const override {
    if (index < size()) {
      for (const PackedRows& each : packed_) each.array->unpack(each.end_of(index));
    }
    return rows_->read(index);
  }

  void check_whole() const override {
    for (const PackedRows& each : packed_) each.array->unpack(each.array->size());
  }

  /// From now on a thread of its own unpacks what will be asked for.
  void unpack_ahead() {
    try {
      ahead_ = std::jthread([this](const std::stop_token& stop) { run_ahead(stop); });
    } catch (const std::system_error&) {
      return;  // no thread is to be had: whoever reads unpacks
    }
  }

 private:
  void run_ahead(const std::stop_token& stop) const {
    constexpr std::size_t kPiece = std::size_t{64} << 10U;  // then it looks whether to stop
    try {
      for (std::uint64_t row = 0; row < size(); ++row) {
        for (const PackedRows& each : packed_) {
          PackedArray& array = *each.array;
          while (array.unpacked() < each.end_of(row)) {
            if (stop.stop_requested()) return;
            array.unpack(std::min(array.unpacked() + kPiece, each.end_of(row)));
          }
        }
      }
    } catch (const DamagedData&) {
      return;  // whoever asks for the row meets it again, and tells it
    }
  }

  std::unique_ptr<Dataset> rows_;
  std::vector<PackedRows> packed_;
  std::jthread ahead_;  // last, so that it ends before what it uses goes
};

/// The wanted arrays of a file.
struct Arrays {
  TensorMap tensors;
  std::vector<PackedRows> packed;  ///< those whose tensors are not filled yet
};

/// Unpacks the header, and all where rows do not lie one behind the other.
void add_packed(const std::shared_ptr<NpzArchive>& archive, const NpzMember& member, Arrays& to,
                std::string_view where) {
  const std::string array_where = fmt::format("{}: array '{}'", where, member.array);
  const auto array = std::make_shared<PackedArray>(archive, member, where);
  array->unpack(kMostNpyHeaderBytes);
  const NpyHeader header = read_npy_header(array->bytes(), array_where);
  const bool has_rows =
      !header.fortran_order && !header.shape.empty() && element_count(header.shape).value_or(0) > 0;
  if (!has_rows) array->unpack(array->size());
  const Tensor tensor = read_npy(array->bytes(), array->owner(), array_where);
  to.tensors[member.array] = tensor;
  if (array->unpacked() == array->size()) return;
  const auto rows = static_cast<std::uint64_t>(header.shape.front());
  to.packed.push_back({.array = array,
                       .begin = header.data_offset,
                       .row_bytes = tensor.bytes().size() / static_cast<std::size_t>(rows),
                       .rows = rows});
}

/// False where the member must be unpacked.
bool add_viewed(const MappedFile& file, const NpzMember& member, const StoredMembers& stored,
                Arrays& to, std::string_view where) {
  const std::optional<Bytes> bytes = member.is_stored ? stored.find(member) : std::nullopt;
  if (!bytes) return false;
  const NpyHeader header =
      read_npy_header(*bytes, fmt::format("{}: array '{}'", where, member.array));
  const std::optional<std::int64_t> count = element_count(header.shape);
  const Bytes elements = bytes->subspan(std::min(header.data_offset, bytes->size()));
  const std::size_t element = byte_size(header.dtype);
  if (header.fortran_order || !count ||
      elements.size() / element < static_cast<std::size_t>(*count)) {
    return false;
  }
  const std::size_t used = static_cast<std::size_t>(*count) * element;
  to.tensors[member.array] = Tensor(header.dtype, header.shape, elements.first(used), file.owner());
  return true;
}

}  // namespace

std::unique_ptr<Dataset> open_npz(const MappedFile& file, const ArrayRoles& roles,
                                  const std::vector<InputSpec>& inputs, const NpzReading& reading) {
  const std::string_view where = reading.where;
  const auto archive = std::make_shared<NpzArchive>(file, where);
  const std::vector<NpzMember> members = list_members(archive->zip(), where);
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const NpzMember& member : members) names.push_back(member.array);
  const ArrayRoles found = find_roles(names, roles, inputs, where);

  std::set<std::string> wanted;  // the others are left packed
  for (const auto& [input, array] : found.inputs) wanted.insert(array);
  if (found.label) wanted.insert(*found.label);
  const StoredMembers stored(file.bytes());
  Arrays arrays;
  for (const NpzMember& member : members) {
    if (!wanted.contains(member.array)) continue;
    if (!add_viewed(file, member, stored, arrays, where))
      add_packed(archive, member, arrays, where);
  }
  {
    const std::lock_guard lock(archive->mutex());
    archive->release();
  }
  std::unique_ptr<Dataset> rows = make_array_dataset(arrays.tensors, found, inputs, where);
  if (arrays.packed.empty()) return rows;
  auto dataset = std::make_unique<PackedDataset>(std::move(rows), std::move(arrays.packed));
  if (reading.unpack_ahead) {
    dataset->unpack_ahead();
  } else {
    dataset->check_whole();
  }
  return dataset;
}

std::unique_ptr<Dataset> open_npy(const NpyFiles& files, const std::vector<InputSpec>& inputs,
                                  const std::string& input) {
  TensorMap arrays;
  ArrayRoles roles;
  arrays["samples"] = read_npy(files.samples, files.where);
  roles.inputs[input] = "samples";
  if (files.labels) {
    arrays["labels"] = read_npy(*files.labels, files.labels_where);
    roles.label = "labels";
  }
  return make_array_dataset(arrays, roles, inputs, files.where);
}

}  // namespace quantlens
