// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/flow/steps/bare.h"
#include "quantlens/flow/steps/local_passes.h"

namespace quantlens::flow {

/// Measures over the bare answers' samples, of which at most `passes.samples` count, how much of
/// the outputs' error is gone when some ops are computed in float inside the quantized model
/// (float_ops), which then runs once for each answer. No answer where local errors were not asked,
/// where the patch cannot be made or run, and where the outputs are equal. What is expected is
/// loaded at once, where the session has cores for it and models are small. Views all it is given.
ShareSources measured_shares(const LocalPasses& passes, const BareAnswers& bare,
                             const SharesWithout& without);

}  // namespace quantlens::flow
