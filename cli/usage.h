// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace quantlens::cli {

/// A sentence for the terminal: names in it may be as long as a file or a caller likes.
std::string shown(std::string_view sentence);

/// CLI11's sentence, or a clearer one.
std::string sentence_of(const CLI::App& program, const CLI::ParseError& error);

/// What the program would say of these arguments before it reads a file: options that there are
/// not, or that mean nothing without others, and values out of range. Throws Errc::usage.
void check_usage(const std::vector<std::string>& arguments);

}  // namespace quantlens::cli
