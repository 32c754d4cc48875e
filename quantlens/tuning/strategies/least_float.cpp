// SPDX-License-Identifier: Apache-2.0
// In float first what costs no multiplication: what findings name, then all that does not compute.
// Where that misses the goal, ops that compute follow it, in several orders: of each, the least
// prefix that meets the goal is found by halving, and a later order is followed only as far as it
// costs less than what was found. Then what does not compute becomes int8 again, as much as may.
// Losses are taken to fall as ops become float, so that a part of what missed is not tried.
#include "quantlens/tuning/strategies/least_float.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/quantizer/recipe_document.h"
#include "quantlens/quantizer/recipe_rules.h"
#include "quantlens/tuning/orders.h"

namespace quantlens {
namespace {

using Ops = std::set<std::size_t>;

std::uint64_t cost_of(const Ops& ops, const Costs& costs) {
  std::uint64_t sum = 0;
  for (const std::size_t op : ops) sum += costs[op];
  return sum;
}

/// An order's prefixes, and what each costs.
class Prefixes {
 public:
  Prefixes(const Order& order, const Costs& costs) : order_(order), costs_{0} {
    for (const std::vector<std::size_t>& step : order.steps) {
      std::uint64_t cost = costs_.back();
      for (const std::size_t op : step) cost += costs[op];
      costs_.push_back(cost);
    }
  }

  std::size_t longest() const { return costs_.size() - 1; }
  std::uint64_t cost(std::size_t count) const { return costs_[count]; }

  Ops ops(std::size_t count) const {
    Ops ops;
    for (std::size_t i = 0; i < count; ++i)
      ops.insert(order_.steps[i].begin(), order_.steps[i].end());
    return ops;
  }

  /// The longest that costs no more than this.
  std::size_t within(std::uint64_t cost) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(costs_, cost) - costs_.begin()) - 1;
  }

  /// Strictly between two of them, the one whose cost is nearest to the middle. REQUIRES: there is
  /// one.
  std::size_t between(std::size_t low, std::size_t high) const {
    const std::uint64_t middle = costs_[low] + (costs_[high] - costs_[low]) / 2;
    return std::clamp(within(middle), low + 1, high - 1);
  }

 private:
  const Order& order_;
  Costs costs_;
};

class LeastFloat {
 public:
  LeastFloat(Search& search, const Recipe& base, const Diagnosis* diagnosis)
      : search_(search),
        space_(search.task().space),
        base_(base),
        diagnosis_(diagnosis),
        blames_(blames_of(space_, diagnosis)) {
    std::uint64_t counted = 0;
    for (const TunableOp& op : space_.ops) counted += op.computes ? op.multiply_adds : 0;
    for (std::size_t i = 0; i < space_.ops.size(); ++i) {
      const TunableOp& op = space_.ops[i];
      (op.computes ? computing_ : others_).push_back(i);
      // where nothing is counted, ops count alike
      work_.push_back(!op.computes   ? 0
                      : counted == 0 ? 1
                                     : std::max<std::uint64_t>(op.multiply_adds, 1));
    }
    all_work_ = std::accumulate(work_.begin(), work_.end(), std::uint64_t{0});
    named_ = named_by_findings();
    missed_.push_back({});  // the recipe itself
  }

  void run() {
    if (!without_work()) return;
    if (!found_ && !computing_.empty() && (!with_named() || !with_work())) return;
    if (found_ && *found_ != named_) fewer_others();
  }

 private:
  /// What is searched: `ops` join `always` in float, each at its cost.
  struct Stage {
    std::vector<std::size_t> ops;
    Ops always;
    Costs costs;
    std::string also;         ///< what `always` is, for people
    std::uint64_t parts = 0;  ///< the cost of all `ops` over this is not worth a trial
    int most_others = 0;      ///< so many trials of orders but the first may miss
  };

  Ops named_by_findings() const {
    Ops named;
    if (!diagnosis_) return named;
    for (const Finding& finding : diagnosis_->findings) {
      const auto ops = ops_in_float(space_, finding.remedy);
      named.insert(ops.begin(), ops.end());
    }
    return named;
  }

  bool is_part_of_missed(const Ops& floats) const {
    return std::ranges::any_of(
        missed_, [&](const Ops& missed) { return std::ranges::includes(missed, floats); });
  }

  /// Whether these in float meet the goal; nothing where the limits are reached.
  std::optional<bool> meets(const Ops& floats, const std::string& why) {
    if (is_part_of_missed(floats)) return false;
    std::vector<const TunableOp*> ops;
    for (const std::size_t op : floats) ops.push_back(&space_.ops[op]);
    const std::optional<Trial> trial =
        run_to_the_end(search_, {.recipe = with_float(base_, ops), .why = "in float: " + why});
    if (!trial) return std::nullopt;
    if (trial->reached) {
      found_ = floats;
    } else if (trial->judged != Judged::failed) {
      missed_.push_back(floats);
    }
    return trial->reached;
  }

  std::optional<bool> meets(const Stage& stage, const Ops& ops, const std::string& order) {
    Ops floats = stage.always;
    floats.insert(ops.begin(), ops.end());
    return meets(floats, told(stage, ops, order));
  }

  std::string told(const Stage& stage, const Ops& ops, const std::string& order) const {
    std::string text = stage.also;
    if (ops.empty()) return text.empty() ? "nothing" : text;
    if (!text.empty()) text += ", and ";
    text += ops.size() == 1 ? "1 op" : fmt::format("{} ops", ops.size());
    const std::uint64_t work = cost_of(ops, work_);
    if (work > 0 && all_work_ > 0) {
      constexpr double kHundred = 100;
      text += fmt::format(" with {:.1f} % of the multiplications",
                          kHundred * static_cast<double>(work) / static_cast<double>(all_work_));
    }
    return text + ": " + order;
  }

  // ------------------------------------------------- what costs no multiplication

  Ops all_others() const { return {others_.begin(), others_.end()}; }

  /// False where the search is over.
  bool without_work() {
    const bool is_free = !named_.empty() && cost_of(named_, work_) == 0;
    if (is_free && named_.size() < others_.size()) {
      const auto met = meets(named_, fmt::format("{} ops that findings name", named_.size()));
      if (!met) return false;
      if (*met) return true;
    }
    if (others_.empty()) return true;
    const auto met =
        meets(all_others(), fmt::format("{} ops, all that do not compute", others_.size()));
    return met.has_value();
  }

  /// What findings name besides, where it is little.
  bool with_named() {
    constexpr std::uint64_t kLittle = 8;
    const std::uint64_t work = cost_of(named_, work_);
    if (work == 0 || work > all_work_ / kLittle) return true;
    Ops floats = all_others();
    floats.insert(named_.begin(), named_.end());
    const auto met = meets(
        floats, fmt::format("what findings name, and {} ops that do not compute", others_.size()));
    return met.has_value();
  }

  // ------------------------------------------------- ops that compute

  bool with_work() {
    constexpr std::uint64_t kParts = 256;
    constexpr int kOthers = 6;
    const Stage stage{.ops = computing_,
                      .always = all_others(),
                      .costs = work_,
                      .also = fmt::format("{} ops that do not compute", others_.size()),
                      .parts = kParts,
                      .most_others = kOthers};
    return least_of(stage);
  }

  // ------------------------------------------------- what does not compute, in int8 again

  bool fewer_others() {
    Stage stage{.ops = {},
                .always = {},
                .costs = Costs(space_.ops.size(), 1),
                .also = {},
                .parts = 16,
                .most_others = 2};
    for (const std::size_t op : *found_) {
      if (space_.ops[op].computes) {
        stage.always.insert(op);
      } else {
        stage.ops.push_back(op);
      }
    }
    if (!stage.always.empty()) stage.also = fmt::format("{} ops that compute", stage.always.size());
    return stage.ops.size() < 2 || least_of(stage);
  }

  // ------------------------------------------------- the search of both

  /// The least of the stage's ops that meet the goal. False where the search is over.
  bool least_of(const Stage& stage) {
    if (!halve_levels(stage, first_order(stage))) return false;
    if (!found_) return true;
    std::vector<Order> orders = other_orders(space_, stage.ops, blames_, stage.costs);
    int missed = 0;
    for (const bool of_found : {false, true}) {
      if (of_found) {  // then a part of it may do: the most to blame, or either end of the network
        const Ops now = part_of_found(stage);
        const std::vector<std::size_t> ops(now.begin(), now.end());
        orders = other_orders(space_, ops, blames_, stage.costs);
        std::erase_if(orders, [](const Order& order) { return !order.name.starts_with("from"); });
        orders.insert(orders.begin(), by_blame(ops, blames_, stage.costs));
      }
      for (const Order& order : orders) {
        if (missed >= stage.most_others) return true;
        const auto met = cheaper(stage, order);
        if (!met) return false;
        missed += *met ? 0 : 1;
      }
    }
    return true;
  }

  /// By blame; before it what is around ops that are float: as long as that is int8, so is what
  /// they read and make.
  Order first_order(const Stage& stage) const {
    Order order = by_blame(stage.ops, blames_, stage.costs);
    Ops around;
    for (const std::size_t op : stage.always) {
      around.insert(space_.ops[op].around.begin(), space_.ops[op].around.end());
    }
    std::ranges::stable_partition(order.steps,
                                  [&](const auto& step) { return around.contains(step.front()); });
    return order;
  }

  Ops part_of_found(const Stage& stage) const {
    Ops part;
    std::ranges::set_difference(*found_, stage.always, std::inserter(part, part.end()));
    return part;
  }

  std::uint64_t worth(const Stage& stage) const {
    std::uint64_t all = 0;
    for (const std::size_t op : stage.ops) all += stage.costs[op];
    return std::max<std::uint64_t>(all / stage.parts, 1);
  }

  /// First the level: each costs twice what the one before costs; then inside it.
  bool halve_levels(const Stage& stage, const Order& order) {
    const Prefixes prefixes(order, stage.costs);
    const std::uint64_t bound = found_ ? cost_of(part_of_found(stage), stage.costs)
                                       : std::numeric_limits<std::uint64_t>::max();
    std::vector<std::size_t> levels{0};
    for (std::uint64_t cost = worth(stage); levels.back() < prefixes.longest(); cost *= 2) {
      const std::size_t count = std::max<std::size_t>(prefixes.within(cost), 1);
      if (prefixes.cost(count) >= bound) break;
      if (count > levels.back()) levels.push_back(count);
    }
    std::size_t missed = 0;  // so many levels
    std::size_t met = levels.size();
    while (missed < met) {
      const std::size_t middle = missed + (met - missed) / 2;
      const auto one = meets(stage, prefixes.ops(levels[middle]), order.name);
      if (!one) return false;
      if (*one) {
        met = middle;
      } else {
        missed = middle + 1;
      }
    }
    if (missed == 0) return true;
    if (met < levels.size())
      return halve(stage, order.name, prefixes, levels[met - 1], levels[met]);
    // what was found before may be all of this order
    const bool is_prefix = prefixes.cost(prefixes.longest()) == bound;
    return !is_prefix || halve(stage, order.name, prefixes, levels.back(), prefixes.longest());
  }

  /// Between a prefix that misses and one that meets the goal.
  bool halve(const Stage& stage, const std::string& name, const Prefixes& prefixes,
             std::size_t missed, std::size_t met) {
    constexpr std::uint64_t kFine = 4;
    const auto is_worth_it = [&] {
      const std::uint64_t gap = prefixes.cost(met) - prefixes.cost(missed);
      return met - missed > 1 && gap > worth(stage) && gap > prefixes.cost(met) / kFine;
    };
    while (is_worth_it()) {
      const std::size_t middle = prefixes.between(missed, met);
      const auto one = meets(stage, prefixes.ops(middle), name);
      if (!one) return false;
      (*one ? met : missed) = middle;
    }
    return true;
  }

  /// Whether a prefix of at most half the cost of what was found meets the goal: then the least of
  /// that order. Nothing where the limits are reached.
  std::optional<bool> cheaper(const Stage& stage, const Order& order) {
    const Prefixes prefixes(order, stage.costs);
    const std::uint64_t cost = cost_of(part_of_found(stage), stage.costs);
    if (cost / 2 < worth(stage)) return true;  // nothing to be gained
    const std::size_t half = prefixes.within(cost / 2);
    const Ops ops = prefixes.ops(half);
    Ops floats = stage.always;
    floats.insert(ops.begin(), ops.end());
    if (is_part_of_missed(floats)) return true;  // known, and free
    const auto met = meets(floats, told(stage, ops, order.name));
    if (!met || !*met) return met;
    if (!halve(stage, order.name, prefixes, 0, half)) return std::nullopt;
    return true;
  }

  Search& search_;
  const Space& space_;
  const Recipe base_;
  const Diagnosis* diagnosis_;
  std::vector<Blame> blames_;
  std::vector<std::size_t> computing_, others_;
  Costs work_;
  std::uint64_t all_work_ = 0;
  Ops named_;
  std::vector<Ops> missed_;
  std::optional<Ops> found_;  ///< the last that met the goal: each costs less than the one before
};

}  // namespace

std::vector<std::size_t> ops_in_float(const Space& space, const std::string& fragment) {
  std::vector<std::size_t> ops;
  if (fragment.empty()) return ops;
  try {
    const Recipe recipe = with_fragment({}, fragment, "a finding's remedy");
    RecipeRules rules(recipe);
    for (std::size_t i = 0; i < space.ops.size(); ++i) {
      Node node;
      node.name = space.ops[i].name;
      node.type = space.ops[i].type;
      if (wants_float(rules.for_op(node).recipe)) ops.push_back(i);
    }
  } catch (const Error&) {
    ops.clear();  // it says nothing that a recipe can
  }
  return ops;
}

void keep_least_in_float(Search& search, const Recipe& base, const Diagnosis* diagnosis) {
  LeastFloat(search, base, diagnosis).run();
}

}  // namespace quantlens
