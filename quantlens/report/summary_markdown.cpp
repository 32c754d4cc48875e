// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/summary_markdown.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/report/benchmark_text.h"
#include "quantlens/report/findings_markdown.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/run_origin.h"
#include "quantlens/report/run_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

/// A comment on GitHub holds 65,536 characters; no text has more of them than bytes.
constexpr std::size_t kMostBytes = 65'000;

/// How many of each are shown.
struct SummarySize {
  std::size_t findings, ops;
};
constexpr SummarySize kSummarySizes[] = {{20, 10}, {10, 10}, {5, 5}, {2, 2}, {0, 0}};

/// A table, and an empty line.
std::string table_part(const Table& table, std::size_t rows = 0) {
  return to_markdown(table, rows) + "\n";
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

std::string ops_part(const RunRecords& records, std::size_t most) {
  if (!records.diagnosis || records.diagnosis->activations.empty()) return {};
  const std::size_t all = records.diagnosis->activations.size();
  if (most == 0) return fmt::format("{} not shown.\n\n", counted(all, "activation"));
  return table_part(activations_table(*records.diagnosis, ActivationOrder::sqnr), most);
}

/// Of a run that timed models.
std::string times_part(const RunRecords& records, std::size_t most) {
  std::string text;
  if (records.profile && !records.benchmark)
    text += table_part(run_table(records, RunView()).value(), std::max<std::size_t>(most, 1));
  if (records.benchmark) text += table_part(benchmark_table(*records.benchmark, Digits::four));
  return text;
}

std::string summary_of_size(const RunRecords& records, const std::vector<GateResult>& gates,
                            const Recipe* recipe, const SummarySize& size) {
  return verdict_markdown(records) + gate_lines(gates) + accuracy_part(records) +
         findings_markdown(reported_findings(records), size.findings) +
         ops_part(records, size.ops) + times_part(records, size.ops) +
         to_markdown(run_origin_table(records.run, recipe));
}

/// The lines that fit, and that others do not; of a line that does not fit at all its beginning.
std::string cut_off(const std::string& text) {
  constexpr std::string_view kRest = "\n\nThe rest is left out: GitHub shows 65,536 characters.\n";
  std::size_t end = kMostBytes - kRest.size();
  const std::size_t line = text.rfind('\n', end);
  constexpr unsigned kTail = 0x80;  // of a character of several bytes
  constexpr unsigned kTailMask = 0xC0;
  if (line != std::string::npos && line > 0) end = line;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & kTailMask) == kTail) --end;
  return text.substr(0, end) + std::string(kRest);
}

}  // namespace

std::string verdict_markdown(const RunRecords& records) {
  const std::string of = records.run.name.empty() ? "" : " on " + markdown_prose(records.run.name);
  return fmt::format("**Verdict{}:** {}\n\n", of, markdown_prose(verdict_line(records)));
}

std::string summary_markdown(const RunRecords& records, const std::vector<GateResult>& gates,
                             const Recipe* recipe) {
  std::string text;
  for (const SummarySize& size : kSummarySizes) {
    text = summary_of_size(records, gates, recipe, size);
    if (text.size() <= kMostBytes) return text;
  }
  return cut_off(text);
}

}  // namespace quantlens
