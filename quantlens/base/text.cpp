// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "quantlens/base/code_points.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr std::size_t kLongestWord = 256;  // bounds the work on hostile names

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string exact_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);  // shortest; exponent below 1e-4 and from 1e16
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string table_number(double value) {
  std::string text = exact_number(value);
  if (!std::isfinite(value)) return text;
  if (text.find('e') != std::string::npos) return fmt::format("{:.5e}", value);
  text = fmt::format("{:.5f}", value);
  const std::size_t last_digit = text.find_last_not_of('0');
  text.resize(text[last_digit] == '.' ? last_digit + 2 : last_digit + 1);
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 6> kUnits = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double amount = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (amount >= 999.95 && unit + 1 < kUnits.size()) {  // 999.95 would show as 1000.0
    amount /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> names,
                                       std::size_t count) {
  struct Candidate {
    std::size_t distance;
    std::size_t index;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  const std::size_t farthest = word.size() / 2;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t longer = std::max(word.size(), names[i].size());
    const std::size_t shorter = std::min(word.size(), names[i].size());
    if (longer > kLongestWord || longer - shorter > farthest) continue;
    const std::size_t distance = edit_distance(word, names[i]);
    if (distance <= farthest) candidates.push_back({distance, i});
  }
  std::ranges::sort(candidates);
  candidates.resize(std::min(count, candidates.size()));
  std::vector<std::string> nearest;
  nearest.reserve(candidates.size());
  for (const Candidate& candidate : candidates) nearest.push_back(names[candidate.index]);
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : nearest_names(word, names)) {
    text += fmt::format("{}'{}'", text.empty() ? "did you mean " : ", ", printable(name));
  }
  return text.empty() ? text : text + "?";
}

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const std::optional<char32_t> c = take_code_point(text);
    if (c && !is_unprintable(*c)) {
      safe += before.substr(0, before.size() - text.size());
    } else {
      safe += '?';
    }
  }
  return safe;
}

std::string valid_utf8(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return std::string(text);
  }
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const bool good = take_code_point(text).has_value();
    valid += good ? before.substr(0, before.size() - text.size()) : "\xEF\xBF\xBD";
  }
  return valid;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += columns_of(take_code_point(text).value_or(U'?'));
  return width;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error(Errc::failed, "SHA-256 is not available in this OpenSSL; check its configuration");
  }
  std::string text;
  for (unsigned i = 0; i < size; ++i) fmt::format_to(std::back_inserter(text), "{:02x}", digest[i]);
  return text;
}

}  // namespace quantlens
