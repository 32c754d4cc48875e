// SPDX-License-Identifier: Apache-2.0
// Every combination of options and types of ops in float, options first.
#include "quantlens/tuning/strategies/choices.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

/// Counts up, the first digit fastest; false after the last combination.
bool advance(const std::vector<const Dimension*>& dimensions, Choices& choices) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (++choices[i] < dimensions[i]->choices.size()) return true;
    choices[i] = 0;
  }
  return false;
}

}  // namespace

void tune_exhaustive(Search& search) {
  const std::vector<const Dimension*> dimensions = dimensions_of(search.task().space);
  Choices choices(dimensions.size(), 0);
  do {
    const auto trial =
        search.run({.recipe = recipe_of(search.task(), choices), .why = "the next combination"});
    if (!trial || search.is_enough(*trial)) return;
  } while (advance(dimensions, choices));
}

}  // namespace quantlens
