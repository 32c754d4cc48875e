// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/cell.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"

namespace quantlens {

namespace {

/// One decimal; the reach is rounded up, so that it is never too small.
std::string estimate_text(const Estimate& estimate) {
  const auto& [low, high] = estimate.interval;
  const double reach = std::max(high - estimate.value, estimate.value - low);
  const double value = std::round(estimate.value * 10) / 10 + 0.0;  // never -0.0
  return fmt::format("{:.1f} \u00B1{:.1f}", value, std::ceil(reach * 10) / 10);
}

}  // namespace

std::string shown(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (const auto* number = std::get_if<double>(&cell)) return table_number(*number);
  if (const auto* estimate = std::get_if<Estimate>(&cell)) return estimate_text(*estimate);
  if (const auto* rank = std::get_if<Rank>(&cell)) {
    return fmt::format("{}{}", rank->place, rank->tied ? "=" : "");
  }
  return std::to_string(std::get<std::int64_t>(cell));
}

Cell count_cell(std::uint64_t count) {
  return static_cast<std::int64_t>(count);
}

Cell cell_of(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell(std::string());
}

bool is_numeric(const Table& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [column](const std::vector<Cell>& row) {
    const auto* text = std::get_if<std::string>(&row[column]);
    return text == nullptr || text->empty();
  });
}

std::vector<std::string> broken(std::string_view text, std::size_t limit) {
  if (display_width(text) <= limit) return {std::string(text)};
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= limit) {
      lines.back() += ' ';
      lines.back() += word;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  const std::string margin = '\n' + std::string(indent, ' ');
  return fmt::format("{}\n", fmt::join(broken(text, kWidth - indent), margin));
}

std::string unwrapped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return printable(text);
}

std::string figure_text(double value, double size) {
  constexpr double kLeast = 0.01;
  constexpr double kMost = 1000;
  if (std::isnan(value)) return "nan";  // of either sign
  if (size == 0 || (size >= kLeast && size < kMost)) return fmt::format("{:.4f}", value);
  return fmt::format("{:.5g}", value);
}

std::string figure_text(const Accuracy& accuracy) {
  return figure_text(accuracy.value, accuracy.is_rate ? 1 : std::abs(accuracy.value));
}

std::vector<std::size_t> visible_columns(const Table& table) {
  std::vector<std::size_t> visible;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].only_in_files) visible.push_back(i);
  }
  return visible;
}

}  // namespace quantlens
