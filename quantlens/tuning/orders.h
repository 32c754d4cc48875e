// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"
#include "quantlens/tuning/space.h"

namespace quantlens {

/// What a diagnosis says of an op, each as a share of all ops' (0..1).
struct Blame {
  double output =
      0;  ///< of the outputs' error, what begins in it; where that is not known, as noise
  double noise = 0;  ///< of the sum of local noise over signal
  double mse = 0;    ///< of the sum of normalized squared errors
};

/// One for each op of the space; alike for all without a diagnosis.
std::vector<Blame> blames_of(const Space& space, const Diagnosis* diagnosis);

/// The sum over all ops but these.
Blame blame_without(const std::vector<Blame>& blames, const std::set<std::size_t>& ops);

/// What each op costs where it is float, in a unit of the objective's.
using Costs = std::vector<std::uint64_t>;

/// Ops (numbers in the space) that become float one step after the other, a step's together.
struct OpOrder {
  std::string name;  ///< "those most to blame first"
  std::vector<std::vector<std::size_t>> steps;
};

/// A step an op, by what it is to blame for its cost.
OpOrder by_blame(const std::vector<std::size_t>& ops, const std::vector<Blame>& blames,
                 const Costs& costs);

/// Other ways to put the same ops in order, the likeliest first: what is alike together (make, name
/// but for its numbers, the repeated part of the network that a name tells), from the outputs, from
/// the inputs, and by the other two figures of a diagnosis.
std::vector<OpOrder> other_orders(const Space& space, const std::vector<std::size_t>& ops,
                                  const std::vector<Blame>& blames, const Costs& costs);

/// Of each name, the part that it repeats with others: "encoder/layer.3" of
/// "encoder/layer.3/query" where there is an "encoder/layer.4" as well; empty where there is none.
std::vector<std::string> repeated_parts(const std::vector<std::string>& names);

}  // namespace quantlens
