// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "quantlens/base/text.h"
#include "quantlens/report/table.h"

namespace quantlens {
namespace {

/// Quoted where RFC 4180 demands it, or where a spreadsheet would take it for a formula.
std::string quoted_where_needed(std::string_view text) {
  constexpr std::string_view kFormulaStarts = "=+-@";
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || kFormulaStarts.find(text[0]) == std::string_view::npos);
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell))
    return quoted_where_needed(printable(*text));
  if (const auto* number = std::get_if<double>(&cell)) return exact_number(*number);
  if (const auto* estimate = std::get_if<Estimate>(&cell)) return exact_number(estimate->value);
  if (const auto* rank = std::get_if<Rank>(&cell)) return std::to_string(rank->place);
  return std::to_string(std::get<std::int64_t>(cell));
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string csv;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) csv += ',';
    csv += quoted_where_needed(table.columns[i].title);
  }
  csv += "\r\n";
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) csv += ',';
      csv += field(row[i]);
    }
    csv += "\r\n";
  }
  return csv;
}

}  // namespace quantlens
