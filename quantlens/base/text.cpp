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

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr std::size_t kLongestWord = 256;  // bounds the work on hostile names

struct CodePoints {
  char32_t first;
  char32_t last;
};

/// Controls, and the invisible marks that reorder or break the text around them; the joiners that
/// some scripts need are not among them.
constexpr CodePoints kUnprintable[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x061C, 0x061C},   {0x180E, 0x180E},
    {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0xFDD0, 0xFDEF},
    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}, {0xF0000, 0x10FFFF}};

/// Marks drawn over the character before them.
constexpr CodePoints kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
    {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

/// East Asian wide and full-width characters, and pictures.
constexpr CodePoints kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x25FD, 0x25FE},   {0x2E80, 0x303E},   {0x3041, 0x3247},   {0x3250, 0x4DBF},
    {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

bool contains(std::span<const CodePoints> ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](CodePoints r) { return r.first <= c && c <= r.last; });
}

/// Removes the first code point from `rest`; nothing, and one byte removed, where it is not UTF-8.
/// REQUIRES: `rest` is not empty.
std::optional<char32_t> take_code_point(std::string_view& rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned lead = byte(0);
  std::size_t length = 1;
  if (lead >= 0x80)
    length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  bool valid = length != 0 && length <= rest.size();
  char32_t c = length <= 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0U) == 0x80U;
    c = (c << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (valid) valid = c >= kLeast[length] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
  rest.remove_prefix(valid ? length : 1);
  return valid ? std::optional(c) : std::nullopt;
}

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
    if (c && !contains(kUnprintable, *c)) {
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
  while (!text.empty()) {
    const char32_t c = take_code_point(text).value_or(U'?');
    if (contains(kZeroWidth, c)) continue;
    width += contains(kWide, c) ? 2 : 1;
  }
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
