// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Whether the op is one that first_conv_or_matmul_quantization and the like count.
bool is_conv_or_matmul(const Node& node);

/// By node: the Convs, MatMuls and Gemms, and the ops that they are computed from, without those
/// that only the first one (by the order of the graph) is computed from. What is left are the
/// network's pre-process and post-process. All of them where there is no such op.
std::vector<bool> without_pre_post_process(const GraphIndex& index);

}  // namespace quantlens
