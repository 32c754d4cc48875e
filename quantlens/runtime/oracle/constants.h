// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/graph/model.h"

namespace quantlens::oracle {

/// Values of the model's outermost graph that need nothing but constants, by name: what exporters
/// leave as Transpose, Cast, Identity, ConstantOfShape or arithmetic between a stored tensor and
/// the op that reads it. Only those that other nodes read. Whatever the oracle cannot evaluate, or
/// would take more than `most_bytes` together, is left out; integer codes stay as they are.
TensorMap constant_values(const Model& model, std::uint64_t most_bytes = std::uint64_t{1} << 30U);

}  // namespace quantlens::oracle
