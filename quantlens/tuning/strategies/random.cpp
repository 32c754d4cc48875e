// SPDX-License-Identifier: Apache-2.0
// Recipes at random, the given one first.
#include "quantlens/tuning/strategies/choices.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {

void tune_random(Search& search) {
  constexpr std::size_t kRepeatsInARow = 1000;  // then nearly all of a small space was tried
  auto trial = search.run({.recipe = search.task().start, .why = "the recipe as given"});
  RandomNumbers random(search.task().seed);
  std::uint64_t last = trial ? trial->number : 0;
  for (std::size_t repeats = 0; trial && !search.is_enough(*trial) && repeats < kRepeatsInARow;) {
    trial =
        search.run({.recipe = recipe_of(search.task(), random_choices(search.task().space, random)),
                    .why = "at random"});
    if (!trial) return;
    repeats = trial->number > last ? 0 : repeats + 1;
    last = std::max(last, trial->number);
  }
}

}  // namespace quantlens
