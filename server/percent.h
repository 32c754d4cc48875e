// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens::server {

/// Whether it may stand in addresses and names of files as it is.
inline bool is_plain(char c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return kPlain.find(c) != std::string_view::npos;
}

/// All other bytes as RFC 3986 has them: %2F.
inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string coded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c))
      coded += c;
    else
      coded.append({'%', kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return coded;
}

}  // namespace quantlens::server
