// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/integer_ops.h"

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
  const std::vector<std::string> ops = evidence.ops_at(row);
  // what reads none of these is `unexplained`
  if (const double other = part(row.other_mse, row); other >= 0.5) {
    if (is_of_codes_inside(evidence, row)) {
      return Cause{.because = fmt::format("it computes with codes that were not compared, whose "
                                          "rounding may make {:.0f} % of its own error",
                                          100 * other),
                   .ops = {row.name},
                   .remedy = in_float({row.name}),
                   .shared = {}};
    }
    return Cause{.because = fmt::format("it reads codes that were not compared, whose rounding may "
                                        "make {:.0f} % of its own error",
                                        100 * other),
                 .ops = ops,
                 .remedy = in_float(ops),
                 .shared = {}};
  }
  if (weight > codes) {
    const WeightRow* stored = evidence.weight(row.op);
    const std::string because =
        stored != nullptr && may_be_of_weight(*stored, row)
            ? fmt::format("rounding its weight ({:.1f} dB) makes {:.0f} % of its own error",
                          stored->sqnr_db, 100 * weight)
            : fmt::format(
                  "its constants, as the quantized model has them, make {:.0f} % of its "
                  "own error",
                  100 * weight);
    return Cause{
        .because = because, .ops = {row.name}, .remedy = in_float({row.name}), .shared = {}};
  }
  const auto bits = std::bit_width(static_cast<std::uint64_t>(evidence.steps(row)));
  return Cause{.because = fmt::format("{} bits are too few for {}: rounding in steps of {:.3g} "
                                      "makes {:.0f} % of its own error",
                                      bits, evidence.is_input(row) ? "it" : "its result",
                                      row.scale.value_or(0), 100 * codes),
               .ops = ops,
               .remedy = in_float(ops),
               .shared = {}};
}

}  // namespace quantlens
