// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "quantlens/report/profile_tables.h"
#include "quantlens/report/tables.h"

namespace quantlens {

/// How a run is shown.
struct RunView {
  ActivationOrder order = ActivationOrder::sqnr;
  ProfileRows rows = ProfileRows::nodes;
  bool markdown = false;  ///< GitHub's Markdown, with rows as `text` has them; else a terminal's
  TextOptions text;
};

/// A table in that form; in Markdown an empty line follows.
std::string shown(const Table& table, const RunView& view);

/// How many rows, or findings, that is at most.
std::size_t rows_of(const RunView& view);

/// Lines of plain text in that form; in Markdown as markdown_lines has them.
std::string told(std::string_view lines, const RunView& view);

/// A sentence or several as one paragraph: on a terminal broken into its lines.
std::string told_paragraph(std::string_view sentences, const RunView& view);

}  // namespace quantlens
