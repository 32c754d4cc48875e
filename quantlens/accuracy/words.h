// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

/// A command line as its words, split at blanks as a shell does: '...' holds anything; a \ in "..."
/// keeps a ", \, $ or ` that follows it, elsewhere any character. Nothing is expanded: no shell is
/// run. Throws Errc::usage for a quotation without an end.
std::vector<std::string> split_words(std::string_view text);

/// How much of the text comes before the first comma outside of quotations.
std::size_t before_comma(std::string_view text);

}  // namespace quantlens
