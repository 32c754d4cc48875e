// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace quantlens {

/// Removes the first code point from `rest`; nothing, and one byte removed, where it is not UTF-8.
/// REQUIRES: `rest` is not empty.
std::optional<char32_t> take_code_point(std::string_view& rest);

/// Controls, and the invisible marks that reorder or break the text around them; the joiners that
/// some scripts need are not among them.
bool is_unprintable(char32_t c);

/// On a terminal: 0, 1 or 2.
std::size_t columns_of(char32_t c);

}  // namespace quantlens
