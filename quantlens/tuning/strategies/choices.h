// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "quantlens/tuning/strategy.h"

namespace quantlens {

/// One choice of each dimension, by number.
using Choices = std::vector<std::size_t>;

/// All dimensions of a space, those of the whole model first.
std::vector<const Dimension*> dimensions_of(const Space& space);

/// The recipe that makes these choices.
Recipe recipe_of(const Task& task, const Choices& choices);

/// Numbers that only depend on the seed (splitmix64: G. Steele, D. Lea, C. Flood, "Fast splittable
/// pseudorandom number generators", 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t count);  ///< REQUIRES: count > 0

 private:
  std::uint64_t state_;
};

/// A choice of each dimension at random; types of ops stay int8 three times out of four.
Choices random_choices(const Space& space, RandomNumbers& random);

}  // namespace quantlens
