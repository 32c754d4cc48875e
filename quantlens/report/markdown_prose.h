// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens {

/// Text as it stands, in a paragraph or in a cell of a table: what Markdown would take for a mark
/// is escaped, and it mentions nobody and is no link: a comment that nobody sees stands behind an
/// @, for which GitHub might send somebody a message, and inside of what it would make a link.
std::string markdown_prose(std::string_view text);

/// Text in the fence that it needs: one backtick more than the longest row of them inside.
std::string markdown_code(std::string_view text);

/// Lines of plain text, each a paragraph as it stands. Lines that begin with two spaces, as
/// commands and lists of files do, are a block of code. Ends in an empty line, unless `lines` is
/// empty.
std::string markdown_lines(std::string_view lines);

}  // namespace quantlens
