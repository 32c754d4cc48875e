// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/workload_id.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

namespace quantlens {
namespace {

constexpr std::size_t kMostNameLetters = 40;

std::tm utc(Moment moment) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(moment));
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// ASCII letters, digits, '.', '_' and '-'; runs of anything else become one '-'.
std::string file_safe(std::string_view text, std::string_view fallback) {
  std::string safe;
  for (const char c : text) {
    const bool plain = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-';
    if (safe.size() == kMostNameLetters) break;
    if (plain) {
      safe += c;
    } else if (!safe.empty() && safe.back() != '-') {
      safe += '-';
    }
  }
  const std::size_t first = safe.find_first_not_of("-.");
  if (first == std::string::npos) return std::string(fallback);
  const std::size_t last = safe.find_last_not_of("-.");
  return safe.substr(first, last - first + 1);
}

}  // namespace

std::string utc_text(Moment moment) {
  const std::tm parts = utc(moment);
  const auto since_second = moment - std::chrono::floor<std::chrono::seconds>(moment);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_second).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms);
}

std::string make_workload_id(Moment moment, std::string_view verb, std::string_view name,
                             std::uint16_t random) {
  const std::tm parts = utc(moment);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}-{}-{}-{:04x}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     file_safe(verb, "run"), file_safe(name, "model"), random);
}

std::string time_of_workload_id(std::string_view id) {
  constexpr std::string_view kForm = "00000000-000000-";
  if (id.size() < kForm.size()) return {};
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? id[i] != '-' : !is_digit(id[i])) return {};
  }
  return fmt::format("{}-{}-{}T{}:{}:{}Z", id.substr(0, 4), id.substr(4, 2), id.substr(6, 2),
                     id.substr(9, 2), id.substr(11, 2), id.substr(13, 2));
}

}  // namespace quantlens
