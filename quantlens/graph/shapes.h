// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "quantlens/graph/order.h"
#include "quantlens/graph/shape_rules.h"

namespace quantlens {

/// The shapes of values of one graph, those of its weights aside: a value that is missing has a
/// number of dimensions that is not known.
using Shapes = std::unordered_map<std::string, Dims>;

/// As far as the file says them, or the ops make them known: an extent is a number, or one of the
/// file's own names ("N"), or neither where that cannot be told. Nothing is run.
Shapes shapes(const GraphIndex& index);

}  // namespace quantlens
