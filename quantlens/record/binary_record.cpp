// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/binary_record.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/bytes.h"

namespace quantlens {

void append_magic(const RecordMagic& magic, std::string& out) {
  out += magic.text;
  append_u32(out, magic.version);
}

std::uint32_t take_magic(const RecordMagic& magic, std::string_view& in) {
  if (!in.starts_with(magic.text)) {
    refuse_bytes(fmt::format("they do not begin as those of {}", magic.what));
  }
  in.remove_prefix(magic.text.size());
  const std::uint32_t version = take_u32(in);
  if (version > magic.version) {
    throw Error(Errc::unsupported,
                fmt::format("these {} are of version {}, and this quantlens reads up to {}",
                            magic.what, version, magic.version));
  }
  return version;
}

std::optional<std::uint32_t> version_of_bytes(std::string_view bytes) {
  constexpr std::size_t kTextBytes = 8;
  if (bytes.size() < kTextBytes + sizeof(std::uint32_t)) return std::nullopt;
  bytes.remove_prefix(kTextBytes);
  return take_u32(bytes);
}

void append_chunk(std::string_view bytes, std::string& out) {
  append_u64(out, bytes.size());
  out += bytes;
}

std::string_view take_chunk(std::string_view& in) {
  const std::uint64_t size = take_u64(in);
  if (size > in.size()) refuse_bytes("they end too early");
  const std::string_view chunk = in.substr(0, size);
  in.remove_prefix(size);
  return chunk;
}

}  // namespace quantlens
