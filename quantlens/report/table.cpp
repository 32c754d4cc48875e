// SPDX-License-Identifier: Apache-2.0
// Tables on a terminal. The form is PrettyTable's, which the predecessors used.
#include "quantlens/report/table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"

namespace quantlens {
namespace {

constexpr std::size_t kKeptColumns = 4;      // text is shortened before fewer than these are shown
constexpr std::size_t kLeastTextWidth = 16;  // a shortened name still tells something
constexpr std::size_t kLongestPhrase =
    40;  // longer texts of words are sentences, which may be broken
constexpr std::size_t kLeastSentenceWidth = 24;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

using TextRows = std::vector<std::vector<std::string>>;  // the header, then the rows

/// Code points with the width each takes; marks over a character belong to that character.
struct Piece {
  std::string_view text;
  std::size_t width = 0;
};

std::vector<Piece> pieces(std::string_view text) {
  std::vector<Piece> all;
  while (!text.empty()) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
      ++length;
    }
    const std::size_t width = display_width(text.substr(0, length));
    if (width == 0 && !all.empty()) {
      all.back().text = {all.back().text.data(), all.back().text.size() + length};
    } else {
      all.push_back({text.substr(0, length), width});
    }
    text.remove_prefix(length);
  }
  return all;
}

/// At most `width` columns of the text, its middle left out where it is longer.
std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  if (width == 0) return {};
  const std::vector<Piece> all = pieces(text);
  std::size_t room = (width - 1) / 2;
  std::string head;
  for (auto piece = all.begin(); piece != all.end() && piece->width <= room; ++piece) {
    room -= piece->width;
    head += piece->text;
  }
  room = width - 1 - (width - 1) / 2;
  std::size_t tail = text.size();  // where it begins
  for (auto piece = all.rbegin(); piece != all.rend() && piece->width <= room; ++piece) {
    room -= piece->width;
    tail -= piece->text.size();
  }
  return fmt::format("{}{}{}", head, kEllipsis, std::string_view(text).substr(tail));
}

/// Uneven space goes right of text of odd length and left of the other, as PrettyTable has it.
std::string centred(const std::string& text, std::size_t width) {
  const std::size_t length = display_width(text);
  const std::size_t space = width - std::min(width, length);
  const std::size_t left = space / 2 + (space % 2 == 1 && length % 2 == 0 ? 1 : 0);
  return std::string(left, ' ') + text + std::string(space - left, ' ');
}

TextRows lines_of(const Table& table, std::span<const std::size_t> columns, std::size_t rows) {
  TextRows lines(1);
  for (const std::size_t c : columns) lines[0].push_back(printable(table.columns[c].title));
  for (std::size_t r = 0; r < rows; ++r) {
    lines.emplace_back();
    for (const std::size_t c : columns) lines.back().push_back(shown(table.rows[r][c]));
  }
  return lines;
}

/// What a table of these columns takes, frame included: "| a | b |".
std::size_t outer_width(std::span<const std::size_t> widths) {
  return std::accumulate(widths.begin(), widths.end(), 3 * widths.size() + 1);
}

/// Takes from the widest column that can spare until all fit; false where they cannot.
bool squeeze(std::vector<std::size_t>& widths, std::span<const std::size_t> least,
             std::size_t limit) {
  while (outer_width(widths) > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= least[i]) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return false;
    --widths[widest];
  }
  return true;
}

/// What a column takes, and what it can do with.
struct Width {
  std::size_t natural = 0;
  std::size_t as_sentence = 0;  ///< where only sentences are broken
  std::size_t least = 0;        ///< where every text may be
};

Width width_of(const Table& table, std::size_t column, std::size_t number, const TextRows& lines) {
  Width width;
  bool has_words = false;
  for (const auto& line : lines) {
    width.natural = std::max(width.natural, display_width(line[number]));
    has_words = has_words || line[number].find(' ') != std::string::npos;
  }
  const auto with_header = [&](std::size_t wanted) {
    return std::min(width.natural, std::max(wanted, display_width(lines[0][number])));
  };
  const bool is_text = !is_numeric(table, column) && !table.columns[column].whole;
  const bool is_sentence = is_text && has_words && width.natural > kLongestPhrase;
  width.as_sentence = is_sentence ? with_header(kLeastSentenceWidth) : width.natural;
  width.least = is_text ? with_header(kLeastTextWidth) : width.natural;
  return width;
}

/// Widths of as many columns as fit, from the left.
std::vector<std::size_t> fit(const Table& table, std::span<const std::size_t> columns,
                             const TextRows& lines, std::size_t limit) {
  std::vector<std::size_t> natural, as_sentence, least;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Width width = width_of(table, columns[i], i, lines);
    natural.push_back(std::min(width.natural, limit));
    as_sentence.push_back(width.as_sentence);
    least.push_back(width.least);
  }
  for (std::size_t count = columns.size(); count > 0; --count) {
    natural.resize(count);
    std::vector<std::size_t> widths = natural;
    if (squeeze(widths, as_sentence, limit)) return widths;
    if (count > kKeptColumns) continue;
    widths = natural;
    if (squeeze(widths, least, limit)) return widths;
  }
  return {limit > 4 ? limit - 4 : 1};
}

/// The last column that need not be kept, else the last one.
std::vector<std::size_t>::const_iterator last_to_drop(const Table& table,
                                                      const std::vector<std::size_t>& columns) {
  for (auto column = columns.end() - 1; column > columns.begin(); --column) {
    if (!table.columns[*column].keep) return column;
  }
  return columns.end() - 1;
}

/// The text broken between words; a word longer than a line is shortened.
std::vector<std::string> fitted(std::string_view text, std::size_t limit) {
  std::vector<std::string> lines = broken(text, limit);
  for (std::string& line : lines) line = shortened(line, limit);
  return lines;
}

std::string rule(std::span<const std::size_t> widths) {
  std::string text = "+";
  for (const std::size_t width : widths) text += std::string(width + 2, '-') + '+';
  return text + '\n';
}

/// As many lines as the cell with the most words needs.
std::string row_text(std::span<const std::string> cells, std::span<const std::size_t> widths) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    columns.push_back(fitted(cells[i], widths[i]));
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    text += '|';
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string part = line < columns[i].size() ? columns[i][line] : std::string();
      text += ' ' + centred(part, widths[i]) + " |";
    }
    text += '\n';
  }
  return text;
}

/// The title with what stands over it. The form of Python's str.center is kept for the stars.
std::string title_text(const Table& table, std::span<const std::size_t> widths) {
  if (table.title.empty()) return {};
  const std::size_t inner = outer_width(widths) - 2;
  if (table.title_form == TitleForm::row) {
    const std::string title = shortened(printable(table.title), inner - 2);
    return fmt::format("+{}+\n| {} |\n", std::string(inner, '-'), centred(title, inner - 2));
  }
  const std::string title = shortened(printable(table.title), inner);
  const std::size_t space = inner - display_width(title);
  const std::size_t left = space / 2 + (space & inner & 1);
  return fmt::format("|{}{}{}|\n", std::string(left, '*'), title, std::string(space - left, '*'));
}

/// What is hidden and how to see it; empty where nothing is.
std::string hidden_text(const Table& table, std::span<const std::string> dropped,
                        std::size_t shown_rows, const TextOptions& options) {
  std::string text;
  if (shown_rows < table.rows.size()) {
    text = fmt::format("Showing {} of {} rows.", shown_rows, table.rows.size());
  }
  if (!dropped.empty()) {
    if (!text.empty()) text += ' ';
    text += "Not shown for lack of width:";
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      text += fmt::format(" {}{}", dropped[i], i + 1 < dropped.size() ? "," : ".");
    }
  }
  if (text.empty()) return text;
  if (!options.how_to_see_all.empty()) {
    text += fmt::format(" To see all: {}", printable(options.how_to_see_all));
  }
  const std::size_t limit = options.width == 0 ? kUnlimited : options.width;
  return fmt::format("{}\n", fmt::join(fitted(text, limit), "\n"));
}

}  // namespace

std::string to_text(const Table& table, const TextOptions& options) {
  const std::size_t limit = options.width == 0 ? kUnlimited : options.width;
  const std::size_t rows =
      options.rows == 0 ? table.rows.size() : std::min(options.rows, table.rows.size());
  std::vector<std::size_t> columns = visible_columns(table);
  TextRows lines = lines_of(table, columns, rows);
  std::vector<std::size_t> widths = fit(table, columns, lines, limit);
  std::vector<std::string> dropped;
  while (widths.size() < columns.size()) {
    const auto last = last_to_drop(table, columns);
    dropped.insert(dropped.begin(), lines[0][static_cast<std::size_t>(last - columns.begin())]);
    columns.erase(last);
    lines = lines_of(table, columns, rows);
    widths = fit(table, columns, lines, limit);
  }

  // A title wider than the table makes room for itself.
  const std::size_t outer = outer_width(widths);
  const std::size_t frame = table.title_form == TitleForm::row ? 4 : 2;
  const std::size_t wanted = std::min(display_width(printable(table.title)) + frame, limit);
  if (wanted > outer) widths[0] += wanted - outer;

  std::string text = title_text(table, widths);
  text += rule(widths) + row_text(lines[0], widths) + rule(widths);
  for (std::size_t r = 1; r < lines.size(); ++r) text += row_text(lines[r], widths);
  if (rows > 0) text += rule(widths);
  return text + hidden_text(table, dropped, rows, options);
}

}  // namespace quantlens
