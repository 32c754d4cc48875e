// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/result.h"

#include <string_view>

#include "quantlens/base/text.h"

namespace quantlens::tensorflow {

std::string Result::reason() const {
  constexpr std::size_t kMost = 600;
  std::string text;
  for (const char c : std::string_view(api_.message(status_.get()))) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t';
    if (is_space && (text.empty() || text.back() == ' ')) continue;
    text += is_space ? ' ' : c;
    if (text.size() == kMost) return printable(text) + "...";
  }
  while (text.ends_with(' ')) text.pop_back();
  return printable(text);
}

}  // namespace quantlens::tensorflow
