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

Cell truth(bool is) {
  return std::string(is ? "true" : "false");
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
                          truth(finding.share_is_measured), cell_of(finding.measured_gain),
                          reasons_words(finding),
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
                          truth(op.quantized), std::string(word(op.precision)),
                          std::string(word(op.form)), op.reason});
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

void add_ranges(const std::vector<ValueRange>& values, std::string_view bits, Table& table) {
  const auto named = [](const std::optional<RangeAlgorithm>& one) {
    return one ? std::string(word(*one)) : std::string();
  };
  for (const ValueRange& one : values)
    table.rows.push_back({one.value, std::string(bits), static_cast<double>(one.min),
                          static_cast<double>(one.max), named(one.algorithm), named(one.asked),
                          cell_of(one.expected_mse)});
}

Table every_range(const Ranges& ranges) {
  Table table{
      .title = "Ranges",
      .columns =
          {{"Value"}, {"Bits"}, {"Min"}, {"Max"}, {"Algorithm"}, {"Asked for"}, {"Expected MSE"}},
      .rows = {}};
  add_ranges(ranges.values, "8", table);
  add_ranges(ranges.wide, "16", table);
  return table;
}

Table every_op_price(const Prices& prices) {
  Table table{.title = "Prices of ops",
              .columns = {{"Group"},
                          {"Ops"},
                          {"Float [us]"},
                          {"INT8 [us]"},
                          {"Float beside INT8 [us]"},
                          {"INT8 beside float [us]"},
                          {"Seen in INT8"},
                          {"Passes codes"},
                          {"Gives floats"}},
              .rows = {}};
  for (std::size_t i = 0; i < prices.groups.size(); ++i) {
    const GroupPrice& one = prices.groups[i];
    table.rows.push_back({count_cell(i), fmt::format("{}", fmt::join(one.ops, " ")), one.float_us,
                          one.int8_us, one.float_beside_us, one.int8_beside_us,
                          truth(one.seen_in_int8), truth(one.passes_codes),
                          truth(one.gives_floats)});
  }
  return table;
}

/// Groups by their numbers in the other table; the outside has none.
Table every_value_price(const Prices& prices) {
  Table table{.title = "Prices of values",
              .columns = {{"Value"}, {"From"}, {"To"}, {"Quantize [us]"}, {"Dequantize [us]"}},
              .rows = {}};
  const auto group = [&](std::uint64_t number) {
    return number < prices.groups.size() ? std::to_string(number) : std::string("outside");
  };
  for (const ValuePrice& one : prices.values) {
    std::vector<std::string> readers;
    for (const std::uint64_t reader : one.to) readers.push_back(group(reader));
    table.rows.push_back({one.value, group(one.from), fmt::format("{}", fmt::join(readers, " ")),
                          one.quantize_us, one.dequantize_us});
  }
  return table;
}

Table every_flip(const AccuracyRecord& accuracy) {
  Table table{
      .title = "Flips",
      .columns = {{"Sample"}, {"Name"}, {"Direction"}, {"Label"}, {"Reference"}, {"Quantized"}},
      .rows = {}};
  for (const Flip& flip : accuracy.flips)
    table.rows.push_back({count_cell(flip.sample), flip.name, std::string(word(flip.direction)),
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
    table.rows.push_back(
        {count_cell(trial.number), trial.why,
         trial.accuracy ? Cell(trial.accuracy->value) : Cell(std::string()),
         trial.accuracy ? count_cell(trial.accuracy->samples) : Cell(std::string()),
         trial.accuracy ? Cell(trial.difference) : Cell(std::string()),
         trial.accuracy ? Cell(trial.loss) : Cell(std::string()), truth(trial.reached),
         count_cell(trial.ops_quantized), count_cell(trial.ops_float), count_cell(trial.bytes),
         trial.failure});
  return table;
}

std::vector<NamedTable> all_tables(const RunRecords& records, const SideRecords& side) {
  std::vector<NamedTable> tables;
  if (records.diagnosis) add_diagnosis(tables, *records.diagnosis);
  tables.push_back({"findings.csv", every_finding(records)});
  if (records.plan) {
    tables.push_back({"plan.csv", every_op(*records.plan)});
    tables.push_back({"precision.csv", precision_table(*records.plan, records.links)});
    tables.push_back({"float_reasons.csv", float_reasons_table(*records.plan)});
  }
  if (side.pairing) tables.push_back({"not_compared.csv", every_leftover(*side.pairing)});
  if (side.ranges) tables.push_back({"ranges.csv", every_range(*side.ranges)});
  if (records.accuracy) {
    tables.push_back({"accuracy.csv", accuracy_table(*records.accuracy, {})});
    tables.push_back({"flips.csv", every_flip(*records.accuracy)});
  }
  if (records.study) {
    tables.push_back({"study.csv", study_table(*records.study, records.times)});
    tables.push_back({"trials.csv", trials_table(*records.study)});
    if (side.prices) {
      tables.push_back({"prices_of_ops.csv", every_op_price(*side.prices)});
      tables.push_back({"prices_of_values.csv", every_value_price(*side.prices)});
    }
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
