// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/base/percent.h"
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// The codes do not reach as far as the values: most of what begins here is clipped.
std::optional<Cause> clipped_range(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kMost = 0.5;
  if (part(row.clipping_mse, row) < kMost) return {};
  return Cause{
      .because = fmt::format("its codes reach {:.3g} to {:.3g}, its values {:.3g} to {:.3g}: "
                             "{} % of them are clipped, which makes {:.0f} % of its own error",
                             row.quantized_min, row.quantized_max, row.min, row.max,
                             percent_text(row.clip_rate), 100 * part(row.clipping_mse, row)),
      .ops = {row.name},
      .remedy = with_minmax(evidence, row),
      .shared = {},
      .measured = evidence.ops_at(row)};
}

}  // namespace quantlens
