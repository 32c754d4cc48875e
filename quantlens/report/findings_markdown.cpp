// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/findings_markdown.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/words.h"
#include "quantlens/record/files.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/report_findings.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostOps = 10;          // of one finding
constexpr std::size_t kLongestRemedy = 4000;  // bytes

/// "a, b, c and 2 more"
std::string ops_line(const std::vector<OpRef>& ops) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostOps, ops.size()); ++i)
    names.push_back(markdown_prose(ops[i].name));
  return fmt::format(
      "    - ops: {}{}\n", fmt::join(names, ", "),
      ops.size() > kMostOps ? fmt::format(" and {} more", ops.size() - kMostOps) : "");
}

std::string remedy_line(const json::Value& remedy, std::size_t number) {
  const std::string text = json::line(remedy);
  if (text.size() > kLongestRemedy)
    return fmt::format("    - remedy: {} in the workload\n",
                       markdown_code(exported::remedy(number)));
  return fmt::format("    - remedy, for `quantize --recipe`: {}\n", markdown_code(text));
}

std::string finding_lines(const Finding& finding, std::size_t number, bool is_first_tried) {
  std::string text =
      fmt::format("{}. **{}** {}", number, word(finding.severity), markdown_prose(finding.rule));
  if (const std::string share = share_words(finding); !share.empty())
    text += ", " + markdown_prose(share);
  if (const std::string place = place_words(finding); !place.empty())
    text += ": " + markdown_prose(place);
  text += fmt::format(": {}\n", markdown_prose(reasons_words(finding)));
  if (finding.ops.size() > 1) text += ops_line(finding.ops);
  if (!finding.remedy.is_null()) text += remedy_line(finding.remedy, number);
  if (finding.measured_gain)
    text += fmt::format("    - {}\n", markdown_prose(tried_words(finding, is_first_tried)));
  return text;
}

}  // namespace

std::string findings_markdown(const std::vector<Finding>& findings, std::size_t most) {
  if (findings.empty()) return {};
  std::string text = "**Findings**\n\n";
  const std::size_t shown = std::min(most, findings.size());
  bool is_first_tried = true;
  for (std::size_t i = 0; i < shown; ++i) {
    text += finding_lines(findings[i], i + 1, is_first_tried);
    if (findings[i].measured_gain) is_first_tried = false;
  }
  if (shown < findings.size())
    text += fmt::format("\n{} not shown.\n",
                        counted(findings.size() - shown, shown == 0 ? "finding" : "more finding"));
  return text + "\n";
}

}  // namespace quantlens
