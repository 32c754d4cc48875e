// SPDX-License-Identifier: Apache-2.0
// What a diagnosis suggests: first what keeps all ops in int8, then the fewest ops in float.
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/quantizer/recipe_document.h"
#include "quantlens/quantizer/recipe_rules.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

bool keeps_int8(const Finding& finding) {
  return !finding.remedy.empty() && finding.remedy.find("fp32") == std::string::npos &&
         finding.remedy.find("fp16") == std::string::npos;
}

/// All that the findings recommend for ops that stay int8.
Recipe with_remedies(Recipe recipe, const Diagnosis* diagnosis) {
  if (diagnosis == nullptr) return recipe;
  for (const Finding& finding : diagnosis->findings) {
    if (!keeps_int8(finding)) continue;
    try {
      recipe = with_fragment(recipe, finding.remedy, "the remedy of " + finding.rule);
    } catch (const Error&) {
      continue;  // a remedy that contradicts what was asked for is no remedy here
    }
  }
  return recipe;
}

void ask_for_channels(TensorRecipe& weight) {
  if (weight.granularity) weight.granularity = "per_channel";
}

void ask_for_least_error(TensorRecipe& activation) {
  if (activation.algorithm == "minmax") activation.algorithm = "mse";
}

/// What costs nothing where the model runs: a scale a channel, ranges of least error, biases
/// corrected.
Recipe with_better_codes(Recipe recipe) {
  recipe.weight.granularity = "per_channel";
  ask_for_least_error(recipe.activation);
  if (recipe.accuracy_level == "fast") recipe.accuracy_level = "default";
  recipe.recipes.bias_correction = true;
  for (auto* entries : {&recipe.op_type_dict, &recipe.op_name_dict}) {
    for (auto& [pattern, entry] : *entries) {
      ask_for_channels(entry.weight);
      ask_for_least_error(entry.activation);
    }
  }
  return recipe;
}

/// Ops that would stay float had no entry asked for integers: the quantizer knows why.
Recipe without_forced(Recipe recipe) {
  for (auto* entries : {&recipe.op_type_dict, &recipe.op_name_dict}) {
    for (auto& [pattern, entry] : *entries) {
      if (wants_float(entry)) continue;
      entry.activation.dtype.reset();
      entry.weight.dtype.reset();
    }
  }
  return recipe;
}

/// Every op by what it loses alone, worst first. Means of deviations are nearly nothing, so that
/// their noise says little: they come last, as does what was not compared.
std::vector<const TunableOp*> worst_first(const Space& space, const Diagnosis& diagnosis) {
  std::map<std::string_view, double> local;
  for (const ActivationRow& row : diagnosis.activations) {
    const double db = row.local_sqnr_db.value_or(row.sqnr_db);
    const auto [found, is_new] = local.emplace(row.op, db);
    if (!is_new) found->second = std::min(found->second, db);
  }
  const auto figure = [&](const TunableOp* op) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (op->kind == "reduce_mean") return kUnknown;
    double worst = kUnknown;
    for (const std::string& value : op->values) {
      const auto found = local.find(value);
      if (found != local.end() && found->second < worst) worst = found->second;
    }
    return worst;
  };
  std::vector<const TunableOp*> order;
  for (const TunableOp& op : space.ops) order.push_back(&op);
  std::ranges::stable_sort(order, {}, figure);
  return order;
}

class Auto {
 public:
  explicit Auto(Search& search) : search_(search), task_(search.task()) {}

  void run() {
    best_recipe_ = task_.start;
    if (!tried({.recipe = task_.start, .why = "the recipe as given", .look = Look::whole})) return;
    if (!remedies() || !less_forced() || task_.space.ops.empty()) return;
    fall_back();
  }

 private:
  /// False where the search is over. Remembers the recipe of the least loss.
  bool tried(const Proposal& proposal) {
    const std::optional<Trial> trial =
        proposal.look == Look::whole ? search_.run(proposal) : run_to_the_end(search_, proposal);
    if (!trial || search_.is_enough(*trial)) return false;
    // what edits the float model has to be worth the passes over data that each edit takes
    constexpr double kWorthIt = 0.8;
    const double compared = least_loss_ * (proposal.recipe.recipes.smooth_quant ? kWorthIt : 1);
    if (trial->accuracy && trial->loss < compared) {
      least_loss_ = trial->loss;
      best_recipe_ = trial->recipe;
    }
    return true;
  }

  bool remedies() {
    const Recipe better =
        with_better_codes(with_remedies(task_.start, search_.diagnose(task_.start)));
    const std::string kept = ": all ops stay int8";
    if (better != task_.start &&
        !tried({.recipe = better,
                .why = "a scale a channel, ranges of least error, biases corrected" + kept})) {
      return false;
    }
    Recipe smooth = better;
    smooth.accuracy_level = "best";
    smooth.recipes.smooth_quant = true;
    if (smooth == better) return true;
    return tried({.recipe = smooth, .why = "what MatMuls read smoothed as well" + kept});
  }

  bool less_forced() {
    const Recipe recipe = without_forced(best_recipe_);
    return recipe == best_recipe_ ||
           tried({.recipe = recipe, .why = "no op asked to be int8 that would stay float"});
  }

  /// These, and what is around them.
  Proposal fallback(std::size_t count) const {
    std::vector<const TunableOp*> ops(order_.begin(),
                                      order_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t near : order_[i]->around) ops.push_back(&task_.space.ops[near]);
    }
    const std::string what = count == 1
                                 ? "the op that is worst by itself"
                                 : fmt::format("the {} ops that are worst by themselves", count);
    return {.recipe = with_float(best_recipe_, ops),
            .why = what + " in float, with what is around"};
  }

  /// Whether so many suffice; nothing where the limits are reached.
  std::optional<bool> suffices(std::size_t count) {
    const std::optional<Trial> trial = run_to_the_end(search_, fallback(count));
    if (!trial) return std::nullopt;
    return trial->reached;
  }

  /// 1, 2, 4, 8 .. until the goal is met; then between the last two.
  void fall_back() {
    const Recipe base = best_recipe_;
    const Diagnosis* diagnosis = search_.diagnose(base);
    order_ = worst_first(task_.space, diagnosis ? *diagnosis : Diagnosis{});
    std::size_t missed = 0;
    for (std::size_t count = 1;; count = std::min(2 * count, order_.size())) {
      const std::optional<bool> met = suffices(count);
      if (!met) return;
      if (*met) return bisect(missed, count);
      missed = count;
      if (count == order_.size()) return;
    }
  }

  /// To one op, or to a 64th of many: a trial more costs more than they.
  void bisect(std::size_t missed, std::size_t met) {
    constexpr std::size_t kParts = 64;
    const std::size_t enough = std::max(task_.space.ops.size() / kParts, std::size_t{1});
    while (met - missed > enough) {
      const std::size_t middle = missed + (met - missed) / 2;
      const std::optional<bool> suffice = suffices(middle);
      if (!suffice) return;
      (*suffice ? met : missed) = middle;
    }
  }

  Search& search_;
  const Task& task_;
  Recipe best_recipe_;
  double least_loss_ = std::numeric_limits<double>::infinity();
  std::vector<const TunableOp*> order_;
};

}  // namespace

void tune_auto(Search& search) {
  Auto(search).run();
}

}  // namespace quantlens
