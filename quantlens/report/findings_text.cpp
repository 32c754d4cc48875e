// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr std::size_t kWidth = 100;  // columns

/// Broken at spaces; lines after the first begin with `indent` of them.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + '\n';
}

std::string share_text(const Finding& finding) {
  if (!finding.output_share) return {};
  std::string text = fmt::format(", {:.0f} % of the error", 100 * *finding.output_share);
  if (finding.output_share_interval) {
    const auto& [low, high] = *finding.output_share_interval;
    text += fmt::format(" ({:.0f} to {:.0f})", 100 * low, 100 * high);
  }
  return text;
}

}  // namespace

std::string findings_text(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kIndent = 3;
  if (diagnosis.verdict.empty()) return {};
  std::string text = wrapped(printable(diagnosis.verdict), 0);
  std::size_t number = 0;
  for (const Finding& finding : diagnosis.findings) {
    if (++number > kShown) {
      text +=
          fmt::format("{} more findings in diagnosis.json\n", diagnosis.findings.size() - kShown);
      break;
    }
    text +=
        wrapped(fmt::format("{}. {} {}{}: {}: {}", number, finding.severity, finding.rule,
                            share_text(finding), printable(finding.op), printable(finding.because)),
                kIndent);
    if (!finding.remedy.empty()) {
      text += "   " + wrapped(fmt::format("recipe: {}", printable(finding.remedy)), kIndent);
    }
  }
  return text;
}

}  // namespace quantlens
