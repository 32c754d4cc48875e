// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Nodes that together are one larger function which an exporter took apart, with the reason to
/// show: LayerNormalization (mean, variance, root, scale, shift in any of the usual spellings) and
/// GELU (by Erf or by Tanh). Rounding to 8 bits in between ruins both, and runtimes fuse them.
/// None begins at a value that more than 128 ops read. Takes time in proportion to the graph.
std::map<std::size_t, std::string> find_float_regions(const GraphIndex& index);

}  // namespace quantlens
