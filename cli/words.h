// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace quantlens::cli {

/// Whether the program is called as the predecessors' `neural_insights`: then it is its verb serve.
bool is_called_to_serve(const std::string& program);

/// The verb and what follows it. `words`: the program's name first.
std::vector<std::string> verb_words(const std::vector<std::string>& words);

}  // namespace quantlens::cli
