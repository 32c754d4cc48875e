// SPDX-License-Identifier: Apache-2.0
#include "server/api/body.h"

#include <optional>
#include <string>

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

}  // namespace

void check_all_is_read(const json::Value& asked, const json::Value& read) {
  if (const auto key = unread_key(asked, read))
    throw Error(Errc::usage, fmt::format("{}: nothing reads its key '{}'", kBody, shown(*key)));
}

}  // namespace quantlens::server
