// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/graph/model.h"

namespace quantlens {

/// The one value that a stand-in computes: the extents of its first input.
inline constexpr const char* kStandInValue = "quantlens/extents";

/// A model of the same inputs that computes next to nothing, for a run of two in which only the
/// other one counts. Nothing where it has no input, or one that is no tensor.
std::optional<Model> stand_in(const Model& model);

}  // namespace quantlens
