// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"

namespace quantlens {

/// Ones for its only input, of floats or uint8.
Batch ones_for(const Model& model);

}  // namespace quantlens
