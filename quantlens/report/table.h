// report: records as tables and files for people and programs. Reads records, computes nothing.
// Start here; tables.h has one function for each table that quantlens knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace quantlens {

/// A figure of samples with its 95 % interval, which people see: "31.2 ±0.4".
struct Estimate {
  double value = 0;
  std::array<double, 2> interval{};
  bool operator==(const Estimate&) const = default;
};

/// A place in an order, of which people see whether it is shared or in doubt: "3=".
struct Rank {
  std::int64_t place = 0;
  bool tied = false;
  bool operator==(const Rank&) const = default;
};

/// A cell: text, a whole number, or a real one; how it looks is the format's business (a terminal
/// shows 5 decimals as the predecessors did, CSV and JSON show every digit, and numbers alone).
using Cell = std::variant<std::string, std::int64_t, double, Estimate, Rank>;

struct Column {
  std::string title;           ///< "OP name"; in CSV the header
  bool only_in_files = false;  ///< left out where people read: terminal and Markdown
  bool keep = false;           ///< dropped last where the width does not suffice
  bool whole = false;          ///< its text is never shortened, as people type it
};

/// How the title stands over a table on a terminal.
enum class TitleForm {
  row,    ///< in a row of its own inside the table
  stars,  ///< |***title***| above it, as the predecessors' statistics
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
  TitleForm title_form = TitleForm::row;
};

struct TextOptions {
  std::size_t width = 100;     ///< columns of the terminal; 0: as wide as it needs
  std::size_t rows = 20;       ///< at most; 0: all. What is hidden is said below the table
  std::string how_to_see_all;  ///< e.g. "--all" or a file's name; shown where something is hidden
};

/// PrettyTable-like ASCII: +---+ rules, a title, centred cells; every line ends in a newline and
/// none is wider than `options.width`. Later columns that do not fit are dropped and named below,
/// those to keep last. Sentences are broken onto further lines to make room. Names are so, too, but
/// only where fewer than four columns would fit otherwise; a word too long for its line loses its
/// middle. REQUIRES: at least one column that is not only_in_files.
std::string to_text(const Table& table, const TextOptions& options);

/// RFC 4180 with \r\n row ends and a header, full precision, all columns and rows. A row is one
/// line: control characters in text become '?'. Text that a spreadsheet would run as a formula is
/// not altered, only quoted.
std::string to_csv(const Table& table);

/// A GitHub table with its title in bold; `rows` at most (0: all), the hidden ones counted below,
/// with `how_to_see_all` where it is given. Names are as markdown_prose has them.
std::string to_markdown(const Table& table, std::size_t rows = 0,
                        std::string_view how_to_see_all = {});

}  // namespace quantlens
