// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/code_points.h"

#include <algorithm>
#include <array>
#include <span>

namespace quantlens {
namespace {

struct CodePoints {
  char32_t first;
  char32_t last;
};

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

}  // namespace

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

bool is_unprintable(char32_t c) {
  return contains(kUnprintable, c);
}

std::size_t columns_of(char32_t c) {
  if (contains(kZeroWidth, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

}  // namespace quantlens
