// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/nonfinite_elements.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {

namespace {

/// Of one op's constants.
struct Lost {
  OpRef op;
  std::size_t count = 0, elements = 0;
};

/// Infinities are counted in weights and biases: elsewhere they are masks.
std::vector<Lost> lost_in_constants(const Evidence& evidence) {
  std::vector<Lost> all;
  for (const Node& node : evidence.reference().graph().nodes) {
    const bool is_weight = evidence.able().has(node.kind, Role::compute);
    Lost lost{.op = ref_of(node)};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* stored = evidence.constant_input(node, i);
      if (stored == nullptr || !is_float(stored->dtype())) continue;
      const Tensor values = to_float32(*stored);
      lost.count += is_weight ? count_nonfinite(values) : count_nan(values);
      lost.elements += static_cast<std::size_t>(stored->size());
    }
    if (lost.count > 0) all.push_back(std::move(lost));
  }
  return all;
}

/// Constants of the float model that hold NaN or infinities: nothing of these was compared.
std::optional<Finding> in_constants(const Evidence& evidence) {
  const std::vector<Lost> all = lost_in_constants(evidence);
  if (all.empty()) return {};
  const Lost& first = all.front();
  Finding finding{.rule = "nonfinite",
                  .op = first.op,
                  .ops = {},
                  .reasons = {{"nonfinite.constants",
                               {{"nonfinite", figure::count(first.count)},
                                {"elements", figure::count(first.elements)},
                                {"other_ops", figure::count(all.size() - 1)}}}},
                  .remedy = {},
                  .severity = Severity::note};
  for (const Lost& one : all) finding.ops.push_back(one.op);
  return finding;
}

/// Activations for which a count is not 0.
struct CountedRows {
  const ActivationRow* first = nullptr;  ///< by the order of the ops
  std::size_t rows = 0;
};

CountedRows rows_with(const Evidence& evidence, std::uint64_t ActivationRow::*count) {
  CountedRows found;
  std::optional<std::size_t> at;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.*count == 0) continue;
    ++found.rows;
    const auto number = evidence.reference().producer(row.value);
    if (found.first != nullptr && number >= at) continue;
    found.first = &row;
    at = number;
  }
  return found;
}

/// Of activations, from the first op that makes them on: what is finite in the float model tells
/// more than what is not in either.
std::optional<Finding> in_activations(const Evidence& evidence) {
  std::uint64_t ActivationRow::*count = &ActivationRow::became_nonfinite;
  CountedRows found = rows_with(evidence, count);
  const bool became = found.first != nullptr;
  if (!became) {
    count = &ActivationRow::nonfinite;
    found = rows_with(evidence, count);
  }
  const ActivationRow* first = found.first;
  if (first == nullptr) return {};
  const double outputs = evidence.outputs().became_nonfinite;
  Statements reasons{{became ? "nonfinite.became" : "nonfinite.activations",
                      {{"activations", figure::count(found.rows)},
                       {"nonfinite", figure::count(first->*count)},
                       {"pairs", figure::count(first->nonfinite + first->elements)}}}};
  if (outputs > 0) reasons.push_back({"nonfinite.of_output", {{"part", figure::share(outputs)}}});
  return Finding{.rule = "nonfinite",
                 .op = first->op,
                 .ops = {first->op},
                 .reasons = std::move(reasons),
                 .remedy = {},
                 .severity = (became && first->elements == 0) || outputs > 0 ? Severity::problem
                                                                             : Severity::note};
}

/// A scale that makes no numbers of codes, or 0 of all.
struct BadScale {
  OpRef op;
  std::string value;
  float scale = 0;
};

bool is_nonfinite(const QParams& params) {
  return !std::isfinite(params.scale);
}

bool is_zero(const QParams& params) {
  return params.scale == 0;
}

/// Whether the value is 0 everywhere, which codes of any scale mean.
bool is_nothing(const Evidence& evidence, const ValuePair& pair) {
  const std::vector<ActivationRow>& rows = evidence.diagnosis().activations;
  const auto row = std::ranges::find(rows, pair.quantized, &ActivationRow::quantized);
  return row == rows.end() || (row->min == 0 && row->max == 0);
}

/// A weight whose codes have a scale of 0 is 0, which `changed_weight` tells where it was not.
std::vector<BadScale> bad_scales(const Evidence& evidence) {
  std::vector<BadScale> all;
  const auto look = [&](const auto& pair, std::span<const QParams> params, auto is_bad) {
    const auto bad = std::ranges::find_if(params, is_bad);
    if (bad != params.end()) all.push_back({pair.op, pair.quantized, bad->scale});
  };
  for (const WeightPair& pair : evidence.pairing().weights) look(pair, pair.params, is_nonfinite);
  for (const ValuePair& pair : evidence.pairing().pairs) {
    look(pair, pair.channel_params, is_nonfinite);
    if (!pair.params || !pair.channel_params.empty()) continue;
    const std::span<const QParams> one(&*pair.params, 1);
    look(pair, one, is_nonfinite);
    if (!is_nothing(evidence, pair)) look(pair, one, is_zero);
  }
  return all;
}

/// Codes that mean no numbers.
std::optional<Finding> in_scales(const Evidence& evidence) {
  const std::vector<BadScale> all = bad_scales(evidence);
  if (all.empty()) return {};
  const BadScale& first = all.front();
  Finding finding{.rule = "nonfinite",
                  .op = first.op,
                  .ops = {},
                  .reasons = {{"nonfinite.scale",
                               {{"codes", figure::value(first.value)},
                                {"scale", figure::number(first.scale)},
                                {"other_tensors", figure::count(all.size() - 1)}}}},
                  .remedy = {},
                  .severity = Severity::problem};
  for (const BadScale& one : all) {
    if (std::ranges::find(finding.ops, one.op) == finding.ops.end()) finding.ops.push_back(one.op);
  }
  return finding;
}

}  // namespace

/// NaN or infinities, of scales, activations and constants.
std::vector<Finding> nonfinite(const Evidence& evidence) {
  std::vector<Finding> findings;
  if (auto found = in_scales(evidence)) findings.push_back(*std::move(found));
  if (auto found = in_activations(evidence)) findings.push_back(*std::move(found));
  if (auto found = in_constants(evidence)) findings.push_back(*std::move(found));
  return findings;
}

}  // namespace quantlens
