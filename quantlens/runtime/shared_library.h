// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens {

/// The file that a symbol was loaded from; `otherwise`, where the loader does not say it.
std::string file_of(void* symbol, const fs::path& otherwise);

/// A runtime's library: the first candidate that `load(candidate, library)` fills it from, which
/// then gives nothing, else the reason why not. Of all these reasons `tell` makes the problem.
template <class Library, class Load, class Tell>
Library first_loaded(const std::vector<fs::path>& candidates, const Load& load, const Tell& tell) {
  Library library;
  std::vector<std::string> reasons;
  for (const fs::path& candidate : candidates) {
    std::string reason = load(candidate, library);
    if (reason.empty()) return library;
    reasons.push_back(std::move(reason));
  }
  library.problem = tell(reasons);
  return library;
}

}  // namespace quantlens
