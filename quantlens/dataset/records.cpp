// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/records.h"

#include <algorithm>
#include <system_error>

#include <boost/endian/conversion.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include "quantlens/base/crc32c.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr std::size_t kLength = 8, kChecksum = 4, kHead = kLength + kChecksum;

std::uint64_t load_u64(std::string_view bytes) {
  return boost::endian::load_little_u64(reinterpret_cast<const unsigned char*>(bytes.data()));
}

std::uint32_t load_u32(std::string_view bytes) {
  return boost::endian::load_little_u32(reinterpret_cast<const unsigned char*>(bytes.data()));
}

[[noreturn]] void refuse(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

}  // namespace

Records::Records(MappedFile file, std::string where)
    : file_(std::move(file)), where_(std::move(where)) {
  using namespace std::string_view_literals;
  const std::string_view bytes = file_.text();
  if (bytes.starts_with("\x1f\x8b"sv))
    refuse(where_, "is compressed; unpack it with gunzip, or write it without compression");
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view rest = bytes.substr(at);
    const auto cut_off = [&] {
      refuse(where_, fmt::format("ends inside record {}; copy the file again", places_.size()));
    };
    if (rest.size() < kHead && !places_.empty()) cut_off();
    if (!begin_with_record(rest)) {
      refuse(where_,
             places_.empty()
                 ? "is no TFRecord file"
                 : fmt::format("is damaged behind record {}, since what follows is no record; "
                               "copy the file again",
                               places_.size() - 1));
    }
    const std::uint64_t size = load_u64(rest);
    if (size > rest.size() - kHead || rest.size() - kHead - size < kChecksum) cut_off();
    places_.push_back({.begin = at + kHead, .size = size});
    at += kHead + size + kChecksum;
  }
  if (places_.empty()) refuse(where_, "is empty; a TFRecord file has at least one record");
}

std::uint32_t Records::checksum(const Place& place) const {
  return load_u32(file_.text().substr(place.begin + place.size));
}

std::string_view Records::read(std::uint64_t index) const {
  const Place& place = places_.at(index);
  const std::string_view bytes = file_.text().substr(place.begin, place.size);
  if (masked_crc32c(bytes) != checksum(place))
    refuse(name(index), "is damaged: its checksum is another; copy the file again");
  return bytes;
}

std::string Records::name(std::uint64_t index) const {
  return fmt::format("{}, record {}", where_, index);
}

std::string Records::fingerprint() const {
  std::string text;
  for (const Place& place : places_) text += fmt::format("{} {}\n", place.size, checksum(place));
  return sha256_hex(text);
}

std::vector<fs::path> files_of(const fs::path& pattern) {
  std::error_code ignored;
  if (fs::is_regular_file(pattern, ignored)) return {pattern};
  const fs::path folder = pattern.parent_path();
  const std::string wanted = pattern.filename().string();
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path listed = folder.empty() ? fs::path(".") : folder;
  for (fs::directory_iterator entry(listed, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (entry->is_regular_file(ignored) && fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD) == 0) {
      files.push_back(folder / name);
    }
  }
  if (files.empty()) {
    throw Error(Errc::not_found, fmt::format("there is no file '{}'; correct its name, or the "
                                             "pattern (as 'validation-*')",
                                             printable(pattern.string())));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace quantlens
