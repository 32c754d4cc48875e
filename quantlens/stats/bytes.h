// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {

// The small words that accumulators' bytes are made of (docs/metrics.md, "Bytes"): fixed-width
// little-endian numbers, and varints (LEB128: 7 bits a byte, least first). Every `take_` reads from
// the front of `in`, drops what it read, and throws Errc::bad_input where the bytes end too early.

void append_u8(std::string& out, std::uint8_t value);
void append_u32(std::string& out, std::uint32_t value);
void append_u64(std::string& out, std::uint64_t value);
void append_varint(std::string& out, std::uint64_t value);
void append_float(std::string& out, float value);
void append_double(std::string& out, double value);
void append_name(std::string& out, std::string_view name);  ///< its length as u32, its bytes

std::uint8_t take_u8(std::string_view& in);
std::uint32_t take_u32(std::string_view& in);
std::uint64_t take_u64(std::string_view& in);
std::uint64_t take_varint(std::string_view& in);  ///< refuses all but the shortest form
float take_float(std::string_view& in);
double take_double(std::string_view& in);
std::string take_name(std::string_view& in);

/// A varint that says how many items of at least `item_bytes` follow; refused where `in` cannot
/// hold them, so that nothing is allocated for a count that lies.
std::size_t take_count(std::string_view& in, std::size_t item_bytes);

/// Throws Errc::bad_input: these statistics are damaged, because `what`.
[[noreturn]] void refuse_bytes(std::string_view what);

/// What `read` gives; an Error out of it names `where` the bytes are from.
template <class Read>
auto naming(std::string_view where, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace quantlens
