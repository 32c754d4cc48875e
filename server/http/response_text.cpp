// SPDX-License-Identifier: Apache-2.0
#include "server/http/response_text.h"

#include <algorithm>
#include <array>

#include <boost/beast/http/status.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace quantlens::server {
namespace {

/// No inline script, nothing from elsewhere, in nobody's frame. What is not sent is as meant: no
/// CORS header, so no other site reads an answer.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAlways = {{
    {"Content-Security-Policy",
     "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
     "form-action 'self'; frame-ancestors 'none'"},
    {"X-Frame-Options", "DENY"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
}};

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) c = ' ';
  }
  return line;
}

bool is_equal_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return (x | 0x20) == (y | 0x20);  // of letters and hyphens
  });
}

bool has(const Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers,
                             [&](const auto& one) { return is_equal_name(one.first, name); });
}

std::string_view reason(unsigned status) {
  const auto text = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  return {text.data(), text.size()};
}

}  // namespace

std::string head_text(const Response& response, const HeadOptions& options) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(one_line(name)).append(": ").append(one_line(value)).append("\r\n");
  };
  add("Date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                          fmt::gmtime(std::chrono::system_clock::to_time_t(options.now))));
  for (const auto& [name, value] : kAlways) {
    if (!has(response, name)) add(name, value);
  }
  if (options.is_api && !has(response, "Cache-Control")) add("Cache-Control", "no-store");
  if (response.events) {
    add("Content-Type", "text/event-stream");
    add("X-Accel-Buffering", "no");  // a proxy passes each event on at once
  } else {
    const auto bytes = bytes_of(response);
    if (bytes && !response.type.empty()) add("Content-Type", response.type);
    const bool has_length = response.status != 204 && response.status != 304;
    if (has_length) add("Content-Length", std::to_string(bytes ? bytes->size() : 0));
  }
  for (const auto& [name, value] : response.headers) add(name, value);
  add("Connection", options.keep_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

}  // namespace quantlens::server
