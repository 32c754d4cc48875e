// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/graph/model.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// An op that is int8 in the first trial and may be float.
struct TunableOp {
  std::string op;  ///< id
  std::string name;
  std::string type;
  Kind kind = Kind::other;
  bool computes = false;            ///< worth quantizing by itself: Conv, MatMul, Gemm
  std::uint64_t multiply_adds = 0;  ///< of one sample; 0 where they cannot be counted
  bool moves = false;               ///< changes no number: Reshape, Transpose
  std::vector<std::string> values;  ///< ids of the ops that its kernel replaces, itself first
  /// Numbers in Space::ops of those around it that do not compute: as long as they are int8, what
  /// it reads or makes is stored in codes all the same. Across ops that only move.
  std::vector<std::size_t> around;
  /// Equal for ops of one make, however often a network repeats it: type, kernel, groups, and the
  /// types of the ops that its result goes through before the next one that computes.
  std::string make;
};

/// One thing that may be chosen apart from the others.
struct Dimension {
  std::string name;
  std::vector<std::string> choices;  ///< fragments of recipes; the first one is as it is
};

/// What may vary.
struct Space {
  std::vector<TunableOp> ops;             ///< in the model's order
  std::vector<std::string> types;         ///< of these ops, those that compute first
  std::vector<Dimension> options;         ///< of the whole model; ops keep int8
  std::vector<Dimension> types_in_float;  ///< one a type
};

/// Multiplications of one sample by op id, of ops whose are known.
using MultiplyAdds = std::map<std::string, std::uint64_t>;

/// `plan`: of the recipe that the search starts from, for this graph; `able`: what its runtime runs
/// in int8.
Space space_of(const Graph& graph, const Capabilities& able, const Plan& plan, const Recipe& start,
               const MultiplyAdds& multiply_adds = {});

/// How many ops of a plan compute in int8, as TunableOp has it.
std::uint64_t compute_quantized(const Plan& plan, const Capabilities& able);

/// How many multiplications a plan has computed on int8 codes.
std::uint64_t multiply_adds_quantized(const Plan& plan, const MultiplyAdds& multiply_adds);

/// The recipe with these ops in float.
Recipe with_float(Recipe recipe, const std::vector<const TunableOp*>& ops);

/// Numbers of the ops in a space that a fragment of a recipe would have in float; none where it is
/// no such fragment, nor of a null.
std::vector<std::size_t> ops_in_float(const Space& space, const json::Value& fragment);

}  // namespace quantlens
