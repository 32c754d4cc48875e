// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// What a recipe says of one op. The dtypes are those that it gets: never `int`.
struct Wish {
  OpRecipe recipe;
  /// An entry asks for integers by name: also where int8 saves nothing. See `is_forced`.
  bool forced = false;
};

/// uint8 or int8.
bool is_eight_bits(const std::optional<AskedDtype>& dtype);

/// The types that codes of activations have where an entry does not ask for others: 8 bits.
AskedDtype activation_dtype(const Recipe& recipe);

/// A recipe's entries, compiled and ready to be asked for each op: the model's own settings, then
/// op_type_dict, then op_name_dict; later ones win.
class RecipeRules {
 public:
  /// Throws Errc::usage for words that do not fit their place, for figures that no quantizer has
  /// and for broken regular expressions.
  explicit RecipeRules(const Recipe& recipe);
  ~RecipeRules();
  RecipeRules(const RecipeRules&) = delete;
  RecipeRules& operator=(const RecipeRules&) = delete;

  /// What holds for this op; remembers which entries have matched it.
  Wish for_op(const Node& node);

  /// What came of an op.
  struct Outcome {
    std::string name;           ///< as people see it
    std::string reason;         ///< why it is float; empty: it is quantized
    std::string anyway_reason;  ///< why it would be float without the recipe; empty: it would not
    std::string into;           ///< name of the op whose constants its own are part of; or empty
  };
  /// One sentence for each entry that matched nothing so far, with the nearest names of the graph,
  /// for each option that cannot have an effect, for each entry that changes nothing for the ops
  /// that it matched, and for each that asks for floats of an op that is part of an integer one.
  /// `outcomes`: by op id. `gone`: Prepared::gone.
  std::vector<std::string> notes(const Graph& graph,
                                 const std::unordered_map<std::string, Outcome>& outcomes = {},
                                 const std::vector<GoneOp>& gone = {},
                                 const KernelRules& kernels = {}) const;

 private:
  struct Rule;
  void note_options(const Rule& rule, const std::string& where,
                    std::vector<std::string>& notes) const;
  void note_effect(const Rule& rule, const std::string& where,
                   const std::unordered_map<std::string, Outcome>& outcomes,
                   std::vector<std::string>& notes) const;
  /// Ops that an entry matches and that are part of others, which stay integer, by names.
  static void note_folded(const Rule& rule, const std::string& where,
                          const std::unordered_map<std::string, Outcome>& outcomes,
                          const std::vector<const GoneOp*>& gone, std::vector<std::string>& notes);

  const Recipe& recipe_;
  std::vector<Rule> types_, names_;
};

/// Throws as the constructor of RecipeRules does.
void check_recipe(const Recipe& recipe);

/// Whether the op is asked to stay float ("fp32" or "fp16" for weight or activation).
bool wants_float(const OpRecipe& recipe);

}  // namespace quantlens
