// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/quantizer/analyze/prepare.h"

namespace quantlens::flow {

/// Ops of a model that an edit of it has no more, since their constants went into an op with a
/// weight before or behind them.
std::vector<GoneOp> gone_ops(const Model& before, const Model& after);

}  // namespace quantlens::flow
