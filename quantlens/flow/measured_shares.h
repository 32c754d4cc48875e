// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/flow/local_passes.h"

namespace quantlens::flow {

/// Enough to tell what an op in float takes away from what it does not.
inline constexpr std::uint64_t kShareSamples = 16;

/// Measures over the first samples how much of the outputs' error is gone when some ops are
/// computed in float inside the quantized model (float_ops): both models run once as they are, when
/// it is first asked, and once for each answer. No answer where local errors were not asked, where
/// the patch cannot be made or run, and where the outputs are equal. Views `passes`.
MeasureShare measured_shares(const LocalPasses& passes);

}  // namespace quantlens::flow
