// Models that are made to be run once, for what the run shows, and are never shipped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "quantlens/graph/model.h"

namespace quantlens::frontend {

/// The one value that a stand-in computes: the extents of its first input.
inline constexpr const char* kStandInValue = "quantlens/extents";

/// A model of the same inputs and format that computes next to nothing, for a run of two in which
/// only the other one counts. Nothing where it has no input, or one that is no tensor, or where its
/// format cannot be written.
std::optional<Model> stand_in(const Model& model);

/// A model of that format: `length` ops, each element by element over `elements` floats, none of
/// which a runtime folds into its neighbour. This and the next throw Errc::unsupported where the
/// format cannot be written.
Model chain_model(std::string_view format, std::size_t length, std::int64_t elements);

/// A product of two matrices of n by n, the second a weight: floats, or codes to codes.
Model product_model(std::string_view format, std::int64_t n, bool integer);

}  // namespace quantlens::frontend
