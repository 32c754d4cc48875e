// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/npz.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

constexpr std::uint64_t kMostMembers = 100'000;
constexpr std::uint64_t kBestDeflate = 1032;  // deflate never packs more bytes into one

[[noreturn]] void fail(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

/// What the archive's directory says of one array.
struct Member {
  std::string array;  ///< its file name without ".npy"
  zip_uint64_t index = 0;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  bool is_stored = false;
};

/// REQUIRES: `bytes` outlives the archive.
Archive open_archive(Bytes bytes, std::string_view where) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive != nullptr) return Archive(archive);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  zip_source_free(source);
  fail(where,
       fmt::format("not a sound .npz file: {}; write it again with numpy.savez", printable(why)));
}

std::vector<Member> list_members(zip_t* archive, std::string_view where) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) > kMostMembers) {
    fail(where, fmt::format("has more than {} arrays; split it", kMostMembers));
  }
  std::vector<Member> members;
  std::set<std::string> seen;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t entry;
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive, i, 0, &entry) != 0 || (entry.valid & kNeeded) != kNeeded) {
      fail(where, fmt::format("the entry {} of its directory is damaged; write it again", i));
    }
    std::string name = entry.name;
    if (!name.ends_with(".npy")) continue;  // NumPy ignores these as well
    name.resize(name.size() - 4);
    if (!seen.insert(name).second) {
      fail(where, fmt::format("holds the array '{}' twice; write it again", printable(name)));
    }
    if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE) {
      fail(where, fmt::format("the array '{}' is encrypted; write it again without a password",
                              printable(name)));
    }
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
      fail(where, fmt::format("the array '{}' is packed in a way that NumPy does not use; write it "
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

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t{1} << 40U;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

/// A directory may claim any size; nothing is allocated before it is plausible.
void check_size(const Member& member, std::size_t file_size, std::string_view where) {
  if (member.packed_size > file_size || member.size / kBestDeflate > member.packed_size) {
    fail(where,
         fmt::format("the array '{}' claims {} in a file that cannot hold it; write it again",
                     printable(member.array), human_bytes(member.size)));
  }
  if (member.size > physical_memory() / 2) {
    fail(where, fmt::format("the array '{}' unpacks to {}, more than half of this machine's "
                            "memory; save it with numpy.savez, which needs none",
                            printable(member.array), human_bytes(member.size)));
  }
}

MappedFile unpack(zip_t* archive, const Member& member, std::size_t file_size,
                  std::string_view where) {
  check_size(member, file_size, where);
  const std::unique_ptr<zip_file_t, CloseMember> entry(zip_fopen_index(archive, member.index, 0));
  if (entry == nullptr) {
    fail(where, fmt::format("the array '{}' cannot be unpacked: {}; write it again",
                            printable(member.array), printable(zip_strerror(archive))));
  }
  std::string bytes(member.size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const zip_int64_t got = zip_fread(entry.get(), bytes.data() + done, bytes.size() - done);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  char beyond = 0;  // the checksum is compared at the end
  if (done != bytes.size() || zip_fread(entry.get(), &beyond, 1) != 0) {
    fail(where, fmt::format("the array '{}' is damaged or cut short; write it again",
                            printable(member.array)));
  }
  return MappedFile::from_bytes(std::move(bytes));
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

  std::optional<Bytes> find(const Member& member) const {
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

Tensor read_member(const MappedFile& file, zip_t* archive, const Member& member,
                   const StoredMembers& stored, std::string_view where) {
  const std::string array_where = fmt::format("{}: array '{}'", where, member.array);
  const std::optional<Bytes> bytes = member.is_stored ? stored.find(member) : std::nullopt;
  if (bytes) {
    const NpyHeader header = read_npy_header(*bytes, array_where);
    const std::optional<std::int64_t> count = element_count(header.shape);
    const Bytes elements = bytes->subspan(std::min(header.data_offset, bytes->size()));
    const std::size_t element = byte_size(header.dtype);
    if (!header.fortran_order && count &&
        elements.size() / element >= static_cast<std::size_t>(*count)) {
      const std::size_t used = static_cast<std::size_t>(*count) * element;
      return Tensor(header.dtype, header.shape, elements.first(used), file.owner());
    }
  }
  return read_npy(unpack(archive, member, file.bytes().size(), where), array_where);
}

}  // namespace

std::unique_ptr<Dataset> open_npz(const MappedFile& file, const ArrayRoles& roles,
                                  const std::vector<InputSpec>& inputs, std::string_view where) {
  const Archive archive = open_archive(file.bytes(), where);
  const std::vector<Member> members = list_members(archive.get(), where);
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const Member& member : members) names.push_back(member.array);
  const ArrayRoles found = find_roles(names, roles, inputs, where);

  std::set<std::string> wanted;  // the others are left packed
  for (const auto& [input, array] : found.inputs) wanted.insert(array);
  if (found.label) wanted.insert(*found.label);
  const StoredMembers stored(file.bytes());
  TensorMap arrays;
  for (const Member& member : members) {
    if (!wanted.contains(member.array)) continue;
    arrays[member.array] = read_member(file, archive.get(), member, stored, where);
  }
  return make_array_dataset(arrays, found, inputs, where);
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
