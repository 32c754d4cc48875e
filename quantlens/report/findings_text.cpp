// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/statement_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr HowFound kSaid = HowFound::of_estimated_shares;

/// ", 94 % of the error (91 to 96)"; empty where a finding is about no error.
std::string share_text(const Finding& finding) {
  const std::string words = share_words(finding, kSaid);
  return words.empty() ? words : ", " + words;
}

/// "conv1: ", "conv1 and 5 more ops: "; empty where a finding is of no op.
std::string place_text(const Finding& finding) {
  const std::string words = place_words(finding);
  return words.empty() ? words : words + ": ";
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
      text += "   " + wrapped(tried_words(finding, !is_tried, kSaid), kIndent);
      is_tried = true;
    }
  }
  return text;
}

}  // namespace quantlens
