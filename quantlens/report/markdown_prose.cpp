// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/markdown_prose.h"

#include "quantlens/base/text.h"

namespace quantlens {

std::string without_mentions(std::string_view text) {
  constexpr std::string_view kNothing = "<!-- -->";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    safe += text[i];
    const std::string_view rest = text.substr(i);
    if (text[i] == '@' || rest.starts_with("://")) safe += kNothing;
    const std::string_view four = rest.substr(0, 4);
    if (four.size() == 4 && four[3] == '.' &&
        (four.starts_with("www") || four.starts_with("WWW"))) {
      safe += text.substr(i + 1, 2);
      safe += kNothing;
      i += 2;
    }
  }
  return safe;
}

std::string markdown_prose(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_[]<>|~&#$";
  std::string safe;
  for (const char c : printable(text)) {
    if (kMarks.find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return without_mentions(safe);
}

}  // namespace quantlens
