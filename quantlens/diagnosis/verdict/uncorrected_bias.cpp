// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/uncorrected_bias.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"

namespace quantlens {
namespace {

struct Shifted {
  const ActivationRow* row = nullptr;
  double part = 0;  ///< of the error that begins there: the constants that rounded weights make
  double share() const { return part * row->output_share.value_or(0); }
};

/// Where rounding a weight shifts the means of channels, most first. A constant that the weight's
/// error is too small for comes from elsewhere: a clipped input, another bias.
std::vector<Shifted> shifted_rows(const Evidence& evidence) {
  std::vector<Shifted> all;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (evidence.weight_pair(row.op.id) == nullptr || row.output_share.value_or(0) <= 0) continue;
    const double constant = row.shift_share.value_or(0) * row.local_mse.value_or(0);
    const double made = part(std::min(constant, row.weight_mse.value_or(0)), row);
    if (made > 0) all.push_back({.row = &row, .part = std::min(1.0, made)});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Shifted::share);
  return all;
}

bool has_static_codes(const Diagnosis& diagnosis) {
  return std::ranges::any_of(diagnosis.activations,
                             [](const ActivationRow& row) { return row.scale.value_or(0) > 0; });
}

bool is_corrected(const Model& quantized) {
  const std::optional<Recipe> recipe = readable_recipe(quantized);
  return recipe && wants_bias_correction(*recipe);
}

}  // namespace

std::optional<FoundCause> uncorrected_bias(const Evidence& evidence, const Model& quantized) {
  constexpr double kMuch = 0.3;        // of the outputs' error; 0.6 of MobileNets, 0.07 corrected
  constexpr std::size_t kSeveral = 3;  // ops
  if (is_corrected(quantized) || !has_static_codes(evidence.diagnosis())) return {};
  const std::vector<Shifted> rows = shifted_rows(evidence);
  double constants = 0, begun = 0;
  std::array<double, 2> interval{};
  FoundCause found{
      .rule = "uncorrected_bias", .op = {}, .value = {}, .is_mistake = true, .estimated = {}};
  for (const Shifted& one : rows) {
    constants += one.share();
    begun += one.row->output_share.value_or(0);
    interval[0] += one.part * one.row->output_share_interval.value_or(std::array{0.0, 1.0})[0];
    found.cause.ops.push_back(one.row->op);
  }
  const bool is_common = rows.size() >= kSeveral && rows.front().share() < 0.5 * constants;
  if (constants < kMuch || !is_common) return {};
  found.op = rows.front().row->op;
  found.value = rows.front().row->value;
  found.share = std::min(1.0, constants);
  found.interval = {std::min(found.share, interval[0]), 1.0};
  found.cause.reasons = {
      {.says = "uncorrected_bias", .figures = {{"ops", figure::count(rows.size())}}}};
  found.cause.remedy = {{"recipes", {{"bias_correction", true}}}};
  found.cause.least_mended = std::min(1.0, constants / begun);
  return found;
}

}  // namespace quantlens
