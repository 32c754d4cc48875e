// SPDX-License-Identifier: Apache-2.0
#include "cli/roff.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace quantlens::cli {
namespace {

std::string_view escape_of(char letter) {
  switch (letter) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";  // else a hyphen that nobody can paste into a shell
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '"':
      return "\\(dq";  // also within the argument of a request
    default:
      return {};
  }
}

std::string escaped(std::string_view text) {
  std::string roff;
  for (const char letter : text) {
    const std::string_view escape = escape_of(letter);
    if (escape.empty()) {
      roff += letter;
    } else {
      roff += escape;
    }
  }
  return roff;
}

std::string bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string upper(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(), [](unsigned char c) { return std::toupper(c); });
  return letters;
}

}  // namespace

RoffPage::RoffPage(std::string_view name, std::string_view version) {
  text_ = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", escaped(upper(name)),
                      escaped(name), escaped(version));
  text_ += ".nh\n.ad l\n";  // options are not torn apart
}

/// A line that begins as a request does would be one.
void RoffPage::line(std::string_view text) {
  if (text.starts_with('.') || text.starts_with('\'')) text_ += "\\&";
  text_ += escaped(text) + '\n';
}

void RoffPage::section(std::string_view title) {
  text_ += fmt::format(".SH \"{}\"\n", escaped(title));
}

void RoffPage::part(std::string_view title) {
  text_ += fmt::format(".SS \"{}\"\n", escaped(title));
}

void RoffPage::heading(std::string_view title) {
  text_ += fmt::format(".PP\n{}\n", bold(title));
}

void RoffPage::plain(std::string_view text) {
  line(text);
}

void RoffPage::paragraph(std::string_view text) {
  text_ += ".PP\n";
  line(text);
}

void RoffPage::item(std::string_view name, std::string_view values, std::string_view meaning) {
  text_ += fmt::format(".TP\n{}{}\n", bold(name), values.empty() ? "" : " " + escaped(values));
  line(meaning);
}

void RoffPage::example(const std::vector<std::string>& lines) {
  text_ += ".PP\n.RS 4\n.EX\n";
  for (const std::string& each : lines) line(each);
  text_ += ".EE\n.RE\n";
}

void RoffPage::synopsis(std::string_view name, std::string_view rest) {
  text_ += fmt::format(".PP\n{}{}\n", bold(name), rest.empty() ? "" : " " + escaped(rest));
}

}  // namespace quantlens::cli
