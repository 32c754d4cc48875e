// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/graph/model.h"

namespace quantlens::contract {

/// All that a graph says, tensors by type, shape and bytes: equal texts are equal graphs.
std::string whole_text(const Graph& graph);

/// Likewise of a model, but for its path and file.
std::string whole_text(const Model& model);

}  // namespace quantlens::contract
