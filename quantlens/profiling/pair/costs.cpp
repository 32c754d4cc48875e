// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/costs.h"

namespace quantlens {

void Costs::add(const OpTime& row) {
  reference += row.reference_us;
  kernels += row.quantized_us;
  conversions += row.conversion_us;
  layouts += row.layout_us;
}

}  // namespace quantlens
