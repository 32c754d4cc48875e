// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_view.h"

#include <limits>

#include "quantlens/report/cell.h"
#include "quantlens/report/markdown_prose.h"

namespace quantlens {

std::string shown(const Table& table, const RunView& view) {
  if (!view.markdown) return to_text(table, view.text);
  return to_markdown(table, view.text.rows, "--all shows all rows") + "\n";
}

std::size_t rows_of(const RunView& view) {
  return view.text.rows == 0 ? std::numeric_limits<std::size_t>::max() : view.text.rows;
}

std::string told(std::string_view lines, const RunView& view) {
  return view.markdown ? markdown_lines(lines) : std::string(lines);
}

std::string told_paragraph(std::string_view sentences, const RunView& view) {
  return view.markdown ? markdown_lines(sentences) : wrapped(sentences, 0);
}

}  // namespace quantlens
