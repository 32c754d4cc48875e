// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/strategies/choices.h"

#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens {

std::vector<const Dimension*> dimensions_of(const Space& space) {
  std::vector<const Dimension*> dimensions;
  for (const Dimension& one : space.options) dimensions.push_back(&one);
  for (const Dimension& one : space.types_in_float) dimensions.push_back(&one);
  return dimensions;
}

Recipe recipe_of(const Task& task, const Choices& choices) {
  Recipe recipe = task.start;
  const std::vector<const Dimension*> dimensions = dimensions_of(task.space);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::string& choice = dimensions[i]->choices.at(choices.at(i));
    if (!choice.empty()) recipe = with_fragment(recipe, choice, dimensions[i]->name);
  }
  return recipe;
}

std::uint64_t RandomNumbers::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

std::size_t RandomNumbers::below(std::size_t count) {
  return static_cast<std::size_t>(next() % count);
}

Choices random_choices(const Space& space, RandomNumbers& random) {
  Choices choices;
  for (const Dimension& one : space.options) choices.push_back(random.below(one.choices.size()));
  for (const Dimension& one : space.types_in_float) {
    constexpr std::size_t kOneIn = 4;
    choices.push_back(random.below(kOneIn) == 0 ? random.below(one.choices.size() - 1) + 1 : 0);
  }
  return choices;
}

}  // namespace quantlens
