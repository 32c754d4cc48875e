// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/percent_encoding.h"

namespace quantlens {

bool is_plain_in_addresses(char c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return kPlain.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string coded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain_in_addresses(c) || also_plain.find(c) != std::string_view::npos)
      coded += c;
    else
      coded.append({'%', kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return coded;
}

}  // namespace quantlens
