// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/diagnosis/nonfinite_elements.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quantizer/capability.h"

namespace quantlens {

namespace {

/// Of one op's constants.
struct Lost {
  std::string op;  ///< as people see it
  std::size_t count = 0, elements = 0;
};

/// Infinities are counted in weights and biases: elsewhere they are masks.
std::vector<Lost> lost_in_constants(const Evidence& evidence) {
  std::vector<Lost> all;
  for (const Node& node : evidence.reference().graph().nodes) {
    const Capability* able = capability(node.kind);
    const bool is_weight = able != nullptr && able->role == Role::compute;
    Lost lost{.op = op_name(node)};
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
  const std::string further =
      all.size() == 1 ? "" : fmt::format(", some at {} too", counted(all.size() - 1, "other op"));
  Finding finding{
      .rule = "nonfinite",
      .op = first.op,
      .ops = {},
      .because = fmt::format("the float model's constants hold NaN or infinities, {} of {} "
                             "elements here{}; comparisons of constants leave them out",
                             first.count, first.elements, further),
      .remedy = {},
      .severity = "note"};
  for (const Lost& one : all) finding.ops.push_back(one.op);
  return finding;
}

/// Of activations, from the first op that makes them on.
std::optional<Finding> in_activations(const Evidence& evidence) {
  const ActivationRow* first = nullptr;
  std::optional<std::size_t> at;
  std::size_t rows = 0;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.nonfinite == 0) continue;
    ++rows;
    const auto number = evidence.reference().producer(row.value);
    if (first && number >= at) continue;
    first = &row;
    at = number;
  }
  if (first == nullptr) return {};
  const double outputs = evidence.outputs().nonfinite;
  std::string because = fmt::format(
      "{} {} NaN or infinities{}: {} of its {} pairs; no figure includes them",
      counted(rows, "activation"), rows == 1 ? "holds" : "hold",
      rows == 1 ? "" : ", this one first", first->nonfinite, first->nonfinite + first->elements);
  if (outputs > 0) because += fmt::format("; of an output they are {} %", percent_text(outputs));
  return Finding{.rule = "nonfinite",
                 .op = first->name,
                 .ops = {first->name},
                 .because = std::move(because),
                 .remedy = {},
                 .severity = first->elements == 0 || outputs > 0 ? "problem" : "note"};
}

}  // namespace

/// NaN or infinities, of activations and of constants.
std::vector<Finding> nonfinite(const Evidence& evidence) {
  std::vector<Finding> findings;
  if (auto found = in_activations(evidence)) findings.push_back(*std::move(found));
  if (auto found = in_constants(evidence)) findings.push_back(*std::move(found));
  return findings;
}

}  // namespace quantlens
