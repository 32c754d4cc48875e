// SPDX-License-Identifier: Apache-2.0
// In float first what costs no multiplication: what findings name, then all that does not compute.
// Where that misses the goal, ops that compute follow it, in several orders: of each, the least
// prefix that meets the goal is found by halving, and a later order is followed only as far as it
// costs less than what was found. Then what does not compute becomes int8 again, as much as may.
// Losses are taken to fall as ops become float, so that a part of what missed is not tried.
#include "quantlens/tuning/strategies/least_float.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/orders.h"
#include "quantlens/tuning/strategies/prefixes.h"

namespace quantlens {
namespace {

class LeastFloat {
 public:
  LeastFloat(Search& search, const Recipe& base, const Diagnosis* diagnosis,
             std::uint64_t most_work)
      : search_(search),
        space_(search.task().space),
        base_(base),
        diagnosis_(diagnosis),
        most_work_(most_work),
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
    remember_missed({});  // the recipe itself
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

  /// What was not enough, and the blame that it left in int8.
  struct Missed {
    Ops floats;
    Blame left;
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
    return std::ranges::any_of(missed_, [&](const Missed& missed) {
      return std::ranges::includes(missed.floats, floats);
    });
  }

  void remember_missed(const Ops& floats) {
    missed_.push_back({floats, blame_without(blames_, floats)});
  }

  /// Whether a part of what missed would miss as well: not where the interval reaches the goal.
  bool is_certain(const Trial& trial) const {
    if (trial.judged == Judged::failed || !trial.accuracy) return false;
    return !may_be_within(search_.task().goal, trial);
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
    } else if (is_certain(*trial)) {
      remember_missed(floats);
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
    text += counted(ops.size(), "op");
    const std::uint64_t work = cost_of(ops, work_);
    if (work > 0 && all_work_ > 0) {
      constexpr double kHundred = 100;
      text += fmt::format(" with {:.1f} % of the multiplications",
                          kHundred * static_cast<double>(work) / static_cast<double>(all_work_));
    }
    return text + ": " + order;
  }

  Ops all_others() const { return {others_.begin(), others_.end()}; }

  /// False where the search is over.
  bool without_work() {
    const bool is_free = !named_.empty() && cost_of(named_, work_) == 0;
    if (is_free && named_.size() < others_.size()) {
      const auto met = meets(named_, counted(named_.size(), "op") + " that findings name");
      if (!met) return false;
      if (*met) return true;
    }
    if (others_.empty()) return true;
    const auto met =
        meets(all_others(), counted(others_.size(), "op") + ", all without multiply-adds");
    return met.has_value();
  }

  /// What findings name besides, where it is little.
  bool with_named() {
    constexpr std::uint64_t kLittle = 8;
    const std::uint64_t work = cost_of(named_, work_);
    if (work == 0 || work > all_work_ / kLittle || work >= most_work_) return true;
    Ops floats = all_others();
    floats.insert(named_.begin(), named_.end());
    return meets(floats, fmt::format("what findings name, and {} without multiply-adds",
                                     counted(others_.size(), "op")))
        .has_value();
  }

  bool with_work() {
    constexpr std::uint64_t kParts = 256;
    constexpr int kOthers = 6;
    const Stage stage{.ops = computing_,
                      .always = all_others(),
                      .costs = work_,
                      .also = counted(others_.size(), "op") + " without multiply-adds",
                      .parts = kParts,
                      .most_others = kOthers};
    return least_of(stage) && (!found_ || give_back(stage));
  }

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
    if (!stage.always.empty()) stage.also = counted(stage.always.size(), "op") + " that compute";
    return stage.ops.size() < 2 || least_of(stage);
  }

  /// The least of the stage's ops that meet the goal. False where the search is over.
  bool least_of(const Stage& stage) {
    if (!halve_levels(stage, first_order(stage))) return false;
    if (!found_) return true;
    int missed = 0;
    if (!other_ways(stage, other_orders(space_, stage.ops, blames_, stage.costs), missed))
      return false;
    // then a part of what was found may do: the most to blame, or either end of the network
    const Ops part = part_of_found(stage);
    const std::vector<std::size_t> ops(part.begin(), part.end());
    std::vector<OpOrder> orders = other_orders(space_, ops, blames_, stage.costs);
    std::erase_if(orders, [](const OpOrder& order) { return !order.name.starts_with("from"); });
    orders.insert(orders.begin(), by_blame(ops, blames_, stage.costs));
    return other_ways(stage, std::move(orders), missed);
  }

  /// The orders as far as they cost less than what was found, the most promising first. False where
  /// the search is over.
  bool other_ways(const Stage& stage, std::vector<OpOrder> orders, int& missed) {
    while (!orders.empty() && missed < stage.most_others) {
      std::size_t next = 0;
      Promise best = promise_of(stage, orders[0]);
      for (std::size_t i = 1; i < orders.size(); ++i) {
        const Promise one = promise_of(stage, orders[i]);
        if (!one.is_predicted || (best.is_predicted && best.cost <= one.cost)) continue;
        best = one;
        next = i;
      }
      const auto met = cheaper(stage, orders[next], best.count);
      if (!met) return false;
      missed += *met ? 0 : 1;
      orders.erase(orders.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return true;
  }

  /// By blame; before it what is around ops that are float: as long as that is int8, so is what
  /// they read and make.
  OpOrder first_order(const Stage& stage) const {
    OpOrder order = by_blame(stage.ops, blames_, stage.costs);
    Ops around;
    for (const std::size_t op : stage.always) {
      around.insert(space_.ops[op].around.begin(), space_.ops[op].around.end());
    }
    std::stable_partition(order.steps.begin(), order.steps.end(),
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
  bool halve_levels(const Stage& stage, const OpOrder& order) {
    const Prefixes prefixes(order, stage.costs);
    const std::uint64_t bound = found_ ? cost_of(part_of_found(stage), stage.costs) : most_work_;
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

  /// How much blame may be left in int8: half way from what met the goal to the least that missed.
  double tolerable(const Blame& found, double Blame::*figure) const {
    const double met = found.*figure;
    double least = std::numeric_limits<double>::infinity();
    for (const Missed& missed : missed_) least = std::min(least, missed.left.*figure);
    return least > met ? met + (least - met) / 2 : met;
  }

  /// A prefix of an order that may meet the goal at less cost than what was found.
  struct Promise {
    std::size_t count = 0;
    std::uint64_t cost = 0;
    bool is_predicted = false;  ///< leaves no more blame in int8 than is tolerable, by some figure
  };

  /// The shortest that is predicted; where there is none that costs less, the longest of half the
  /// cost.
  Promise promise_of(const Stage& stage, const OpOrder& order) const {
    const Prefixes prefixes(order, stage.costs);
    const std::uint64_t cost = cost_of(part_of_found(stage), stage.costs);
    const Blame found = blame_without(blames_, *found_);
    const Blame always = blame_without(blames_, stage.always);
    for (const auto figure : {&Blame::output, &Blame::noise, &Blame::mse}) {
      constexpr double kRounding = 1e-9;
      const double enough = tolerable(found, figure) + kRounding;
      double left = always.*figure;
      for (std::size_t count = 0; prefixes.cost(count) + worth(stage) <= cost; ++count) {
        if (left <= enough) return {count, prefixes.cost(count), true};
        if (count == prefixes.longest()) break;
        for (const std::size_t op : prefixes.step(count)) left -= blames_[op].*figure;
      }
    }
    const std::size_t half = prefixes.within(cost / 2);
    return {half, prefixes.cost(half), false};
  }

  /// Whether this prefix meets the goal: then the least of its order. Nothing where the limits are
  /// reached.
  std::optional<bool> cheaper(const Stage& stage, const OpOrder& order, std::size_t count) {
    const Prefixes prefixes(order, stage.costs);
    const std::uint64_t cost = cost_of(part_of_found(stage), stage.costs);
    if (cost / 2 < worth(stage)) return true;  // nothing to be gained
    const Ops ops = prefixes.ops(count);
    Ops floats = stage.always;
    floats.insert(ops.begin(), ops.end());
    if (is_part_of_missed(floats)) return true;  // known, and free
    const auto met = meets(floats, told(stage, ops, order.name));
    if (!met || !*met) return met;
    if (!halve(stage, order.name, prefixes, 0, count)) return std::nullopt;
    return true;
  }

  /// Ops of what was found become int8 again one by one, the most work first, until so many were
  /// needed. False where the search is over.
  bool give_back(const Stage& stage) {
    const Ops part = part_of_found(stage);
    std::vector<std::size_t> order(part.begin(), part.end());
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t op) { return stage.costs[op]; });
    constexpr int kMostNeeded = 3;
    int needed = 0;
    for (const std::size_t op : order) {
      if (needed >= kMostNeeded || stage.costs[op] < worth(stage)) break;
      Ops floats = *found_;
      floats.erase(op);
      if (is_part_of_missed(floats)) continue;
      const auto met = meets(floats, fmt::format("the same but for {}", space_.ops[op].name));
      if (!met) return false;
      needed += *met ? 0 : 1;
    }
    return true;
  }

  Search& search_;
  const Space& space_;
  const Recipe base_;
  const Diagnosis* diagnosis_;
  const std::uint64_t most_work_;
  std::vector<Blame> blames_;
  std::vector<std::size_t> computing_, others_;
  Costs work_;
  std::uint64_t all_work_ = 0;
  Ops named_;
  std::vector<Missed> missed_;
  std::optional<Ops> found_;  ///< the last that met the goal: each costs less than the one before
};

}  // namespace

void keep_least_in_float(Search& search, const Recipe& base, const Diagnosis* diagnosis,
                         std::uint64_t most_work) {
  LeastFloat(search, base, diagnosis, most_work).run();
}

}  // namespace quantlens
