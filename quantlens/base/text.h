// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

/// A number as the predecessors' tables show it: 5 decimals with trailing zeros dropped, or
/// `%.5e` where the shortest form has an exponent (0.0, 0.0003, 15.47852, 9.98525e-05).
std::string table_number(double value);

/// Shortest text that reads back as the same double, with a decimal point or exponent ("1.0",
/// "2.5e-07"); "nan", "inf", "-inf". Never depends on the locale.
std::string exact_number(double value);

/// "76.4 MB", "2.1 GB"; decimal units.
std::string human_bytes(std::uint64_t bytes);

/// The `count` names closest to `word` by edit distance, best first; those further away than half
/// of the word's length are left out.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> names,
                                       std::size_t count = 3);

/// "did you mean 'a', 'b'?" or an empty string where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

/// Text safe to print on a terminal or put in a message: control characters and invalid UTF-8
/// become '?'. Names come from files and are hostile.
std::string printable(std::string_view text);

/// The text with every invalid byte replaced by U+FFFD, as JSON and HTML demand.
std::string valid_utf8(std::string_view text);

/// Columns that `text` takes on a terminal (UTF-8 aware; wide East Asian characters count two).
std::size_t display_width(std::string_view text);

/// Lower-case hexadecimal SHA-256 of the bytes (used to tell models apart).
std::string sha256_hex(std::string_view bytes);

}  // namespace quantlens
