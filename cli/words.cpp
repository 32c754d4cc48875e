// SPDX-License-Identifier: Apache-2.0
#include "cli/words.h"

#include "quantlens/base/store.h"

namespace quantlens::cli {

bool is_called_to_serve(const std::string& program) {
  return fs::path(program).filename() == "neural_insights";
}

std::vector<std::string> verb_words(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (is_called_to_serve(words.front())) rest.insert(rest.begin(), "serve");
  return rest;
}

}  // namespace quantlens::cli
