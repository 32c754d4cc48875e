// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace quantlens::cli {

/// A line that is being typed in bash, as the program would read it.
struct BashLine {
  std::vector<std::string> words;  ///< without quotes; nothing is expanded
  std::string kept;   ///< of the last word, what bash leaves as it is: up to the last '=' or ':'
  char quote = '\0';  ///< the quote that is still open: ' or "
};

/// `line`: COMP_LINE up to the cursor. `pieces`: COMP_WORDS up to COMP_CWORD; bash splits words at
/// '=' and ':', too, and leaves the quotes in.
BashLine read_bash_line(const std::string& line, const std::vector<std::string>& pieces);

/// The text as bash is to insert it behind such a quote; empty where it cannot stand there.
std::string quoted_for_bash(const std::string& text, char quote);

}  // namespace quantlens::cli
