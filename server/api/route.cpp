// SPDX-License-Identifier: Apache-2.0
#include "server/api/route.h"

#include <algorithm>

namespace quantlens::server {
namespace {

/// The first part of a path, which it loses.
std::string_view take_part(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

bool is_name(std::string_view part) {
  return part.starts_with('{') && part.ends_with('}');
}

}  // namespace

std::optional<std::vector<std::string_view>> match(std::string_view route, std::string_view path) {
  std::vector<std::string_view> values;
  while (!route.empty() && !path.empty()) {
    const std::string_view asked = take_part(route);
    const std::string_view part = take_part(path);
    if (part.empty() || (!is_name(asked) && asked != part)) return std::nullopt;
    if (is_name(asked)) values.push_back(part);
  }
  if (!route.empty() || !path.empty()) return std::nullopt;
  return values;
}

bool has_method(const Route& route, std::string_view method) {
  if (method == "HEAD") method = "GET";
  std::string_view rest = route.methods;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    if (one == method) return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return false;
}

std::vector<std::string_view> names_in(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::string_view part = take_part(path);
    if (is_name(part)) names.push_back(part.substr(1, part.size() - 2));
  }
  return names;
}

}  // namespace quantlens::server
