// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/statement_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

std::string share_text(const Finding& finding) {
  if (!finding.output_share) return {};
  const auto& [low, high] = finding.output_share_interval.value_or(std::array{0.0, 1.0});
  const std::string interval = fmt::format("{} to {}", whole_percent(low), whole_percent(high));
  constexpr double kNothing = 0.005;  // what is told as 0 %
  if (*finding.output_share < kNothing) {
    return fmt::format(", in float {} ({} % of the error gone)",
                       high <= 0 ? "it takes nothing away" : "no gain can be told", interval);
  }
  std::string text = fmt::format(", {:.0f} % of the error ({}{})", 100 * *finding.output_share,
                                 interval, finding.share_is_measured ? "" : ", estimated");
  if (finding.tied_with_previous) text += ", tied with the one above";
  return text;
}

/// "conv1: ", "conv1 and 5 more ops: "; empty where a finding is of no op.
std::string place_text(const Finding& finding) {
  if (finding.op.name.empty()) return {};
  std::string text = printable(finding.op.name);
  if (finding.ops.size() > 1) {
    text += fmt::format(" and {}", counted(finding.ops.size() - 1, "more op"));
  }
  return text + ": ";
}

/// "tried with those above: 94 % of the error gone (91 to 96)"
std::string tried_text(const Finding& finding, bool is_first) {
  const auto& [low, high] = finding.measured_gain_interval.value_or(std::array{-1.0, 1.0});
  const double gain = *finding.measured_gain;
  std::string text = is_first ? "tried: " : "tried with those above: ";
  if (low <= 0 && high >= 0) {
    return text + fmt::format(
                      "no gain that these samples could tell ({} to {} % of the "
                      "error gone)",
                      whole_percent(low), whole_percent(high));
  }
  return text + fmt::format("{} % {} ({} to {})", whole_percent(std::abs(gain)),
                            gain < 0 ? "more error" : "of the error gone",
                            whole_percent(gain < 0 ? -high : low),
                            whole_percent(gain < 0 ? -low : high));
}

/// The first five, and what was tried.
std::size_t shown_findings(const std::vector<Finding>& findings) {
  constexpr std::size_t kAlways = 5;
  std::size_t shown = std::min(kAlways, findings.size());
  for (std::size_t i = shown; i < findings.size(); ++i) {
    if (findings[i].measured_gain) shown = i + 1;
  }
  return shown;
}

/// Falls with what speaks for a try.
auto doubts_of(const Finding& finding) {
  const double low = finding.measured_gain_interval.value_or(
      finding.output_share_interval.value_or(std::array{0.0, 0.0}))[0];
  return std::tuple(finding.severity, low <= 0, !finding.share_is_measured,
                    -finding.output_share.value_or(0));
}

}  // namespace

std::optional<std::size_t> remedy_to_try(const Diagnosis& diagnosis) {
  const std::vector<Finding>& findings = diagnosis.findings;
  const std::size_t shown = shown_findings(findings);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < shown; ++i) {
    if (findings[i].remedy.is_null()) continue;
    if (!best || doubts_of(findings[i]) < doubts_of(findings[*best])) best = i;
  }
  return best ? std::optional(*best + 1) : std::nullopt;
}

std::string findings_text(const Diagnosis& diagnosis) {
  constexpr std::size_t kIndent = 3;
  if (diagnosis.conclusions.empty()) return {};
  const std::size_t shown = shown_findings(diagnosis.findings);
  std::string text = wrapped(printable(text_of(diagnosis.conclusions)), 0);
  std::size_t number = 0;
  bool is_tried = false;
  for (const Finding& finding : diagnosis.findings) {
    if (++number > shown) {
      text += fmt::format("{} in diagnosis.json\n",
                          counted(diagnosis.findings.size() - shown, "more finding"));
      break;
    }
    text += fmt::format("{}. ", number);
    text += wrapped(
        fmt::format("{} {}{}: {}{}", word(finding.severity), finding.rule, share_text(finding),
                    place_text(finding), printable(text_of(finding.reasons))),
        kIndent);
    if (!finding.remedy.is_null()) {
      text += "   " +
              wrapped(fmt::format("recipe: {}", printable(json::line(finding.remedy))), kIndent);
    }
    if (finding.measured_gain) {
      text += "   " + wrapped(tried_text(finding, !is_tried), kIndent);
      is_tried = true;
    }
  }
  return text;
}

}  // namespace quantlens
