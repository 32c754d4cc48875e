// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/workload_id.h"

#include <algorithm>
#include <array>
#include <chrono>
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

std::optional<double> seconds_of_utc(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  constexpr double kMilliseconds = 1000;
  std::array<int, 6> parts{};
  std::size_t part = 0, at = 0;
  for (; at < kForm.size() && at < text.size(); ++at) {
    if (kForm[at] != '0' && text[at] == kForm[at])
      ++part;
    else if (kForm[at] == '0' && is_digit(text[at]))
      parts.at(part) = parts.at(part) * 10 + (text[at] - '0');
    else
      return std::nullopt;
  }
  if (at != kForm.size()) return std::nullopt;
  const auto [year, month, day, hour, minute, second] = parts;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const std::chrono::sys_seconds moment = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                                          std::chrono::minutes(minute) +
                                          std::chrono::seconds(second);
  const std::string_view rest = text.substr(at);
  double fraction = 0;
  if (rest.size() == 5 && rest[0] == '.' && is_digit(rest[1]) && is_digit(rest[2]) &&
      is_digit(rest[3]))
    fraction = ((rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0')) / kMilliseconds;
  else if (rest != "Z")
    return std::nullopt;
  return static_cast<double>(moment.time_since_epoch().count()) + fraction;
}

}  // namespace quantlens
