// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/bash_line.h"

#include <algorithm>
#include <string_view>

namespace quantlens::cli {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kSplitting = "=:";
constexpr std::string_view kOperators = "<>|&;()";

bool consists_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

struct Unquoted {
  std::string text;
  char quote = '\0';
};

/// What a backslash takes away the meaning of between double quotes.
bool is_escaped_in_double_quotes(char letter) {
  return std::string_view("$`\"\\").find(letter) != std::string_view::npos;
}

Unquoted unquoted(std::string_view raw) {
  Unquoted plain;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char letter = raw[i];
    const bool has_next = i + 1 < raw.size();
    if (letter == '\\' && plain.quote != '\'') {
      if (!has_next) break;
      if (plain.quote == '"' && !is_escaped_in_double_quotes(raw[i + 1])) plain.text += letter;
      plain.text += raw[++i];
    } else if (letter == plain.quote) {
      plain.quote = '\0';
    } else if (plain.quote == '\0' && (letter == '\'' || letter == '"')) {
      plain.quote = letter;
    } else {
      plain.text += letter;
    }
  }
  return plain;
}

struct RawWord {
  std::string text;
  std::size_t last_piece = 0;  ///< where it begins
};

/// Pieces that touch each other in the line are one word.
std::vector<RawWord> joined(std::string_view line, const std::vector<std::string>& pieces) {
  const bool is_known = !line.empty();
  std::vector<RawWord> words;
  bool may_touch = false;
  for (const std::string& piece : pieces) {
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
    std::string_view rest = line.substr(begin);
    std::string_view seen = piece;
    const bool is_cut = is_known && &piece == &pieces.back() && piece.starts_with(rest);
    if (is_cut) seen = seen.substr(0, rest.size());  // the cursor is inside
    const bool is_found = rest.starts_with(seen);
    if (is_found) rest.remove_prefix(seen.size());
    const bool is_operator = consists_of(seen, kOperators);
    if (may_touch && is_found && begin == 0 && !seen.empty() && !is_operator) {
      words.back().last_piece = words.back().text.size();
      words.back().text += seen;
    } else {
      words.push_back({.text = std::string(seen)});
    }
    may_touch = is_found && !is_operator;
    if (is_found) line = rest;
  }
  return words;
}

}  // namespace

BashLine read_bash_line(const std::string& line, const std::vector<std::string>& pieces) {
  BashLine read;
  const std::vector<RawWord> words = joined(line, pieces);
  for (const RawWord& word : words) {
    Unquoted plain = unquoted(word.text);
    read.words.push_back(std::move(plain.text));
    read.quote = plain.quote;
  }
  if (words.empty()) return read;
  const auto& [text, last_piece] = words.back();
  const bool ends_in_splitting =
      last_piece > 0 && consists_of(std::string_view(text).substr(last_piece), kSplitting);
  read.kept = ends_in_splitting ? unquoted(text).text
                                : unquoted(std::string_view(text).substr(0, last_piece)).text;
  return read;
}

std::string quoted_for_bash(const std::string& text, char quote) {
  std::string quoted;
  for (const char letter : text) {
    if (quote == '"' && letter == '!') return {};  // history is expanded there in any case
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') || (letter & '\x80') != 0 ||
                          std::string_view("-_./=:@%+,").find(letter) != std::string_view::npos;
    if (quote == '\'' && letter == '\'') {
      quoted += "'\\''";
    } else {
      const bool needs_backslash =
          quote == '"' ? is_escaped_in_double_quotes(letter) : quote == '\0' && !is_plain;
      if (needs_backslash) quoted += '\\';
      quoted += letter;
    }
  }
  return quoted;
}

}  // namespace quantlens::cli
