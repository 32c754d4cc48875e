// SPDX-License-Identifier: Apache-2.0
#include "server/gate/host.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace quantlens::server {
namespace {

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// "[::1]" without its brackets.
std::string without_brackets(const std::string& name) {
  return name.starts_with('[') ? name.substr(1, name.size() - 2) : name;
}

}  // namespace

std::optional<std::string> host_name(std::string_view host) {
  std::size_t end = host.find(':');
  if (host.starts_with('[')) {
    const std::size_t bracket = host.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    end = bracket + 1 == host.size() ? std::string_view::npos : bracket + 1;
    if (end != std::string_view::npos && host[end] != ':') return std::nullopt;
  }
  if (end != std::string_view::npos && !is_port(host.substr(end + 1))) return std::nullopt;
  std::string name = lower(host.substr(0, end));
  const std::string inner = without_brackets(name);
  const bool is_address = inner.size() != name.size();
  const bool is_sound = !inner.empty() && std::ranges::all_of(inner, [&](char c) {
    return is_address ? c == ':' || c == '.' || is_name_character(c) : is_name_character(c);
  });
  return is_sound ? std::optional(std::move(name)) : std::nullopt;
}

bool is_own_host(const Request& request, const std::vector<std::string>& names,
                 std::string_view local_address) {
  const auto host = header_of(request, "host");
  const auto name = host ? host_name(*host) : std::nullopt;
  if (!name) return false;
  if (without_brackets(*name) == local_address) return true;
  const bool is_this_machine = local_address.starts_with("127.") || local_address == "::1";
  if (*name == "localhost" && is_this_machine) return true;
  return std::ranges::find(names, *name) != names.end();
}

bool is_same_origin(const Request& request, bool is_secure) {
  const auto site = header_of(request, "sec-fetch-site");
  // none: the user typed the address or opened a bookmark.
  if (site && *site != "same-origin" && *site != "none") return false;
  const auto origin = header_of(request, "origin");
  if (!origin) return true;
  const auto host = header_of(request, "host");
  return host &&
         lower(*origin) == fmt::format("{}://{}", is_secure ? "https" : "http", lower(*host));
}

}  // namespace quantlens::server
