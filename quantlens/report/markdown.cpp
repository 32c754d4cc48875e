// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/report/cell.h"
#include "quantlens/report/table.h"

namespace quantlens {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Text that Markdown shows as it stands. An underscore inside a word means nothing there.
std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*[]<>|~&#";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside_word =
        i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (kSpecial.find(text[i]) != std::string_view::npos || (text[i] == '_' && !inside_word)) {
      safe += '\\';
    }
    safe += text[i];
  }
  return safe;
}

}  // namespace

std::string to_markdown(const Table& table, std::size_t rows) {
  const std::vector<std::size_t> columns = visible_columns(table);
  const std::size_t count = rows == 0 ? table.rows.size() : std::min(rows, table.rows.size());
  std::string text;
  if (!table.title.empty()) text += fmt::format("**{}**\n\n", escaped(table.title));
  for (const std::size_t c : columns) text += fmt::format("| {} ", escaped(table.columns[c].title));
  text += "|\n";
  for (const std::size_t c : columns) text += is_numeric(table, c) ? "| ---: " : "| --- ";
  text += "|\n";
  for (std::size_t r = 0; r < count; ++r) {
    for (const std::size_t c : columns) {
      text += fmt::format("| {} ", escaped(shown(table.rows[r][c])));
    }
    text += "|\n";
  }
  if (count < table.rows.size()) {
    text += fmt::format("\n{} more rows are not shown.\n", table.rows.size() - count);
  }
  return text;
}

}  // namespace quantlens
