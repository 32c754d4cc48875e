// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/summary_markdown.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/run_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostOps = 10;       // rows of the table, and ops of one finding
constexpr std::size_t kMostFindings = 20;  // a comment on GitHub holds 65,536 characters

/// A table, and an empty line.
std::string table_part(const Table& table, std::size_t rows = 0) {
  return without_mentions(to_markdown(table, rows)) + "\n";
}

/// Text in the fence that it needs: one backtick more than the longest row of them inside.
std::string code_span(std::string_view text) {
  std::size_t longest = 0, row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  const std::string fence(longest + 1, '`');
  return fence + std::string(text) + fence;
}

std::string gate_lines(const std::vector<GateResult>& gates) {
  std::string missed, reached;
  for (const GateResult& gate : gates) {
    if (gate.reached) {
      reached += fmt::format("**Gate reached:** {}\n\n", markdown_prose(gate.asks));
    } else {
      missed += fmt::format("**Gate missed:** {}: {}\n\n", markdown_prose(gate.asks),
                            markdown_prose(gate.because));
    }
  }
  return missed + reached;
}

std::string accuracy_part(const RunRecords& records) {
  if (records.study) return table_part(study_table(*records.study, records.times));
  if (!records.accuracy) return {};
  const bool is_all_there_is = !records.plan && !records.diagnosis;
  // Of an evaluation that table calls the models by their files.
  const Table table = is_all_there_is && !records.profile && !records.benchmark
                          ? run_table(records, RunView()).value()
                          : accuracy_table(*records.accuracy, {});
  return table_part(table);
}

/// "a, b, c and 2 more"
std::string ops_line(const std::vector<OpRef>& ops) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostOps, ops.size()); ++i)
    names.push_back(markdown_prose(ops[i].name));
  return fmt::format(
      "    - ops: {}{}\n", fmt::join(names, ", "),
      ops.size() > kMostOps ? fmt::format(" and {} more", ops.size() - kMostOps) : "");
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
  if (!finding.remedy.is_null())
    text += fmt::format("    - remedy, for `quantize --recipe`: {}\n",
                        code_span(json::line(finding.remedy)));
  if (finding.measured_gain)
    text += fmt::format("    - {}\n", markdown_prose(tried_words(finding, is_first_tried)));
  return text;
}

std::string findings_part(const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  std::string text = "**Findings**\n\n";
  const std::size_t shown = std::min(kMostFindings, findings.size());
  bool is_first_tried = true;
  for (std::size_t i = 0; i < shown; ++i) {
    text += finding_lines(findings[i], i + 1, is_first_tried);
    if (findings[i].measured_gain) is_first_tried = false;
  }
  if (shown < findings.size())
    text += fmt::format("\n{} not shown.\n", counted(findings.size() - shown, "more finding"));
  return text + "\n";
}

std::string ops_part(const RunRecords& records) {
  if (!records.diagnosis || records.diagnosis->activations.empty()) return {};
  return table_part(activations_table(*records.diagnosis, ActivationOrder::sqnr), kMostOps);
}

std::string run_part(const Workload& run) {
  constexpr std::size_t kShort = 12;  // digits that tell files apart
  Table table{.title = "Run", .columns = {{"What"}, {"Which"}}, .rows = {}};
  table.rows.push_back({"Id", run.id});
  table.rows.push_back({"Verb", run.verb});
  for (const ModelFile& model : run.models) {
    table.rows.push_back(
        {fmt::format("Model, {}", word(model.role)),
         fmt::format("{}, SHA-256 {}", file_name_of(model.path), model.sha256.substr(0, kShort))});
  }
  const auto version = run.environment.find("quantlens");
  table.rows.push_back(
      {"Version", version == run.environment.end() ? std::string() : version->second});
  table.rows.push_back({"When", run.created});
  return without_mentions(to_markdown(table));
}

}  // namespace

std::string summary_markdown(const RunRecords& records, const ReportGates& gates) {
  const std::string of = records.run.name.empty() ? "" : " on " + markdown_prose(records.run.name);
  return fmt::format("**Verdict{}:** {}\n\n", of, markdown_prose(verdict_line(records))) +
         gate_lines(gate_results(records, gates)) + accuracy_part(records) +
         findings_part(reported_findings(records)) + ops_part(records) + run_part(records.run);
}

}  // namespace quantlens
