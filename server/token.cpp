// SPDX-License-Identifier: Apache-2.0
#include "server/token.h"

#include <array>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "quantlens/base/error.h"

namespace quantlens::server {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// Whether the text begins with `Bearer `, in any case.
bool is_bearer(std::string_view text) {
  constexpr std::string_view kScheme = "bearer ";
  if (text.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return false;
  }
  return true;
}

std::optional<std::string_view> cookie_of(std::string_view cookies, std::string_view name) {
  for (;;) {
    const std::size_t end = cookies.find(';');
    const std::string_view one = trimmed(cookies.substr(0, end));
    const std::size_t sign = one.find('=');
    if (sign != std::string_view::npos && one.substr(0, sign) == name) return one.substr(sign + 1);
    if (end == std::string_view::npos) return std::nullopt;
    cookies.remove_prefix(end + 1);
  }
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(Errc::failed, "no random numbers for a token; check /dev/urandom");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_same_secret(std::string_view given, std::string_view expected) {
  return !expected.empty() && given.size() == expected.size() &&
         CRYPTO_memcmp(given.data(), expected.data(), expected.size()) == 0;
}

std::optional<std::string_view> shown_secret(const Request& request, std::string_view cookie) {
  if (const auto shown = header_of(request, "authorization")) {
    const std::string_view text = trimmed(*shown);
    return is_bearer(text) ? trimmed(text.substr(7)) : text;
  }
  for (const auto& [name, value] : request.headers) {
    if (name != "cookie") continue;
    if (const auto found = cookie_of(value, cookie)) return found;
  }
  return std::nullopt;
}

}  // namespace quantlens::server
