// Why an op cannot be quantized, whatever the approach: sentences for people, empty where nothing
// stands in the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "quantlens/graph/model.h"

namespace quantlens {

inline constexpr const char* kConstantResult = "its result is constant";
inline constexpr const char* kKeptByRecipe = "the recipe keeps it in float";

/// Of a constant input that is to become integers. `what`: "weight", "bias", ...
std::string constant_obstacle(const Tensor& tensor, const std::string& what);

/// Of inputs with another type than float32, where their type is known.
std::string type_obstacle(const Node& node, std::span<const std::size_t> inputs,
                          const std::unordered_map<std::string, DType>& types);

/// Whether a model's operators are of the version that has words for all: what they have none for,
/// a newer version has not, either.
bool is_whole(const Vocabulary& vocabulary);

/// Of operands whose numbers are not read.
std::string opaque_obstacle(const Graph& graph, const Node& node);

}  // namespace quantlens
