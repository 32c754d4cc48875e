// Messages of protocol buffers: their fields one after the other, over bytes that stay where they
// are. What the numbers mean stands with each format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "quantlens/base/store.h"

namespace quantlens::protobuf {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, as in files");

// Field number and wire type in one, for `switch`: a known number with another wire type is an
// unknown field, as everywhere in protobuf.
constexpr std::uint32_t varint_key(std::uint32_t number) {
  return number << 3U;
}
constexpr std::uint32_t fixed64_key(std::uint32_t number) {
  return number << 3U | 1U;
}
constexpr std::uint32_t bytes_key(std::uint32_t number) {
  return number << 3U | 2U;
}
constexpr std::uint32_t fixed32_key(std::uint32_t number) {
  return number << 3U | 5U;
}

/// One field of a message.
struct Field {
  std::uint32_t key = 0;     ///< number and wire type
  std::string_view whole;    ///< tag, length and contents, as they are in the file
  std::string_view payload;  ///< contents of a length-delimited field
  std::uint64_t bits = 0;    ///< value of any other
  std::uint32_t number() const { return key >> 3U; }
  std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  float real() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
};

/// The fields of a message, in order. Throws protozero::exception where the bytes are no message.
class Fields {
 public:
  explicit Fields(std::string_view message) : reader_(message.data(), message.size()) {}
  bool next(Field& field) {
    const char* const begin = reader_.data().data();
    if (!reader_.next()) return false;
    field = {};
    field.key = reader_.tag_and_type();
    switch (reader_.wire_type()) {
      case protozero::pbf_wire_type::varint:
        field.bits = reader_.get_uint64();
        break;
      case protozero::pbf_wire_type::fixed64:
        field.bits = reader_.get_fixed64();
        break;
      case protozero::pbf_wire_type::fixed32:
        field.bits = reader_.get_fixed32();
        break;
      default: {
        const protozero::data_view view = reader_.get_view();
        field.payload = {view.data(), view.size()};
      }
    }
    field.whole = {begin, static_cast<std::size_t>(reader_.data().data() - begin)};
    return true;
  }

 private:
  protozero::pbf_reader reader_;
};

/// Adds the numbers of one occurrence of a repeated varint field, packed or not.
template <class T>
void append_varints(const Field& field, std::vector<T>& out) {
  if (field.key == varint_key(field.number())) {
    out.push_back(static_cast<T>(field.bits));
    return;
  }
  const char* at = field.payload.data();
  const char* const end = at + field.payload.size();
  while (at != end) out.push_back(static_cast<T>(protozero::decode_varint(&at, end)));
}

/// Adds the bytes of one occurrence of a repeated fixed-width field, packed or not.
inline void append_fixed(const Field& field, std::vector<std::byte>& out) {
  std::string_view bytes = field.payload;
  if (field.key == fixed32_key(field.number())) bytes = field.whole.substr(field.whole.size() - 4);
  if (field.key == fixed64_key(field.number())) bytes = field.whole.substr(field.whole.size() - 8);
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  out.insert(out.end(), data, data + bytes.size());
}

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace quantlens::protobuf
