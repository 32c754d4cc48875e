// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/table.h"

namespace quantlens {

std::string to_markdown(const Table& table, std::size_t rows, std::string_view how_to_see_all) {
  const std::vector<std::size_t> columns = visible_columns(table);
  const std::size_t count = rows == 0 ? table.rows.size() : std::min(rows, table.rows.size());
  std::string text;
  if (!table.title.empty()) text += fmt::format("**{}**\n\n", markdown_prose(table.title));
  for (const std::size_t c : columns)
    text += fmt::format("| {} ", markdown_prose(table.columns[c].title));
  text += "|\n";
  for (const std::size_t c : columns) text += is_numeric(table, c) ? "| ---: " : "| --- ";
  text += "|\n";
  for (std::size_t r = 0; r < count; ++r) {
    for (const std::size_t c : columns) {
      text += fmt::format("| {} ", markdown_prose(shown(table.rows[r][c])));
    }
    text += "|\n";
  }
  if (count == table.rows.size()) return text;
  const std::size_t hidden = table.rows.size() - count;
  return text + fmt::format("\n{} {} not shown{}{}.\n", counted(hidden, "more row"),
                            hidden == 1 ? "is" : "are", how_to_see_all.empty() ? "" : "; ",
                            how_to_see_all);
}

}  // namespace quantlens
