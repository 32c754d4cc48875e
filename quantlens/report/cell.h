// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/accuracy.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// A cell as people see it: 5 decimals, or one with its interval; hostile characters replaced.
std::string shown(const Cell& cell);

/// The number, or nothing.
Cell cell_of(const std::optional<double>& value);

/// A whole number; none of ours reaches 2^63.
Cell count_cell(std::uint64_t count);

/// Whether a column holds numbers in every row that has something there.
bool is_numeric(const Table& table, std::size_t column);

/// The text broken between words into lines of at most `limit` columns; a longer word is a line by
/// itself.
std::vector<std::string> broken(std::string_view text, std::size_t limit);

/// The text so broken into lines of 100 columns, ended by a newline; all lines but the first begin
/// with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent);

/// Lines without an indent as the words of one line, safe to print.
std::string unwrapped(std::string text);

/// Four decimals where they say enough of a figure of this size, as of rates; else five digits.
std::string figure_text(double value, double size);
std::string figure_text(const Accuracy& accuracy);

/// The columns that people see, by number.
std::vector<std::size_t> visible_columns(const Table& table);

}  // namespace quantlens
