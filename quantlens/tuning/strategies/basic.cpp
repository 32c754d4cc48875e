// SPDX-License-Identifier: Apache-2.0
// The predecessors' order: options of the whole model, switches of the recipe, then ops in float.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

class Basic {
 public:
  explicit Basic(Search& search) : search_(search), task_(search.task()) {}

  void run() {
    if (!tried(task_.start, "the recipe as given")) return;
    if (!options(false) || !all_switches() || !options(true)) return;
    fall_back();
  }

 private:
  /// False where the search is over.
  bool tried(const Recipe& recipe, const std::string& why) {
    const std::optional<Trial> trial = search_.run({.recipe = recipe, .why = why});
    if (!trial || search_.is_enough(*trial)) return false;
    if (has_figure(*trial) && (!best_ || is_better(task_.goal, *trial, *best_))) best_ = *trial;
    return true;
  }

  const Recipe& best() const { return best_ ? best_->recipe : task_.start; }

  static bool is_switch(const Dimension& option) { return option.name.ends_with("_quantization"); }

  /// One at a time, each on top of the best so far.
  bool options(bool switches) {
    for (const Dimension& option : task_.space.options) {
      if (is_switch(option) != switches) continue;
      for (const std::string& choice : option.choices) {
        if (choice.empty()) continue;
        if (!tried(with_fragment(best(), choice, "a choice"), choice)) return false;
      }
    }
    return true;
  }

  bool all_switches() {
    Recipe recipe = best();
    for (const Dimension& option : task_.space.options) {
      if (is_switch(option)) recipe = with_fragment(recipe, option.choices.back(), "a choice");
    }
    return recipe == best() || tried(recipe, "first, last and outer ops in float");
  }

  /// Each op alone, from the outputs to the inputs; then together, those that gain most first.
  void fall_back() {
    const Recipe base = best();
    std::vector<std::pair<double, const TunableOp*>> losses;
    const std::vector<TunableOp>& ops = task_.space.ops;
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      const auto trial = search_.run(
          {.recipe = with_float(base, {&*op}), .why = fmt::format("{} in float", op->name)});
      if (!trial || search_.is_enough(*trial)) return;
      if (has_figure(*trial)) losses.emplace_back(trial->loss, &*op);
    }
    std::ranges::stable_sort(losses, {}, &std::pair<double, const TunableOp*>::first);
    std::vector<const TunableOp*> order;
    order.reserve(losses.size());
    for (const auto& [loss, op] : losses) order.push_back(op);
    fall_back_in_order(search_, base, order);
  }

  Search& search_;
  const Task& task_;
  std::optional<Trial> best_;
};

}  // namespace

void tune_basic(Search& search) {
  Basic(search).run();
}

}  // namespace quantlens
