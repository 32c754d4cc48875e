// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/approach.h"

#include <algorithm>
#include <array>

#include "quantlens/quantizer/recipe/recipe_section.h"

namespace quantlens {
namespace {

struct Word {
  std::string_view name;
  Approach approach;
};
constexpr std::array kPredecessors = {
    Word{"post_training_static_quant", Approach::static_},
    Word{"post_training_dynamic_quant", Approach::dynamic},
    Word{"post_training_weight_only", Approach::weight_only},
    Word{"post_training_auto_quant", Approach::auto_},
};

constexpr std::uint64_t kDefaultGroup = 32;

}  // namespace

Approach approach_named(std::string_view word, const std::string& where) {
  const auto* const theirs = std::ranges::find(kPredecessors, word, &Word::name);
  if (theirs != kPredecessors.end()) return theirs->approach;
  return *choice<Approach>(std::string(word), where);
}

Recipe recipe_for(Approach approach) {
  Recipe recipe;
  recipe.approach = approach;
  if (approach == Approach::weight_only) {
    recipe.activation = {};
    recipe.weight = {
        .dtype = AskedDtype::int4, .scheme = Symmetry::sym, .group_size = kDefaultGroup};
  }
  return recipe;
}

bool needs_calibration(const Recipe& recipe) {
  return recipe.approach == Approach::static_ || recipe.approach == Approach::auto_;
}

}  // namespace quantlens
