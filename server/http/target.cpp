// SPDX-License-Identifier: Apache-2.0
#include "server/http/target.h"

#include "quantlens/base/text.h"
#include "server/control.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostQueries = 64;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// `is_form`: a plus is a space there.
std::optional<std::string> decoded(std::string_view text, bool is_form) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && is_form) {
      c = ' ';
    }
    if (c == '\0' || (!is_form && is_control(c))) return std::nullopt;
    plain += c;
  }
  if (valid_utf8(plain) != plain) return std::nullopt;
  return plain;
}

/// Calls take(part) for each part between the marks; false as soon as that is.
template <class Take>
bool each_part(std::string_view text, char mark, const Take& take) {
  for (;;) {
    const std::size_t end = text.find(mark);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::string> normalised(std::string_view path) {
  std::string result;
  const bool is_inside = each_part(path.substr(1), '/', [&](std::string_view segment) {
    if (segment == "..") return false;
    if (!segment.empty() && segment != ".") result.append("/").append(segment);
    return true;
  });
  if (!is_inside) return std::nullopt;
  if (result.empty() || path.ends_with('/')) result += '/';
  return result;
}

std::optional<Pairs> parse_query(std::string_view text) {
  Pairs query;
  const bool is_sound = each_part(text, '&', [&](std::string_view part) {
    if (part.empty()) return true;
    const std::size_t sign = part.find('=');
    auto name = decoded(part.substr(0, sign), true);
    auto value = decoded(sign == std::string_view::npos ? "" : part.substr(sign + 1), true);
    if (!name || !value || query.size() == kMostQueries) return false;
    query.emplace_back(*std::move(name), *std::move(value));
    return true;
  });
  return is_sound ? std::optional(std::move(query)) : std::nullopt;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/') || text.find('#') != std::string_view::npos) return std::nullopt;
  const std::size_t mark = text.find('?');
  const auto plain = decoded(text.substr(0, mark), false);
  if (!plain) return std::nullopt;
  auto path = normalised(*plain);
  auto query = mark == std::string_view::npos ? Pairs() : parse_query(text.substr(mark + 1));
  if (!path || !query) return std::nullopt;
  return Target{.path = *std::move(path), .query = *std::move(query)};
}

}  // namespace quantlens::server
