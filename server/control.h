// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace quantlens::server {

/// What no line of text has.
inline bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7F;
}

inline bool has_control(std::string_view text) {
  return std::ranges::any_of(text, is_control);
}

}  // namespace quantlens::server
