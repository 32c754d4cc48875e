// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/words.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// Goes over a command line character by character and knows what a quotation says.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  struct Char {
    char value = 0;
    bool is_literal = false;  ///< quoted, so that a blank or a comma is one of the word
    bool is_mark = false;     ///< a quotation begins or ends: no character, but there is a word
  };

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t place() const { return at_; }
  bool is_open() const { return quote_ != 0; }

  /// REQUIRES: !at_end().
  Char next() {
    const char c = text_[at_++];
    if (quote_ == 0 && (c == '\'' || c == '"')) {
      quote_ = c;
      return {.value = c, .is_literal = false, .is_mark = true};
    }
    if (quote_ != 0 && c == quote_) {
      quote_ = 0;
      return {.value = c, .is_literal = false, .is_mark = true};
    }
    if (c == '\\' && !at_end() && escapes(text_[at_])) {
      return {.value = text_[at_++], .is_literal = true, .is_mark = false};
    }
    return {.value = c, .is_literal = quote_ != 0, .is_mark = false};
  }

 private:
  bool escapes(char next) const {
    if (quote_ == '"') return std::string_view("\"\\$`").find(next) != std::string_view::npos;
    return quote_ == 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = 0;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  Reader reader(text);
  while (!reader.at_end()) {
    const Reader::Char c = reader.next();
    if (!c.is_mark && !c.is_literal && is_blank(c.value)) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (!c.is_mark) words.back() += c.value;
  }
  if (reader.is_open()) {
    throw Error(Errc::usage,
                fmt::format("--metric: a quotation in '{}' has no end; close it", printable(text)));
  }
  return words;
}

std::size_t before_comma(std::string_view text) {
  Reader reader(text);
  while (!reader.at_end()) {
    const std::size_t place = reader.place();
    const Reader::Char c = reader.next();
    if (c.value == ',' && !c.is_literal && !c.is_mark) return place;
  }
  return text.size();
}

}  // namespace quantlens
