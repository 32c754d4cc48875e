// SPDX-License-Identifier: Apache-2.0
#include "server/api/body.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

/// The first key that was asked with and that nothing reads.
std::optional<std::string> unread_key(const json::Value& asked, const json::Value& read) {
  if (asked.is_object() && read.is_object()) {
    for (const auto& member : asked.get_object()) {
      const json::Value* known = read.get_object().if_contains(member.key());
      if (known == nullptr) return std::string(member.key());
      if (auto inside = unread_key(member.value(), *known)) return inside;
    }
  }
  if (asked.is_array() && read.is_array()) {
    for (std::size_t i = 0; i < asked.get_array().size() && i < read.get_array().size(); ++i) {
      if (auto inside = unread_key(asked.get_array()[i], read.get_array()[i])) return inside;
    }
  }
  return std::nullopt;
}

/// A text of JSON: what it means, and where it ends behind `at`, its first quotation mark.
std::string take_text(std::string_view json, std::size_t& at) {
  const std::size_t begin = at++;
  while (json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  ++at;
  return std::string(json::parse(json.substr(begin, at - begin), kBody).as_string());
}

/// REQUIRES: it is sound JSON.
std::optional<std::string> repeated_key(std::string_view json) {
  std::vector<std::set<std::string>> keys;  // of what is open; none of lists
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      std::string text = take_text(json, at);
      const std::size_t next = json.find_first_not_of(" \t\r\n", at);
      const bool is_key = next != json.npos && json[next] == ':';
      if (is_key && !keys.back().insert(text).second) return text;
      continue;
    }
    if (json[at] == '{' || json[at] == '[') keys.emplace_back();
    if (json[at] == '}' || json[at] == ']') keys.pop_back();
    ++at;
  }
  return std::nullopt;
}

}  // namespace

json::Value json_of(const Request& request) {
  json::Value value = json::parse(request.body, kBody);
  if (const auto key = repeated_key(request.body))
    throw Error(Errc::usage, fmt::format("{}: says '{}' twice; say it once", kBody, shown(*key)));
  return value;
}

void check_all_is_read(const json::Value& asked, const json::Value& read) {
  if (const auto key = unread_key(asked, read))
    throw Error(Errc::usage, fmt::format("{}: nothing reads its key '{}'", kBody, shown(*key)));
}

}  // namespace quantlens::server
