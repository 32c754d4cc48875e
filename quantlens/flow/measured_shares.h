// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/flow/bare.h"
#include "quantlens/flow/local_passes.h"

namespace quantlens::flow {

/// Measures over the bare answers' samples, of which at most `passes.samples` count, how much of
/// the outputs' error is gone when some ops are computed in float inside the quantized model
/// (float_ops), which then runs once for each answer. No answer where local errors were not asked,
/// where the patch cannot be made or run, and where the outputs are equal. Views `passes` and
/// `bare`.
MeasureShare measured_shares(const LocalPasses& passes, const BareAnswers& bare);

}  // namespace quantlens::flow
