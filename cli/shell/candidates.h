// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace quantlens::cli {

/// One way to go on with a command line.
struct Candidate {
  std::string text;
  std::string about;  ///< one line, or nothing
};

/// All ways to go on, whatever the last word begins with.
struct Completion {
  std::string before;  ///< of the last word, what stays in front of a candidate: "--output="
  std::vector<Candidate> candidates;
  bool files = false;    ///< the shell's own completion of paths is asked for, too
  bool folders = false;  ///< the same, folders alone
};

/// `words`: what follows the program's name, the last one as far as it is typed. Reads the names of
/// stored runs where one is wanted, and nothing else.
Completion completion_of(CLI::App& program, const std::vector<std::string>& words);

}  // namespace quantlens::cli
