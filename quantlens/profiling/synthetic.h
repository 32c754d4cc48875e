// Small models that are run to learn what this machine and its runtime can do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"

namespace quantlens {

/// `length` ops, each element by element over `elements` floats, none of which a runtime folds into
/// its neighbour.
Model chain_model(std::size_t length, std::int64_t elements);

/// A product of two matrices of n by n, the second a weight: floats, or codes to codes.
Model product_model(std::int64_t n, bool integer);

/// Ones for its only input.
Batch ones_for(const Model& model);

}  // namespace quantlens
