// SPDX-License-Identifier: Apache-2.0
// What a diagnosis suggests: first what keeps all ops in int8, then the fewest ops in float.
#include <algorithm>
#include <compare>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json_line.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/strategies/least_float.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

bool keeps_int8(const Finding& finding) {
  if (finding.remedy.is_null()) return false;
  const std::string remedy = json::line(finding.remedy);
  return remedy.find("fp32") == std::string::npos && remedy.find("fp16") == std::string::npos;
}

/// A remedy that contradicts what was asked for is no remedy here.
Recipe with_remedy(Recipe recipe, const json::Value& remedy) {
  try {
    return with_document(recipe, remedy, "a finding's remedy");
  } catch (const Error&) {
    return recipe;
  }
}

/// All that the findings recommend for ops that stay int8.
Recipe with_remedies(Recipe recipe, const Diagnosis* diagnosis) {
  if (diagnosis == nullptr) return recipe;
  for (const Finding& finding : diagnosis->findings) {
    if (keeps_int8(finding)) recipe = with_remedy(std::move(recipe), finding.remedy);
  }
  return recipe;
}

void ask_for_channels(TensorRecipe& weight) {
  if (weight.granularity) weight.granularity = Granularity::per_channel;
}

/// Whatever else was asked for: the quantizer's own choice stays.
void ask_for_least_error(TensorRecipe& activation) {
  if (activation.algorithm && activation.algorithm != RangeAlgorithm::auto_)
    activation.algorithm = RangeAlgorithm::mse;
  activation.percentile.reset();
}

/// What costs nothing where the model runs: a scale a channel, ranges of least error, biases
/// corrected.
Recipe with_better_codes(Recipe recipe) {
  recipe.weight.granularity = Granularity::per_channel;
  ask_for_least_error(recipe.activation);
  if (recipe.accuracy_level == AccuracyLevel::fast) recipe.accuracy_level = AccuracyLevel::default_;
  if (!wants_bias_correction(recipe)) recipe.recipes.bias_correction = true;
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

/// By how much an op is to blame: most of the outputs' error that begins in it, then the least
/// local SQNR. Means of deviations are nearly nothing, so that their noise alone says little.
struct RowBlame {
  double share = 0;
  double local_db = std::numeric_limits<double>::infinity();
  auto operator<=>(const RowBlame&) const = default;
};

RowBlame blame_of(const ActivationRow& row, const TunableOp& op) {
  RowBlame blame{.share = -row.output_share.value_or(0)};
  if (op.kind != Kind::reduce_mean) blame.local_db = row.local_sqnr_db.value_or(row.sqnr_db);
  return blame;
}

/// Every op, those most to blame first.
std::vector<const TunableOp*> worst_first(const Space& space, const Diagnosis& diagnosis) {
  std::multimap<std::string_view, const ActivationRow*> rows;
  for (const ActivationRow& row : diagnosis.activations) rows.emplace(row.op.id, &row);
  std::vector<std::pair<RowBlame, const TunableOp*>> order;
  for (const TunableOp& op : space.ops) {
    RowBlame worst;
    for (const std::string& value : op.values) {
      const auto [first, last] = rows.equal_range(value);
      for (auto row = first; row != last; ++row)
        worst = std::min(worst, blame_of(*row->second, op));
    }
    order.emplace_back(worst, &op);
  }
  std::ranges::stable_sort(order, [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<const TunableOp*> ops;
  ops.reserve(order.size());
  for (const auto& [blame, op] : order) ops.push_back(op);
  return ops;
}

/// What may be in float: what a finding names, or an op and what is around it.
struct Step {
  json::Value remedy;
  const TunableOp* op = nullptr;
};

/// First what findings would have in float, then op by op.
std::vector<Step> steps_of(const Space& space, const Diagnosis& diagnosis) {
  std::vector<Step> steps;
  for (const Finding& finding : diagnosis.findings) {
    if (!finding.remedy.is_null() && !keeps_int8(finding))
      steps.push_back({.remedy = finding.remedy});
  }
  for (const TunableOp* op : worst_first(space, diagnosis))
    steps.push_back({.remedy = {}, .op = op});
  return steps;
}

class Auto {
 public:
  explicit Auto(Search& search) : search_(search), task_(search.task()) {}

  void run() {
    best_recipe_ = task_.start;
    if (!tried({.recipe = task_.start, .why = "the recipe as given", .look = Look::whole})) return;
    if (!better_codes() || !whole_ranges() || !smoothed()) return;
    if (task_.space.ops.empty()) return;
    const Recipe base = best_recipe_;
    const Diagnosis* diagnosis = search_.diagnose(base);
    if (task_.goal.objective == Objective::accuracy) return fall_back_for_accuracy(diagnosis);
    keep_least_in_float(search_, base, diagnosis);
  }

 private:
  /// False where the search is over. Remembers the recipe of the least loss; `worth`: it has to
  /// lose no more than so much of what the best so far does.
  bool tried(const Proposal& proposal, double worth = 1) {
    const std::optional<Trial> trial =
        proposal.look == Look::whole ? search_.run(proposal) : run_to_the_end(search_, proposal);
    if (!trial) return false;
    most_work_ = std::max(most_work_, trial->multiply_adds_quantized);
    if (search_.is_enough(*trial)) {
      work_lost_ = most_work_ - trial->multiply_adds_quantized;
      return false;
    }
    // the later one where both lose all: its codes are better
    if (trial->accuracy && trial->loss <= worth * least_loss_) {
      least_loss_ = trial->loss;
      best_recipe_ = trial->recipe;
      is_open_ = may_be_within(task_.goal, *trial);
    }
    return true;
  }

  /// Better codes, and nothing forced. Where that is enough but costs work, what is forced may be,
  /// or a part of it.
  bool better_codes() {
    const Recipe better = with_better_codes(task_.start);
    const Recipe forced = with_remedies(better, search_.diagnose(task_.start));
    const Recipe recipe = without_forced(forced);
    const std::string_view codes =
        forced == better
            ? "per-channel weights, ranges by least error and corrected biases"
            : "per-channel weights, ranges by least error, corrected biases and the findings' "
              "remedies";
    const std::string_view freed = "no op is forced to int8";
    const auto why = [&](std::string_view rest) { return fmt::format("{}; {}", codes, rest); };
    if (recipe == task_.start ||
        tried({.recipe = recipe, .why = why(recipe == forced ? kKept : freed)})) {
      return true;
    }
    if (recipe == forced || work_lost_ == 0) return false;
    const std::uint64_t lost = work_lost_;
    if (forced == task_.start || tried({.recipe = forced, .why = why(kKept)})) {
      keep_least_in_float(search_, forced, search_.diagnose(forced), lost);
    }
    return false;
  }

  /// Where chance may decide, other ranges are another chance, before any op has to be float.
  bool whole_ranges() {
    Recipe recipe = best_recipe_;
    recipe.activation.algorithm = RangeAlgorithm::minmax;
    recipe.activation.percentile.reset();
    return !is_open_ || recipe == best_recipe_ ||
           tried(
               {.recipe = recipe, .why = fmt::format("ranges from minimum to maximum; {}", kKept)},
               kSurelyLess);
  }

  /// Late, since it edits the float model, which takes further passes over data: it has to be worth
  /// them.
  bool smoothed() {
    const bool has_products = std::ranges::any_of(task_.space.ops, [](const TunableOp& op) {
      return op.kind == Kind::matmul || op.kind == Kind::gemm;
    });
    if (!has_products) return true;
    Recipe smooth = best_recipe_;
    smooth.accuracy_level = AccuracyLevel::best;
    smooth.recipes.smooth_quant = true;
    return smooth == best_recipe_ ||
           tried({.recipe = smooth, .why = "SmoothQuant for the inputs of MatMuls, too"},
                 kSurelyLess);
  }

  static std::string told(std::size_t findings, std::size_t ops) {
    std::string named =
        findings == 1 ? "what 1 finding names" : fmt::format("what {} findings name", findings);
    const std::string blamed =
        ops == 1 ? "the op most to blame with its neighbours"
                 : fmt::format("the {} ops most to blame with their neighbours", ops);
    if (ops == 0) return named;
    return findings == 0 ? blamed : named + ", and " + blamed;
  }

  /// With so many steps taken.
  Proposal fallback(std::size_t count) const {
    Recipe recipe = best_recipe_;
    std::vector<const TunableOp*> ops;
    std::size_t findings = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (steps_[i].op == nullptr) {
        recipe = with_remedy(std::move(recipe), steps_[i].remedy);
        ++findings;
        continue;
      }
      ops.push_back(steps_[i].op);
      for (const std::size_t near : steps_[i].op->around) ops.push_back(&task_.space.ops[near]);
    }
    return {.recipe = with_float(std::move(recipe), ops),
            .why = "in float: " + told(findings, count - findings)};
  }

  /// Whether so many suffice; nothing where the limits are reached.
  std::optional<bool> suffices(std::size_t count) {
    const std::optional<Trial> trial = run_to_the_end(search_, fallback(count));
    if (!trial) return std::nullopt;
    if (has_figure(*trial)) losses_[count] = trial->loss;
    return trial->reached;
  }

  /// 1, 2, 4, 8 .. as far as there are; then between those that lose least.
  void fall_back_for_accuracy(const Diagnosis* diagnosis) {
    steps_ = steps_of(task_.space, diagnosis ? *diagnosis : Diagnosis{});
    for (std::size_t count = 1;; count = std::min(2 * count, steps_.size())) {
      if (!suffices(count)) return;
      if (count == steps_.size()) break;
    }
    refine();
  }

  /// Halves the gaps beside the count that loses least, until there is none.
  void refine() {
    std::set<std::size_t> tried{0, steps_.size()};
    for (std::size_t count = 1; count < steps_.size(); count *= 2) tried.insert(count);
    while (!losses_.empty()) {
      const auto least =
          std::ranges::min_element(losses_, {}, [](const auto& one) { return one.second; });
      const std::optional<std::size_t> next = gap_beside(tried, least->first);
      if (!next || !suffices(*next)) return;
      tried.insert(*next);
    }
  }

  /// The middle of the wider gap beside one of these; nothing where there is none.
  static std::optional<std::size_t> gap_beside(const std::set<std::size_t>& tried,
                                               std::size_t one) {
    const auto here = tried.find(one);
    const std::size_t below = here == tried.begin() ? one : *std::prev(here);
    const std::size_t above = std::next(here) == tried.end() ? one : *std::next(here);
    const std::size_t wider = std::max(one - below, above - one);
    if (wider < 2) return std::nullopt;
    return above - one == wider ? one + wider / 2 : one - wider / 2;
  }

  static constexpr double kSurelyLess = 0.8;
  /// What a proposal leaves as the recipe has it.
  static constexpr std::string_view kKept = "no further op is forced to float";

  Search& search_;
  const Task& task_;
  Recipe best_recipe_;
  double least_loss_ = std::numeric_limits<double>::infinity();
  bool is_open_ = false;         ///< best_recipe_ may be within the goal but for chance
  std::uint64_t most_work_ = 0;  ///< multiplications in int8, of all trials
  std::uint64_t work_lost_ = 0;  ///< of these, by the trial that was enough
  std::vector<Step> steps_;
  std::map<std::size_t, double> losses_;  ///< by number of steps, of trials over all samples
};

}  // namespace

void tune_auto(Search& search) {
  Auto(search).run();
}

}  // namespace quantlens
