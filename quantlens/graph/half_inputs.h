// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Which inputs of an op are half where it computes in half (others are indices, shapes and the
/// like); all its outputs are. Nothing for kinds that stay in float32.
std::optional<std::vector<std::size_t>> half_inputs(const Node& node);

}  // namespace quantlens
