// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quantlens {

// What records with bytes of their own have in common beside stats/bytes.h.

/// What the bytes of a kind of record begin with.
struct RecordMagic {
  std::string_view text;      ///< 8 bytes; the last two show a transfer that changed line ends
  std::uint32_t version = 0;  ///< that is written, and the newest that is read; a u32 behind `text`
  std::string_view what;      ///< "passes", for sentences
};

void append_magic(const RecordMagic& magic, std::string& out);

/// Drops it from the front of `in` and gives the version. Throws Errc::bad_input where it is not
/// there, and Errc::unsupported for a newer version.
std::uint32_t take_magic(const RecordMagic& magic, std::string_view& in);

/// The version of a record with bytes of its own, whichever it is; nothing where they end before.
std::optional<std::uint32_t> version_of_bytes(std::string_view bytes);

/// Bytes of another form inside a record: their length as u64, then themselves.
void append_chunk(std::string_view bytes, std::string& out);

/// The next such bytes, dropped from the front of `in`. Throws Errc::bad_input where they end
/// early.
std::string_view take_chunk(std::string_view& in);

}  // namespace quantlens
