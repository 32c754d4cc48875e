// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/all_tables.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/json_line.h"
#include "quantlens/base/words.h"
#include "quantlens/report/benchmark_text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/profile_tables.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/statistics_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

Cell whole(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Table every_finding(const RunRecords& records) {
  Table table{.title = "Findings",
              .columns = {{"Rule"},
                          {"Severity"},
                          {"Op"},
                          {"Ops"},
                          {"Share of the outputs' error"},
                          {"Share is measured"},
                          {"Measured gain"},
                          {"Reasons"},
                          {"Remedy"}},
              .rows = {}};
  for (const Finding& finding : reported_findings(records)) {
    std::vector<std::string> ops;
    for (const OpRef& op : finding.ops) ops.push_back(op.name);
    table.rows.push_back({finding.rule, std::string(word(finding.severity)), finding.op.name,
                          fmt::format("{}", fmt::join(ops, " ")), cell_of(finding.output_share),
                          std::string(finding.share_is_measured ? "true" : "false"),
                          cell_of(finding.measured_gain), reasons_words(finding),
                          finding.remedy.is_null() ? std::string() : json::line(finding.remedy)});
  }
  return table;
}

Table every_op(const Plan& plan) {
  Table table{
      .title = "Plan",
      .columns =
          {{"Op"}, {"Type"}, {"Pattern"}, {"Quantized"}, {"Precision"}, {"Form"}, {"Reason"}},
      .rows = {}};
  for (const OpPlan& op : plan.ops)
    table.rows.push_back({op.op.name, op.type, fmt::format("{}", fmt::join(op.pattern, " ")),
                          std::string(op.quantized ? "true" : "false"),
                          std::string(word(op.precision)), std::string(word(op.form)), op.reason});
  return table;
}

Table every_leftover(const Pairing& pairing) {
  Table table{.title = "Not compared", .columns = {{"Value"}, {"Model"}, {"Reason"}}, .rows = {}};
  for (const std::string& value : pairing.only_reference)
    table.rows.push_back({value, "reference", "no tensor of the quantized model stands for it"});
  for (const std::string& value : pairing.only_quantized)
    table.rows.push_back({value, "quantized", "it stands for no value of the reference"});
  for (const NotCompared& one : pairing.not_compared)
    table.rows.push_back({one.value, "reference", one.reason});
  return table;
}

Table every_flip(const AccuracyRecord& accuracy) {
  Table table{
      .title = "Flips",
      .columns = {{"Sample"}, {"Name"}, {"Direction"}, {"Label"}, {"Reference"}, {"Quantized"}},
      .rows = {}};
  for (const Flip& flip : accuracy.flips)
    table.rows.push_back({whole(flip.sample), flip.name, std::string(word(flip.direction)),
                          flip.label, flip.reference, flip.other});
  return table;
}

void add_profile(std::vector<NamedTable>& tables, const ProfileRecord& pair) {
  tables.push_back({"profile_nodes.csv", profiling_table(pair.reference, ProfileRows::nodes)});
  tables.push_back({"profile_types.csv", profiling_table(pair.reference, ProfileRows::types)});
  if (!pair.quantized) return;
  tables.push_back(
      {"profile_nodes_quantized.csv", profiling_table(*pair.quantized, ProfileRows::nodes)});
  tables.push_back(
      {"profile_types_quantized.csv", profiling_table(*pair.quantized, ProfileRows::types)});
  tables.push_back({"profile_ops.csv", joined_table(pair)});
}

void add_diagnosis(std::vector<NamedTable>& tables, const Diagnosis& diagnosis) {
  tables.push_back({"activations.csv", activations_table(diagnosis, ActivationOrder::mse)});
  tables.push_back({"weights.csv", weights_table(diagnosis)});
}

}  // namespace

Table trials_table(const Study& study) {
  Table table{.title = "Trials",
              .columns = {{"Trial"},
                          {"Why"},
                          {"Accuracy"},
                          {"Samples"},
                          {"Difference"},
                          {"Loss"},
                          {"Reached"},
                          {"Ops in int8"},
                          {"Ops in float"},
                          {"Bytes"},
                          {"Failure"}},
              .rows = {}};
  for (const Trial& trial : study.trials)
    table.rows.push_back({whole(trial.number), trial.why,
                          trial.accuracy ? Cell(trial.accuracy->value) : Cell(std::string()),
                          trial.accuracy ? whole(trial.accuracy->samples) : Cell(std::string()),
                          trial.accuracy ? Cell(trial.difference) : Cell(std::string()),
                          trial.accuracy ? Cell(trial.loss) : Cell(std::string()),
                          std::string(trial.reached ? "true" : "false"), whole(trial.ops_quantized),
                          whole(trial.ops_float), whole(trial.bytes), trial.failure});
  return table;
}

std::vector<NamedTable> all_tables(const RunRecords& records, const Pairing* pairing) {
  std::vector<NamedTable> tables;
  if (records.diagnosis) add_diagnosis(tables, *records.diagnosis);
  tables.push_back({"findings.csv", every_finding(records)});
  if (records.plan) {
    tables.push_back({"plan.csv", every_op(*records.plan)});
    tables.push_back({"precision.csv", precision_table(*records.plan, records.links)});
    tables.push_back({"float_reasons.csv", float_reasons_table(*records.plan)});
  }
  if (pairing != nullptr) tables.push_back({"not_compared.csv", every_leftover(*pairing)});
  if (records.accuracy) {
    tables.push_back({"accuracy.csv", accuracy_table(*records.accuracy, {})});
    tables.push_back({"flips.csv", every_flip(*records.accuracy)});
  }
  if (records.study) {
    tables.push_back({"study.csv", study_table(*records.study, records.times)});
    tables.push_back({"trials.csv", trials_table(*records.study)});
  }
  if (records.profile) add_profile(tables, *records.profile);
  if (records.statistics)
    tables.push_back({"statistics.csv", statistics_table(*records.statistics)});
  if (records.benchmark)
    tables.push_back({"benchmark.csv", benchmark_table(*records.benchmark, Digits::all)});
  std::erase_if(tables, [](const NamedTable& one) { return one.table.rows.empty(); });
  return tables;
}

}  // namespace quantlens
