// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

std::string share_text(const Finding& finding) {
  if (!finding.output_share) return {};
  std::string text = fmt::format(", {:.0f} % of the error", 100 * *finding.output_share);
  if (finding.output_share_interval) {
    const auto& [low, high] = *finding.output_share_interval;
    text += fmt::format(" ({:.0f} to {:.0f})", 100 * low, 100 * high);
  }
  if (finding.tied_with_previous) text += ", tied with the one above";
  return text;
}

/// "tried with those above: 94 % of the error gone (91 to 96)"
std::string tried_text(const Finding& finding, bool is_first) {
  const auto& [low, high] = finding.measured_gain_interval.value_or(std::array{-1.0, 1.0});
  const double gain = *finding.measured_gain;
  std::string text = is_first ? "tried: " : "tried with those above: ";
  if (low <= 0 && high >= 0) {
    return text + fmt::format(
                      "no gain that these samples could tell ({:.0f} to {:.0f} % of the "
                      "error gone)",
                      100 * low, 100 * high);
  }
  return text + fmt::format("{:.0f} % {} ({:.0f} to {:.0f})", 100 * std::abs(gain),
                            gain < 0 ? "more error" : "of the error gone",
                            100 * (gain < 0 ? -high : low), 100 * (gain < 0 ? -low : high));
}

}  // namespace

std::string findings_text(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kIndent = 3;
  if (diagnosis.verdict.empty()) return {};
  std::string text = wrapped(printable(diagnosis.verdict), 0);
  std::size_t number = 0;
  bool is_tried = false;
  for (const Finding& finding : diagnosis.findings) {
    if (++number > kShown) {
      text +=
          fmt::format("{} more findings in diagnosis.json\n", diagnosis.findings.size() - kShown);
      break;
    }
    text += fmt::format("{}. ", number);
    text +=
        wrapped(fmt::format("{} {}{}: {}: {}", finding.severity, finding.rule, share_text(finding),
                            printable(finding.op), printable(finding.because)),
                kIndent);
    if (!finding.remedy.empty()) {
      text += "   " + wrapped(fmt::format("recipe: {}", printable(finding.remedy)), kIndent);
    }
    if (finding.measured_gain) {
      text += "   " + wrapped(tried_text(finding, !is_tried), kIndent);
      is_tried = true;
    }
  }
  return text;
}

}  // namespace quantlens
