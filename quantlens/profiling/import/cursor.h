// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace quantlens::imports {

/// Walks over the JSON in a buffer without recursion or copies. Each step gives nothing where the
/// buffer ends (`wants_more`) or the text is no JSON; what is skipped is not checked in full.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  const char* at() const { return at_; }
  bool wants_more() const { return at_ >= end_; }
  /// Steps over white space and this character.
  bool eat(char wanted);
  /// The next character after white space, which stays; 0 at the end.
  char peek();
  /// Between its quotes, escapes kept. A line's end inside is an error.
  std::optional<std::string_view> string();
  /// Any value: of a string what is between its quotes, of the others all of it.
  std::optional<std::string_view> value();

 private:
  std::optional<std::string_view> nested();
  std::optional<std::string_view> word();

  const char* at_;
  const char* end_;
};

}  // namespace quantlens::imports
