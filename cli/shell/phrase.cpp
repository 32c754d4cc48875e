// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/phrase.h"

#include <algorithm>

namespace quantlens::cli {

std::string phrase(const std::string& text) {
  std::size_t end = text.size();
  for (const char* mark : {". ", ": ", "; ", " ("}) end = std::min(end, text.find(mark));
  return text.substr(0, end);
}

}  // namespace quantlens::cli
