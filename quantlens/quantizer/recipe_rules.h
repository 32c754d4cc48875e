// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// A recipe's entries, compiled and ready to be asked for each op: the model's own settings, then
/// op_type_dict, then op_name_dict; later ones win.
class RecipeRules {
 public:
  /// Throws Errc::usage for values that no quantizer has and for broken regular expressions.
  explicit RecipeRules(const Recipe& recipe);
  ~RecipeRules();
  RecipeRules(const RecipeRules&) = delete;
  RecipeRules& operator=(const RecipeRules&) = delete;

  /// What holds for this op; counts which patterns have matched.
  OpRecipe for_op(const Node& node);
  /// One sentence for each pattern that matched nothing so far, with the nearest names of the
  /// graph, and for each option that cannot have an effect.
  std::vector<std::string> notes(const Graph& graph) const;

 private:
  struct Rule;
  const Recipe& recipe_;
  std::vector<Rule> types_, names_;
};

/// Whether the op is asked to stay float ("fp32" for weight or activation).
bool wants_float(const OpRecipe& recipe);

}  // namespace quantlens
