// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/graph/model.h"

namespace quantlens::oracle {

/// As constant_values, of a model in TensorFlow's ops: what freezing leaves as Identity, and as
/// arithmetic of the numbers of a batch normalization, between constants and the op that reads
/// them. Those ops are put in the interpreter's words; all others are not evaluated.
TensorMap graphdef_constants(const Model& model, std::uint64_t most_bytes);

}  // namespace quantlens::oracle
