// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/costs.h"

#include <fmt/format.h>

namespace quantlens {

void Costs::add(const OpTime& row) {
  reference += row.reference_us;
  kernels += row.quantized_us;
  conversions += row.conversion_us;
  layouts += row.layout_us;
}

std::string around_text(const Costs& costs) {
  return fmt::format("{:.1f} us for conversions and {:.1f} for other layouts", costs.conversions,
                     costs.layouts);
}

}  // namespace quantlens
