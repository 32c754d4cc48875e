// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/graph/integer_ops.h"

namespace quantlens {
namespace {

/// Whether the op that makes the row's floats has codes inside.
bool is_of_codes_inside(const Evidence& evidence, const ActivationRow& row) {
  const auto maker = evidence.quantized().producer(row.quantized);
  return maker && has_codes_inside(evidence.quantized().graph().nodes[*maker]);
}

/// Whether the weight's rounding may be what makes so much error: an op's error is hardly 20 dB
/// above that of its weight, or else other constants of its pattern make it.
bool may_be_of_weight(const WeightRow& stored, const ActivationRow& row) {
  constexpr double kFar = 20;  // dB, where sums cancel
  return stored.sqnr_db - row.local_sqnr_db.value_or(stored.sqnr_db) <= kFar;
}

}  // namespace

/// No more special cause: 8 bits are too few, of the weight or of the result.
std::optional<Cause> rounding(const Evidence& evidence, const ActivationRow& row) {
  const double weight = part(row.weight_mse, row);
  const double codes = part(row.rounding_mse, row);
  const std::vector<OpRef> ops = evidence.ops_at(row);
  // what reads none of these is `unexplained`
  if (const double other = part(row.other_mse, row); other >= 0.5) {
    if (is_of_codes_inside(evidence, row)) {
      return Cause{.reasons = {{"rounding.codes_inside", {{"part", figure::share(other)}}}},
                   .ops = {row.op},
                   .remedy = in_float({row.op}),
                   .shared = {}};
    }
    return Cause{.reasons = {{"rounding.uncompared_codes", {{"part", figure::share(other)}}}},
                 .ops = ops,
                 .remedy = in_float(ops),
                 .shared = {}};
  }
  if (weight > codes) {
    const WeightRow* stored = evidence.weight(row.op.id);
    Statement reason{.says = "rounding.constants", .figures = {{"part", figure::share(weight)}}};
    if (stored != nullptr && may_be_of_weight(*stored, row)) {
      reason.says = "rounding.weight";
      reason.figures["weight_sqnr"] = figure::decibels(stored->sqnr_db);
    }
    return Cause{.reasons = {std::move(reason)},
                 .ops = {row.op},
                 .remedy = in_float({row.op}),
                 .shared = {}};
  }
  const auto bits = std::bit_width(static_cast<std::uint64_t>(evidence.steps(row)));
  return Cause{.reasons = {{"rounding.bits",
                            {{"bits", figure::count(static_cast<std::uint64_t>(bits))},
                             {"of", figure::text(evidence.is_input(row) ? "input" : "result")},
                             {"step", figure::number(row.scale.value_or(0))},
                             {"part", figure::share(codes)}}}},
               .ops = ops,
               .remedy = in_float(ops),
               .shared = {}};
}

}  // namespace quantlens
