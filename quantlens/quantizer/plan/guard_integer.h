// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "quantlens/graph/order.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// Stores what is added to these MatMuls (ids) as int32 at the scale of their products. Where ONNX
/// Runtime knows all extents, it makes a Gemm of a batch of matrices and a bias, which is integer
/// only where its bias is, too; else the Add stays, and is faster in float. So this is for MatMuls
/// that were seen to run in float. Gives those for which that changes the plan: not those whose
/// bias does not fit into int32.
std::set<std::string> guard_integer(const GraphIndex& index, const std::set<std::string>& ops,
                                    Plan& plan);

}  // namespace quantlens
