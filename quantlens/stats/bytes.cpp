// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/bytes.h"

#include <bit>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {

namespace {

template <class Word>
void append_word(std::string& out, Word value) {
  for (unsigned byte = 0; byte < sizeof(Word); ++byte) {
    out.push_back(static_cast<char>((value >> (8 * byte)) & 0xff));
  }
}

template <class Word>
Word take_word(std::string_view& in) {
  if (in.size() < sizeof(Word)) refuse_bytes("they end too early");
  Word value = 0;
  for (unsigned byte = 0; byte < sizeof(Word); ++byte) {
    const auto digit = static_cast<std::uint8_t>(in[byte]);
    value = static_cast<Word>(value | (static_cast<Word>(digit) << (8 * byte)));
  }
  in.remove_prefix(sizeof(Word));
  return value;
}

}  // namespace

void append_u8(std::string& out, std::uint8_t value) {
  out.push_back(static_cast<char>(value));
}
void append_u32(std::string& out, std::uint32_t value) {
  append_word(out, value);
}
void append_u64(std::string& out, std::uint64_t value) {
  append_word(out, value);
}

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_float(std::string& out, float value) {
  append_u32(out, std::bit_cast<std::uint32_t>(value));
}

void append_double(std::string& out, double value) {
  append_u64(out, std::bit_cast<std::uint64_t>(value));
}

std::uint8_t take_u8(std::string_view& in) {
  if (in.empty()) refuse_bytes("they end too early");
  const auto value = static_cast<std::uint8_t>(in.front());
  in.remove_prefix(1);
  return value;
}

std::uint32_t take_u32(std::string_view& in) {
  return take_word<std::uint32_t>(in);
}
std::uint64_t take_u64(std::string_view& in) {
  return take_word<std::uint64_t>(in);
}

std::uint64_t take_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = take_u8(in);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift > 0) refuse_bytes("a number is longer than it need be");
      if (shift == 63 && byte > 1) refuse_bytes("a number is too large");
      return value;
    }
  }
  refuse_bytes("a number is too large");
}

float take_float(std::string_view& in) {
  return std::bit_cast<float>(take_u32(in));
}
double take_double(std::string_view& in) {
  return std::bit_cast<double>(take_u64(in));
}

void append_name(std::string& out, std::string_view name) {
  append_u32(out, static_cast<std::uint32_t>(name.size()));
  out += name;
}

std::string take_name(std::string_view& in) {
  const std::uint32_t length = take_u32(in);
  if (length > in.size()) refuse_bytes("a name ends too early");
  std::string name(in.substr(0, length));
  in.remove_prefix(length);
  return name;
}

std::size_t take_count(std::string_view& in, std::size_t item_bytes) {
  const std::uint64_t count = take_varint(in);
  if (count > in.size() / item_bytes) refuse_bytes("they announce more than they hold");
  return static_cast<std::size_t>(count);
}

void refuse_bytes(std::string_view what) {
  throw Error(
      Errc::bad_input,
      fmt::format("the bytes of these statistics are damaged: {}; gather them again", what));
}

}  // namespace quantlens
