// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// For each node of the quantized file the node of the reference that it stands for, or that the
/// one it belongs to stands for: by equal results, by the pairing, by equal names, and last by its
/// neighbours (`absorb`).
std::vector<std::optional<std::size_t>> counterparts(const Graph& reference, const Graph& quantized,
                                                     const Pairing& pairing);

}  // namespace quantlens
