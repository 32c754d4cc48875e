// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/cursor.h"

#include <array>
#include <cstddef>

namespace quantlens::imports {
namespace {

constexpr std::array<bool, 256> table_of(std::string_view characters, bool controls) {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = controls;
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr auto kSpace = table_of(" \t\r\n", false);
constexpr auto kEndsString = table_of("\"\\", true);
constexpr auto kEndsWord = table_of(" \t\r\n,:]}[{\"", false);
constexpr auto kNests = table_of("[]{}\"", false);

bool is_in(const std::array<bool, 256>& table, char c) {
  return table[static_cast<unsigned char>(c)];
}

}  // namespace

char Cursor::peek() {
  while (at_ < end_ && is_in(kSpace, *at_)) ++at_;
  return at_ < end_ ? *at_ : '\0';
}

bool Cursor::eat(char wanted) {
  if (peek() != wanted || at_ >= end_) return false;
  ++at_;
  return true;
}

std::optional<std::string_view> Cursor::string() {
  if (!eat('"')) return std::nullopt;
  const char* begin = at_;
  for (;;) {
    while (at_ < end_ && !is_in(kEndsString, *at_)) ++at_;
    if (at_ >= end_) return std::nullopt;
    if (*at_ == '"') {
      const std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
      ++at_;
      return text;
    }
    if (*at_ != '\\') return std::nullopt;
    if (end_ - at_ < 2) {
      at_ = end_;
      return std::nullopt;
    }
    at_ += 2;
  }
}

std::optional<std::string_view> Cursor::word() {
  const char* begin = at_;
  while (at_ < end_ && !is_in(kEndsWord, *at_)) ++at_;
  if (at_ >= end_ || at_ == begin) return std::nullopt;
  return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
}

std::optional<std::string_view> Cursor::nested() {
  const char* begin = at_;
  std::size_t depth = 0;
  for (;;) {
    while (at_ < end_ && !is_in(kNests, *at_)) ++at_;
    if (at_ >= end_) return std::nullopt;
    if (*at_ == '"') {
      if (!string()) return std::nullopt;
      continue;
    }
    const bool opens = *at_ == '[' || *at_ == '{';
    ++at_;
    if (opens) {
      ++depth;
    } else if (--depth == 0) {
      return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
    }
  }
}

std::optional<std::string_view> Cursor::value() {
  switch (peek()) {
    case '"':
      return string();
    case '[':
    case '{':
      return nested();
    default:
      return word();
  }
}

}  // namespace quantlens::imports
