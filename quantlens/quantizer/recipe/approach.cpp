// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/approach.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

struct Word {
  std::string_view name;
  std::string_view predecessors;
};
constexpr std::array kApproaches = {
    Word{"static", "post_training_static_quant"},
    Word{"dynamic", "post_training_dynamic_quant"},
    Word{"weight_only", "post_training_weight_only"},
    Word{"auto", "post_training_auto_quant"},
};

constexpr std::uint64_t kDefaultGroup = 32;

}  // namespace

std::string approach_named(std::string_view word) {
  std::vector<std::string> known;
  for (const Word& approach : kApproaches) {
    if (word == approach.name || word == approach.predecessors) return std::string(approach.name);
    known.emplace_back(approach.name);
  }
  throw Error(Errc::usage, fmt::format("recipe: approach cannot be '{}'; it may be {}",
                                       printable(word), fmt::join(known, ", ")));
}

Recipe recipe_for(std::string_view approach) {
  Recipe recipe;
  recipe.approach = approach_named(approach);
  if (recipe.approach == "weight_only") {
    recipe.activation = {};
    recipe.weight = {.dtype = "int4", .scheme = "sym", .group_size = kDefaultGroup};
  }
  return recipe;
}

bool needs_calibration(const Recipe& recipe) {
  return recipe.approach == "static" || recipe.approach == "auto";
}

}  // namespace quantlens
