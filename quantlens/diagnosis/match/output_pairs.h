// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Outputs of the two graphs that their users take for the same, whatever makes them.
struct OutputPair {
  std::size_t reference = 0;  ///< number among the reference's outputs
  std::size_t quantized = 0;  ///< likewise
  bool by_name = false;       ///< else by their places
};

/// Those of the same name, in any order; where no name is shared and both graphs have as many
/// outputs, those at the same place. Only tensors, in the reference's order.
std::vector<OutputPair> output_pairs(const Graph& reference, const Graph& quantized);

}  // namespace quantlens
