// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// What was decided about the ops of one pattern.
struct PatternVerdict {
  OpForm form = OpForm::float_;
  Precision precision = Precision::fp32;
  std::string reason;  ///< why it is not quantized; empty where it is
};

/// Every op of the graph, in its order, those inside of others behind them. `verdicts`: one a
/// pattern; each node is in exactly one pattern.
std::vector<OpPlan> describe_ops(const Graph& graph, const std::vector<Pattern>& patterns,
                                 const std::vector<PatternVerdict>& verdicts);

}  // namespace quantlens
