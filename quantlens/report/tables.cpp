// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/record/op_counts.h"

namespace quantlens {
namespace {

/// A column and how it is read from a row of the record.
template <class Row>
struct Field {
  const char* title;
  bool only_in_files;
  Cell (*cell)(const Row&);
};

constexpr bool kEverywhere = false;
constexpr bool kOnlyInFiles = true;

template <class Integer>
Cell whole(Integer number) {
  return static_cast<std::int64_t>(number);
}

template <class Number>
Cell real_or_nothing(const std::optional<Number>& number) {
  return number ? Cell(static_cast<double>(*number)) : Cell(std::string());
}

template <class Integer>
Cell whole_or_nothing(const std::optional<Integer>& number) {
  return number ? whole(*number) : Cell(std::string());
}

Cell bound_or_nothing(const std::optional<std::array<double, 2>>& interval, std::size_t bound) {
  return interval ? Cell(interval->at(bound)) : Cell(std::string());
}

/// Where there is an interval, with it.
Cell estimate(double value, const std::optional<std::array<double, 2>>& interval) {
  return interval ? Cell(Estimate{.value = value, .interval = *interval}) : Cell(value);
}

Cell estimate_or_nothing(const std::optional<double>& value,
                         const std::optional<std::array<double, 2>>& interval) {
  return value ? estimate(*value, interval) : Cell(std::string());
}

/// Tied with the row above; finish_ranks adds what is below.
Cell rank_or_nothing(const ActivationRow& row) {
  if (!row.rank) return std::string();
  return Rank{.place = static_cast<std::int64_t>(*row.rank), .tied = row.tied_with_previous};
}

/// "name:share;name:share"; the share is what follows the last colon.
std::string worst_samples_text(const ActivationRow& row) {
  std::vector<std::string> parts;
  for (const SampleShare& sample : row.worst_samples) {
    parts.push_back(fmt::format("{}:{}", sample.name, exact_number(sample.share)));
  }
  return fmt::format("{}", fmt::join(parts, ";"));
}

// clang-format off
constexpr Field<ActivationRow> kActivationFields[] = {
    // as the predecessors, in their order
    {"OP name", kEverywhere, [](const ActivationRow& r) { return Cell(r.op.name); }},
    {"MSE", kEverywhere, [](const ActivationRow& r) { return Cell(r.mse); }},
    {"Activation min", kEverywhere, [](const ActivationRow& r) { return Cell(r.min); }},
    {"Activation max", kEverywhere, [](const ActivationRow& r) { return Cell(r.max); }},
    // ours
    {"SQNR [dB]", kEverywhere, [](const ActivationRow& r) { return estimate(r.sqnr_db, r.sqnr_db_interval); }},
    {"Rank", kEverywhere, [](const ActivationRow& r) { return rank_or_nothing(r); }},
    {"SQNR drop [dB]", kEverywhere, [](const ActivationRow& r) { return real_or_nothing(r.sqnr_drop_db); }},
    {"Local SQNR [dB]", kEverywhere, [](const ActivationRow& r) { return estimate_or_nothing(r.local_sqnr_db, r.local_sqnr_db_interval); }},
    {"Output share", kEverywhere, [](const ActivationRow& r) { return real_or_nothing(r.output_share); }},
    {"Cosine", kEverywhere, [](const ActivationRow& r) { return Cell(r.cosine); }},
    {"Max abs error", kEverywhere, [](const ActivationRow& r) { return Cell(r.max_abs_error); }},
    {"Clip rate", kEverywhere, [](const ActivationRow& r) { return Cell(r.clip_rate); }},
    {"Data range", kEverywhere, [](const ActivationRow& r) { return Cell(r.data_range); }},
    {"OP type", kEverywhere, [](const ActivationRow& r) { return Cell(r.type); }},
    {"Pattern", kEverywhere, [](const ActivationRow& r) { return Cell(fmt::format("{}", fmt::join(r.pattern, " "))); }},
    {"Side", kEverywhere, [](const ActivationRow& r) { return Cell(std::string(word(r.side))); }},
    {"MSE low", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.mse_interval, 0); }},
    {"MSE high", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.mse_interval, 1); }},
    {"SQNR low [dB]", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.sqnr_db_interval, 0); }},
    {"SQNR high [dB]", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.sqnr_db_interval, 1); }},
    {"Tied with previous", kOnlyInFiles, [](const ActivationRow& r) { return whole(r.tied_with_previous); }},
    {"Local SQNR low [dB]", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.local_sqnr_db_interval, 0); }},
    {"Local SQNR high [dB]", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.local_sqnr_db_interval, 1); }},
    {"Cosine low", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.cosine_interval, 0); }},
    {"Cosine high", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.cosine_interval, 1); }},
    {"Clip rate low", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.clip_rate_interval, 0); }},
    {"Clip rate high", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.clip_rate_interval, 1); }},
    {"Local MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.local_mse); }},
    {"Rounding MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.rounding_mse); }},
    {"Clipping MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.clipping_mse); }},
    {"Weight MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.weight_mse); }},
    {"Input MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.input_mse); }},
    {"Other MSE", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.other_mse); }},
    {"Output share low", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.output_share_interval, 0); }},
    {"Output share high", kOnlyInFiles, [](const ActivationRow& r) { return bound_or_nothing(r.output_share_interval, 1); }},
    {"MSE normalized", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.mse_normalized); }},
    {"Quantized min", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized_min); }},
    {"Quantized max", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized_max); }},
    {"Activation mean", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.mean); }},
    {"Activation standard deviation", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.standard_deviation); }},
    {"Activation median", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.median); }},
    {"Quantized mean", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized_mean); }},
    {"Quantized standard deviation", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized_standard_deviation); }},
    {"Quantized median", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized_median); }},
    {"Scale", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.scale); }},
    {"Zero point", kOnlyInFiles, [](const ActivationRow& r) { return whole_or_nothing(r.zero_point); }},
    {"Elements", kOnlyInFiles, [](const ActivationRow& r) { return whole(r.elements); }},
    {"Nonfinite", kOnlyInFiles, [](const ActivationRow& r) { return whole(r.nonfinite); }},
    {"Channels", kOnlyInFiles, [](const ActivationRow& r) { return whole(r.channels); }},
    {"Worst channel", kOnlyInFiles, [](const ActivationRow& r) { return whole_or_nothing(r.worst_channel); }},
    {"Worst channel share", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.worst_channel_share); }},
    {"Worst channel SQNR [dB]", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.worst_channel_sqnr_db); }},
    {"Channel spread", kOnlyInFiles, [](const ActivationRow& r) { return real_or_nothing(r.channel_spread); }},
    {"Worst samples", kOnlyInFiles, [](const ActivationRow& r) { return Cell(worst_samples_text(r)); }},
    {"OP", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.op.id); }},
    {"Value", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.value); }},
    {"Quantized value", kOnlyInFiles, [](const ActivationRow& r) { return Cell(r.quantized); }},
};

constexpr Field<WeightRow> kWeightFields[] = {
    // as the predecessors, in their order
    {"OP name", kEverywhere, [](const WeightRow& r) { return Cell(r.op.name); }},
    {"MSE", kEverywhere, [](const WeightRow& r) { return Cell(r.mse); }},
    {"Input model min", kEverywhere, [](const WeightRow& r) { return Cell(r.reference.min); }},
    {"Input model max", kEverywhere, [](const WeightRow& r) { return Cell(r.reference.max); }},
    {"Input model mean", kEverywhere, [](const WeightRow& r) { return Cell(r.reference.mean); }},
    {"Input model standard deviation", kEverywhere, [](const WeightRow& r) { return Cell(r.reference.standard_deviation); }},
    {"Input model variance", kEverywhere, [](const WeightRow& r) { return Cell(r.reference.variance); }},
    {"Optimized model min", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.dequantized.min); }},
    {"Optimized model max", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.dequantized.max); }},
    {"Optimized model mean", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.dequantized.mean); }},
    {"Optimized model standard deviation", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.dequantized.standard_deviation); }},
    {"Optimized model variance", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.dequantized.variance); }},
    // ours
    {"Worst channel", kEverywhere, [](const WeightRow& r) { return r.channels > 0 ? whole(r.worst_channel) : Cell(std::string()); }},
    {"Channel spread", kEverywhere, [](const WeightRow& r) { return r.channels > 0 ? Cell(r.channel_spread) : Cell(std::string()); }},
    {"SQNR [dB]", kEverywhere, [](const WeightRow& r) { return Cell(r.sqnr_db); }},
    {"Worst channel SQNR [dB]", kOnlyInFiles, [](const WeightRow& r) { return r.channels > 0 ? Cell(r.worst_channel_sqnr_db) : Cell(std::string()); }},
    {"Channels", kOnlyInFiles, [](const WeightRow& r) { return whole(r.channels); }},
    {"Cosine", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.cosine); }},
    {"Max abs error", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.max_abs_error); }},
    {"MSE normalized", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.mse_normalized); }},
    {"Dtype", kOnlyInFiles, [](const WeightRow& r) { return Cell(std::string(name(r.dtype))); }},
    {"Granularity", kOnlyInFiles, [](const WeightRow& r) { return Cell(std::string(word(r.granularity))); }},
    {"OP type", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.type); }},
    {"OP", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.op.id); }},
    {"Weight", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.weight); }},
    {"Quantized weight", kOnlyInFiles, [](const WeightRow& r) { return Cell(r.quantized); }},
};
// clang-format on

template <class Row>
Table empty_table(std::string title, std::span<const Field<Row>> fields) {
  Table table{.title = std::move(title), .columns = {}, .rows = {}};
  for (const Field<Row>& field : fields)
    table.columns.push_back({.title = field.title, .only_in_files = field.only_in_files});
  return table;
}

template <class Row>
std::vector<Cell> cells(const Row& row, std::span<const Field<Row>> fields) {
  std::vector<Cell> line;
  line.reserve(fields.size());
  for (const Field<Row>& field : fields) line.push_back(field.cell(row));
  return line;
}

/// Title of the column that an order sorts by.
std::string_view sorted_column(ActivationOrder order) {
  switch (order) {
    case ActivationOrder::sqnr:
      return "SQNR [dB]";
    case ActivationOrder::sqnr_drop:
      return "SQNR drop [dB]";
    case ActivationOrder::local:
      return "Local SQNR [dB]";
    case ActivationOrder::share:
      return "Output share";
    case ActivationOrder::mse:
      return "MSE";
    case ActivationOrder::range:
      return "Data range";
    case ActivationOrder::cosine:
      return "Cosine";
    case ActivationOrder::max_abs_error:
      return "Max abs error";
    case ActivationOrder::clip_rate:
      return "Clip rate";
  }
  return {};
}

double figure(const ActivationRow& row, ActivationOrder order) {
  switch (order) {
    case ActivationOrder::sqnr:
      return -row.sqnr_db;
    case ActivationOrder::sqnr_drop:
      return row.sqnr_drop_db.value_or(-std::numeric_limits<double>::infinity());
    case ActivationOrder::local:
      return -row.local_sqnr_db.value_or(std::numeric_limits<double>::infinity());
    case ActivationOrder::share:
      return row.output_share.value_or(-std::numeric_limits<double>::infinity());
    case ActivationOrder::mse:
      return row.mse;
    case ActivationOrder::range:
      return row.data_range;
    case ActivationOrder::cosine:
      return -row.cosine;
    case ActivationOrder::max_abs_error:
      return row.max_abs_error;
    case ActivationOrder::clip_rate:
      return row.clip_rate;
  }
  return 0;
}

/// Marks both rows of a tie, and shows ranks only in the order that they are of.
void finish_ranks(Table& table, ActivationOrder order) {
  const auto column = std::ranges::find(table.columns, "Rank", &Column::title);
  const auto at = static_cast<std::size_t>(column - table.columns.begin());
  Rank* above = nullptr;
  for (std::vector<Cell>& row : table.rows) {
    auto* const rank = std::get_if<Rank>(&row[at]);
    if (above != nullptr && rank != nullptr) {
      const bool shared = above->place == rank->place;
      above->tied = above->tied || shared || rank->tied;
      rank->tied = rank->tied || shared;
    }
    above = rank;
  }
  column->keep = order == ActivationOrder::sqnr;
  column->only_in_files = above == nullptr || !column->keep;
}

/// Shows what tells rows of one op apart: its values, and of one value the tensors it is compared
/// with.
void tell_apart(Table& table, const std::vector<ActivationRow>& rows) {
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::string_view>> values;
  bool share_name = false, share_value = false;
  for (const ActivationRow& row : rows) {
    share_name = !names.insert(row.op.name).second || share_name;
    share_value = !values.emplace(row.op.name, row.value).second || share_value;
  }
  const auto show = [&](std::string_view title) {
    const auto column = std::ranges::find(table.columns, title, &Column::title);
    column->only_in_files = false;
    column->keep = true;
  };
  if (share_name) show("Value");
  if (share_value) show("Quantized value");
}

/// The greater, the worse; never NaN, so that rows can be sorted by it.
double badness(const ActivationRow& row, ActivationOrder order) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool nothing_finite = row.elements == 0 && row.nonfinite > 0;
  if (nothing_finite && order != ActivationOrder::range) return kInfinity;
  const double value = figure(row, order);
  return std::isnan(value) ? -kInfinity : value;
}

/// What an op is computed in, and its column of the Mixed Precision Statistics.
constexpr std::pair<std::string_view, const char*> kPrecisions[] = {
    {"int8", "INT8"}, {"int16", "INT16"}, {"w4", "W4"},    {"w8", "W8"},
    {"bf16", "BF16"}, {"fp16", "FP16"},   {"fp32", "FP32"}};

/// Ops of a type by what they are computed in.
struct PrecisionCount {
  std::string type;
  std::int64_t total = 0;
  std::map<std::string_view, std::int64_t> by_precision = {};
  std::int64_t operator[](std::string_view precision) const {
    const auto found = by_precision.find(precision);
    return found == by_precision.end() ? 0 : found->second;
  }
};

std::vector<PrecisionCount> precision_counts(const Plan& plan) {
  std::map<std::string, PrecisionCount> by_type;
  for (const OpPlan& op : plan.ops) {
    if (!is_counted(op.kind)) continue;
    PrecisionCount& count = by_type[op.type];
    count.type = op.type;
    ++count.total;
    ++count.by_precision[word(op.precision)];
  }
  std::vector<PrecisionCount> counts;
  counts.reserve(by_type.size());
  for (auto& [type, count] : by_type) counts.push_back(std::move(count));
  std::ranges::stable_sort(counts, [](const PrecisionCount& a, const PrecisionCount& b) {
    return a["int8"] != b["int8"] ? a["int8"] > b["int8"] : a.total > b.total;
  });
  return counts;
}

std::string examples_text(const std::vector<std::string>& names) {
  constexpr std::size_t kExamples = 3;
  const auto count = static_cast<std::ptrdiff_t>(std::min(names.size(), kExamples));
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + count, ", "),
                     names.size() > kExamples ? ", ..." : "");
}

}  // namespace

Table activations_table(const Diagnosis& diagnosis, ActivationOrder order) {
  const std::span<const Field<ActivationRow>> fields(kActivationFields);
  std::vector<std::size_t> rows(diagnosis.activations.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(rows, std::ranges::greater(), [&](std::size_t row) {
    return badness(diagnosis.activations[row], order);
  });
  Table table = empty_table("Activations summary", fields);
  for (Column& column : table.columns) column.keep = column.title == sorted_column(order);
  for (const std::size_t row : rows)
    table.rows.push_back(cells(diagnosis.activations[row], fields));
  finish_ranks(table, order);
  tell_apart(table, diagnosis.activations);
  return table;
}

Table weights_table(const Diagnosis& diagnosis) {
  const std::span<const Field<WeightRow>> fields(kWeightFields);
  Table table = empty_table("Weights summary", fields);
  for (const WeightRow& row : diagnosis.weights) table.rows.push_back(cells(row, fields));
  return table;
}

Table precision_table(const Plan& plan, const LinkCounts& links) {
  std::vector<PrecisionCount> counts = precision_counts(plan);
  for (const auto& [type, number] : {std::pair{"QuantizeLinear", links.quantize},
                                     std::pair{"DequantizeLinear", links.dequantize}}) {
    const auto whole_number = static_cast<std::int64_t>(number);
    if (number > 0) counts.push_back({type, whole_number, {{"int8", whole_number}}});
  }
  Table table{.title = "Mixed Precision Statistics",
              .columns = {{"Op Type"}, {"Total"}},
              .rows = {},
              .title_form = TitleForm::stars};
  for (const PrecisionCount& count : counts) table.rows.push_back({count.type, count.total});
  for (const auto& [precision, title] : kPrecisions) {
    const auto is_there = [name = precision](const PrecisionCount& count) {
      return count[name] > 0;
    };
    if (std::ranges::none_of(counts, is_there)) continue;
    table.columns.push_back({title});
    for (std::size_t i = 0; i < counts.size(); ++i) {
      table.rows[i].emplace_back(counts[i][precision]);
    }
  }
  return table;
}

Table float_reasons_table(const Plan& plan) {
  struct Group {
    std::string reason;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> number;  // of a reason's group
  for (const OpPlan& op : plan.ops) {
    if (op.quantized || op.form == OpForm::fp16 || !is_counted(op.kind)) continue;
    const auto [found, is_new] = number.emplace(op.reason, groups.size());
    if (is_new) groups.push_back({op.reason, {}});
    groups[found->second].names.push_back(op.op.name);
  }
  std::ranges::stable_sort(
      groups, [](const Group& a, const Group& b) { return a.names.size() > b.names.size(); });
  Table table{
      .title = "Ops that stayed float", .columns = {{"Reason"}, {"OPs"}, {"Examples"}}, .rows = {}};
  for (const Group& group : groups) {
    table.rows.push_back({group.reason, whole(group.names.size()), examples_text(group.names)});
  }
  return table;
}

}  // namespace quantlens
