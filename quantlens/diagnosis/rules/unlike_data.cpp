// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/room.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr double kClipped = 0.02;
constexpr double kWide = 2;

/// Share of the codes that lies between the least and the greatest value.
double used(const ActivationRow& row, const std::array<double, 2>& reach) {
  const double low = std::clamp(row.min, reach[0], reach[1]);
  const double high = std::clamp(row.max, reach[0], reach[1]);
  return (high - low) / (reach[1] - reach[0]);
}

/// Whether no value has one of the signs, though a third of the codes or more are for it. Codes of
/// a file that has two-sided ones alone say nothing: its maker centres all.
bool lacks_a_sign(const ActivationRow& row, const std::array<double, 2>& reach) {
  constexpr double kThird = 1.0 / 3;
  const double width = reach[1] - reach[0];
  return (row.min >= 0 && -reach[0] >= kThird * width) ||
         (row.max <= 0 && reach[1] >= kThird * width);
}

/// Whether some value's codes are all of one sign.
bool has_one_sided_codes(const Evidence& evidence) {
  return std::ranges::any_of(evidence.diagnosis().activations, [&](const ActivationRow& row) {
    const auto reach = evidence.reach(row);
    return reach && ((*reach)[0] == 0 || (*reach)[1] == 0);
  });
}

/// An input of the model, or what its first op makes of one by a constant: the mean is taken off
/// inside.
bool is_prepared_data(const Evidence& evidence, const ActivationRow& row) {
  if (evidence.is_input(row)) return true;
  const Node* op = evidence.node(row.op);
  if (op == nullptr || op->inputs.size() != 2 || op->outputs.front() != row.value) return false;
  if (op->kind != Kind::add && op->kind != Kind::sub && op->kind != Kind::mul &&
      op->kind != Kind::div)
    return false;
  const auto is_input = [&](std::size_t i) { return evidence.reference().is_input(op->inputs[i]); };
  return (is_input(0) && evidence.constant_input(*op, 1) != nullptr) ||
         (is_input(1) && evidence.constant_input(*op, 0) != nullptr);
}

}  // namespace

/// The model's own inputs do not fit the codes that calibration chose for them.
std::vector<Finding> unlike_data(const Evidence& evidence) {
  constexpr double kTwoBits = 0.25;
  const bool one_sided = has_one_sided_codes(evidence);
  std::vector<Finding> findings;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    const auto reach = evidence.reach(row);
    if (!reach || row.elements == 0 || !is_prepared_data(evidence, row)) continue;
    const double times = room(row, *reach);
    const bool is_clipped = row.clip_rate >= kClipped;
    const bool is_wide = std::isfinite(times) && times > kWide;
    const bool lacks = one_sided && lacks_a_sign(row, *reach);
    const double part = used(row, *reach);
    if (!is_clipped && !is_wide && !lacks && part > kTwoBits) continue;
    // what clips, what never has one of the signs, and what uses 6 bits of 8 or fewer makes all
    // other figures doubtful
    const bool is_problem = is_clipped || lacks || part <= kTwoBits;
    findings.push_back(
        {.rule = "unlike_data",
         .op = row.name,
         .ops = {row.name},
         .because = fmt::format(
             "the data are {:.3g} to {:.3g} here, the codes that calibration chose reach from "
             "{:.3g} to {:.3g}: {:.0f} % of them are used, and {:.2g} % of the data are clipped. "
             "They may be prepared otherwise (scale, mean, order of channels) than for "
             "calibration, or than the float model wants them",
             row.min, row.max, (*reach)[0], (*reach)[1], 100 * part, 100 * row.clip_rate),
         .remedy = {},
         .severity = is_problem ? "problem" : ""});
  }
  return findings;
}

}  // namespace quantlens
