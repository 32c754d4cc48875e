// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/diagnosis/judge.h"
#include "quantlens/flow/steps/passes/bare.h"
#include "quantlens/flow/steps/passes/local_passes.h"

namespace quantlens::flow {

/// The outputs' errors over the bare answers' samples, of which at most `passes.samples` count: as
/// the files are, and with some ops computed in float inside the quantized model (float_ops), which
/// then runs once for each answer. There are none where local errors were not asked, where the
/// patch cannot be made or run, and where the outputs are equal. What is expected is loaded at
/// once, where the session has cores for it and models are small. Views all it is given.
std::unique_ptr<OutputErrors> measured_outputs(const LocalPasses& passes, const BareAnswers& bare);

}  // namespace quantlens::flow
