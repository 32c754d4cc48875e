// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/markdown_prose.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr std::size_t kLeastFence = 3;  // of a block
constexpr std::string_view kCodeMargin = "  ";

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// An underscore inside a word means nothing.
std::string without_marks(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*[]<>|~&#$";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside_word =
        i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (kMarks.find(text[i]) != std::string_view::npos || (text[i] == '_' && !inside_word)) {
      safe += '\\';
    }
    safe += text[i];
  }
  return safe;
}

std::string without_mentions(std::string_view text) {
  constexpr std::string_view kNothing = "<!-- -->";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    safe += text[i];
    const std::string_view rest = text.substr(i);
    if (text[i] == '@' || rest.starts_with("://")) safe += kNothing;
    const std::string_view four = rest.substr(0, 4);
    if (four.size() == 4 && four[3] == '.' &&
        (four.starts_with("www") || four.starts_with("WWW"))) {
      safe += text.substr(i + 1, 2);
      safe += kNothing;
      i += 2;
    }
  }
  return safe;
}

std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0, row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  return std::string(std::max(least, longest + 1), '`');
}

/// A line's first character may make a list, a rule or a heading of it, and so may a number there.
std::string paragraph(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const bool is_number =
      digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  if (is_number) {
    return fmt::format("{}\\{}\n\n", line.substr(0, digits), markdown_prose(line.substr(digits)));
  }
  const bool is_mark = std::string_view("-+=").find(line.front()) != std::string_view::npos;
  return fmt::format("{}{}\n\n", is_mark ? "\\" : "", markdown_prose(line));
}

std::string code_block(std::string_view code) {
  if (code.empty()) return {};
  const std::string fence = fence_for(code, kLeastFence);
  return fmt::format("{}text\n{}{}\n\n", fence, code, fence);
}

}  // namespace

std::string markdown_prose(std::string_view text) {
  return without_mentions(without_marks(printable(text)));
}

std::string markdown_code(std::string_view text) {
  const std::string fence = fence_for(text, 1);
  return fence + std::string(text) + fence;
}

std::string markdown_lines(std::string_view lines) {
  std::string text, code;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.starts_with(kCodeMargin)) {
      code += printable(line.substr(kCodeMargin.size())) + "\n";
      continue;
    }
    text += code_block(code);
    code.clear();
    if (!line.empty()) text += paragraph(line);
  }
  return text + code_block(code);
}

}  // namespace quantlens
