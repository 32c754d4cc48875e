// SPDX-License-Identifier: Apache-2.0
// Strategies against a made-up network whose losses are known for every recipe: no model is run.
#include "quantlens/tuning/strategy.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/yaml.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/record/testing/op_refs.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/strategies/choices.h"

namespace quantlens {
namespace {

/// What each op costs while it is int8.
struct Net {
  std::vector<std::pair<std::string, double>> convs, matmuls, adds;
  double per_tensor = 0;  ///< lost by weights with one scale
  MultiplyAdds multiply_adds;
};

Plan plan_of(const Net& net) {
  Plan plan;
  const auto add = [&](const auto& ops, const char* type, Kind kind) {
    for (const auto& [name, loss] : ops) {
      plan.ops.push_back({.op = op_ref(name),
                          .type = type,
                          .kind = kind,
                          .pattern = {type},
                          .members = {name},
                          .quantized = true});
    }
  };
  add(net.adds, "Add", Kind::add);
  add(net.convs, "Conv", Kind::conv);
  add(net.matmuls, "MatMul", Kind::matmul);
  return plan;
}

/// Answers as a runner of real models would, and as unerringly.
class Scripted final : public Search {
 public:
  Scripted(const Net& net, Task task, std::size_t limit)
      : Search(std::move(task)), limit_(limit), per_tensor_(net.per_tensor) {
    for (const auto* ops : {&net.convs, &net.matmuls, &net.adds}) {
      for (const auto& [name, loss] : *ops) losses_[name] = loss;
    }
  }

  std::optional<Trial> run(const Proposal& proposal) override {
    for (const Trial& trial : trials) {
      const bool is_same_look =
          (trial.judged == Judged::output_error) == (proposal.look == Look::outputs);
      if (trial.recipe == proposal.recipe && is_same_look) return trial;
    }
    if (trials.size() >= limit_) return std::nullopt;
    Trial trial;
    trial.number = trials.size() + 1;
    trial.recipe = proposal.recipe;
    double loss = trial.recipe.weight.granularity == Granularity::per_tensor ? per_tensor_ : 0;
    if (trial.recipe.activation.algorithm == RangeAlgorithm::minmax) loss -= gained_by_whole_ranges;
    for (const TunableOp& op : task().space.ops) {
      if (is_float(op, trial.recipe)) continue;
      loss += losses_.at(op.name);
      ++trial.ops_quantized;
      trial.compute_quantized += op.computes ? 1 : 0;
      trial.multiply_adds_quantized += op.multiply_adds;
    }
    if (in_float_cost) loss += in_float_cost(in_float(trial.recipe).size());
    if (proposal.look == Look::outputs) {
      trial.judged = Judged::output_error;
      trial.output_error = loss;
    } else {
      trial.accuracy = Accuracy{.metric = "top1", .value = 1 - loss};
      trial.loss = loss;
      trial.reached = is_within(task().goal, loss);
      trial.difference = -loss;
      if (chance > 0) trial.difference_interval = {{-loss - chance, -loss + chance}};
    }
    trials.push_back(trial);
    return trial;
  }

  const Diagnosis* diagnose(const Recipe&) override {
    ++diagnoses;
    diagnosis.activations.clear();
    for (const auto& [name, loss] : losses_) {
      ActivationRow row;
      row.op = op_ref(name);
      row.local_sqnr_db = 40 - 100 * loss;
      row.mse_normalized = loss;
      if (const auto share = blames.find(name); share != blames.end()) {
        row.output_share = share->second;
      }
      diagnosis.activations.push_back(row);
    }
    return &diagnosis;
  }

  static bool is_float(const TunableOp& op, const Recipe& recipe) {
    const auto by_name = recipe.op_name_dict.find(pattern_of(op.name));
    if (by_name != recipe.op_name_dict.end()) return wants_float(by_name->second);
    const auto by_type = recipe.op_type_dict.find(op.type);
    return by_type != recipe.op_type_dict.end() && wants_float(by_type->second);
  }

  /// Of a trial's recipe.
  std::set<std::string> in_float(const Recipe& recipe) const {
    std::set<std::string> names;
    for (const TunableOp& op : task().space.ops) {
      if (is_float(op, recipe)) names.insert(op.name);
    }
    return names;
  }

  const Trial& best() const {
    const Trial* best = nullptr;
    for (const Trial& trial : trials) {
      const bool counts = trial.judged == Judged::whole;
      if (counts && (!best || is_better(task().goal, trial, *best))) best = &trial;
    }
    return *best;
  }

  double gained_by_whole_ranges = 0;
  double chance = 0;  ///< half of the interval of what is lost; 0: there is none
  std::vector<Trial> trials;
  Diagnosis diagnosis;
  int diagnoses = 0;
  std::function<double(std::size_t)> in_float_cost;  ///< of so many ops in float, if any
  std::map<std::string, double> blames;  ///< shares of the outputs' error, where they are known

 private:
  std::size_t limit_;
  double per_tensor_;
  std::map<std::string, double> losses_;
};

Task task_of(const Net& net, Recipe start = {}, Goal goal = {}) {
  return {
      .start = start,
      .space = space_of(Graph(), capabilities_of("onnx"), plan_of(net), start, net.multiply_adds),
      .goal = std::move(goal),
      .seed = 7};
}

/// Eight ops, of which two must be float; each of the others costs a little.
const Net kTwoBad{.convs = {{"c.1", 0.001}, {"c.2", 0.2}, {"c.3", 0.001}},
                  .matmuls = {{"m(1)", 0.001}, {"m(2)", 0.001}},
                  .adds = {{"a1", 0.1}, {"a2", 0.001}, {"a3", 0}}};

using Names = std::set<std::string>;

TEST(Strategies, TheGivenRecipeIsEnoughWhereItIsWithinTheGoal) {
  const Net good{.convs = {{"c", 0.001}}, .matmuls = {}, .adds = {}};
  for (const std::string& name : strategy_names()) {
    if (name == "conservative") continue;  // it begins from below
    Scripted search(good, task_of(good), 1000);
    strategy_named(name)(search);
    ASSERT_EQ(search.trials.size(), 1u) << name;
    EXPECT_EQ(search.trials[0].recipe, search.task().start) << name;
  }
}

TEST(Strategies, AllOfThemReachAGoalThatIsThere) {
  for (const std::string& name : strategy_names()) {
    Scripted search(kTwoBad, task_of(kTwoBad), 3000);
    strategy_named(name)(search);
    EXPECT_TRUE(search.best().reached) << name;
  }
}

TEST(Strategies, LimitsAreRespectedAndTheSameIsAskedAgain) {
  for (const std::string& name : strategy_names()) {
    Scripted all(kTwoBad, task_of(kTwoBad), 60);
    strategy_named(name)(all);
    for (const std::size_t limit : {1U, 3U, 7U}) {
      Scripted search(kTwoBad, task_of(kTwoBad), limit);
      strategy_named(name)(search);
      ASSERT_EQ(search.trials.size(), std::min(limit, all.trials.size())) << name;
      for (std::size_t i = 0; i < search.trials.size(); ++i) {
        EXPECT_EQ(search.trials[i].recipe, all.trials[i].recipe) << name << i;
      }
    }
  }
}

TEST(Strategies, AnImpossibleGoalEnds) {
  Goal goal;
  goal.max_loss = -1;
  for (const std::string& name : strategy_names()) {
    Scripted search(kTwoBad, task_of(kTwoBad, {}, goal), 60);
    strategy_named(name)(search);
    EXPECT_FALSE(search.best().reached) << name;
  }
}

TEST(Strategies, AnUnknownOneIsNamedWithTheNearest) {
  try {
    strategy_named("baysian");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::usage);
    EXPECT_NE(std::string(error.what()).find("bayesian"), std::string::npos);
  }
}

TEST(Auto, KeepsTheFewestOpsInFloat) {
  Scripted search(kTwoBad, task_of(kTwoBad), 100);
  strategy_named("auto")(search);
  EXPECT_EQ(search.in_float(search.best().recipe), (Names{"c.2", "a1"}));
  EXPECT_LE(search.trials.size(), 8u);
}

TEST(Auto, TriesWhatKeepsInt8First) {
  const Net net{.convs = {{"c", 0.001}}, .matmuls = {}, .adds = {}, .per_tensor = 0.3};
  Recipe start;
  start.weight.granularity = Granularity::per_tensor;
  Scripted search(net, task_of(net, start), 100);
  strategy_named("auto")(search);
  EXPECT_EQ(search.trials.size(), 2u);
  EXPECT_TRUE(search.best().reached);
  EXPECT_TRUE(search.in_float(search.best().recipe).empty());
}

TEST(Auto, TriesOtherRangesWhereChanceMayDecide) {
  const Net net{.convs = {{"c", 0.02}}, .matmuls = {}, .adds = {}};
  Goal goal;
  goal.max_loss = 0.01;
  Scripted search(net, task_of(net, {}, goal), 100);
  search.gained_by_whole_ranges = 0.015;
  search.chance = 0.03;
  strategy_named("auto")(search);
  EXPECT_EQ(search.trials.size(), 2u);
  EXPECT_TRUE(search.in_float(search.best().recipe).empty());
  Scripted sure(net, task_of(net, {}, goal), 100);
  sure.gained_by_whole_ranges = 0.015;
  sure.chance = 0.005;
  strategy_named("auto")(sure);
  EXPECT_FALSE(sure.in_float(sure.best().recipe).empty()) << "what is lost for sure is not tried";
}

TEST(Auto, TakesTheRemediesOfFindings) {
  const Net net{.convs = {{"c", 0.001}}, .matmuls = {}, .adds = {}, .per_tensor = 0.3};
  Scripted search(net, task_of(net, {}, {.max_loss = -1}), 100);
  search.diagnosis.findings = {
      {.rule = "clipping",
       .op = op_ref("c"),
       .reasons = {},
       .remedy = parse_yaml("{op_name_dict: {c: {activation: {algorithm: minmax}}}}", ""),
       .severity = Severity::note},
      {.rule = "hard",
       .op = op_ref("c"),
       .reasons = {},
       .remedy = parse_yaml("{op_name_dict: {c: fp32}}", ""),
       .severity = Severity::note},
      {.rule = "none", .op = op_ref("c"), .reasons = {}, .remedy = {}, .severity = Severity::note},
      {.rule = "wrong",
       .op = op_ref("c"),
       .reasons = {},
       .remedy = parse_yaml("{op_nam_dict: 1}", ""),
       .severity = Severity::note}};
  strategy_named("auto")(search);
  ASSERT_GE(search.trials.size(), 2u);
  EXPECT_EQ(search.trials[1].recipe.op_name_dict.at("c").activation.algorithm,
            RangeAlgorithm::minmax)
      << "what a finding says of one op counts for more than what is better for most";
  EXPECT_TRUE(search.in_float(search.trials[1].recipe).empty());
}

TEST(Auto, BelievesFindingsBeforeFigures) {
  // nothing but the finding says that a3 is to blame
  const Net net{.convs = {{"c1", 0.001}, {"c2", 0.001}}, .matmuls = {}, .adds = {{"a3", 0.2}}};
  Scripted search(net, task_of(net), 100);
  search.blames = {{"c1", 0.9}, {"c2", 0.1}, {"a3", 0}};
  search.diagnosis.findings = {{.rule = "steep_reader",
                                .op = op_ref("a3"),
                                .reasons = {},
                                .remedy = parse_yaml("{op_name_dict: {a3: fp32}}", ""),
                                .severity = Severity::note}};
  strategy_named("auto")(search);
  EXPECT_EQ(search.in_float(search.best().recipe), (Names{"a3"}));
  const auto in_float = [&](const Trial& trial) { return !search.in_float(trial.recipe).empty(); };
  EXPECT_EQ(std::ranges::count_if(search.trials, in_float), 1) << "the first of them suffices";
}

TEST(Auto, BlamesTheShareOfTheOutputsErrorFirst) {
  const Net net{.convs = {{"c1", 0.001}, {"c2", 0.001}}, .matmuls = {}, .adds = {{"a3", 0.2}}};
  Scripted search(net, task_of(net), 100);
  search.blames = {{"c1", 0.01}, {"c2", 0.1}, {"a3", 0.8}};
  strategy_named("auto")(search);
  const auto first = std::ranges::find_if(
      search.trials, [&](const Trial& trial) { return !search.in_float(trial.recipe).empty(); });
  ASSERT_NE(first, search.trials.end());
  EXPECT_EQ(search.in_float(first->recipe), (Names{"a3"}));
}

/// A network of `convs` convolutions of unequal work, each with an Add behind it: most lose next to
/// nothing, some much.
Net random_net(RandomNumbers& random, std::size_t convs) {
  constexpr double kThousand = 1000;
  Net net;
  const auto draw = [&] {
    const bool is_bad = random.below(4) == 0;
    return static_cast<double>(random.below(is_bad ? 100 : 2)) / kThousand;
  };
  for (std::size_t i = 0; i < convs; ++i) {
    const std::string number = std::to_string(i);
    net.convs.emplace_back("part." + number + "/conv", draw());
    net.adds.emplace_back("part." + number + "/add", draw());
    net.multiply_adds[net.convs.back().first] = 1 + random.below(1000);
  }
  return net;
}

TEST(Auto, HasNoLessInInt8ThanAnyOtherStrategy) {
  // where losses add up, that is what the diagnosis says of each
  RandomNumbers random(3);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Net net = random_net(random, 4 + random.below(20));
    Scripted search(net, task_of(net), 100);
    for (const auto* ops : {&net.convs, &net.adds}) {
      for (const auto& [name, loss] : *ops) search.blames[name] = loss;
    }
    strategy_named("auto")(search);
    ASSERT_TRUE(search.best().reached) << repeat;
    for (const char* name : {"conservative", "mse", "mse_v2", "basic", "random"}) {
      Scripted other(net, task_of(net), 60);
      strategy_named(name)(other);
      if (!other.best().reached) continue;
      EXPECT_GE(search.best().multiply_adds_quantized, other.best().multiply_adds_quantized)
          << name << repeat;
    }
  }
}

TEST(Auto, HasAllThatComputesInInt8WhereOthersAreToBlame) {
  // nothing in the diagnosis tells the Adds apart from the rest
  const Net net{.convs = {{"c1", 0.001}, {"c2", 0.001}, {"c3", 0.001}},
                .matmuls = {},
                .adds = {{"a1", 0.1}, {"a2", 0.1}, {"a3", 0.1}, {"a4", 0}}};
  Scripted search(net, task_of(net), 100);
  search.blames = {{"c1", 0.9}, {"c2", 0.05}, {"a4", 0.05}};
  strategy_named("auto")(search);
  EXPECT_TRUE(search.best().reached);
  EXPECT_EQ(search.best().compute_quantized, 3u);
}

TEST(Auto, FindsWhatIsMadeAlikeWhereTheDiagnosisBlamesOthers) {
  // the MatMuls are one tenth of the work; the diagnosis blames the convolutions
  Net net{.convs = {}, .matmuls = {}, .adds = {}};
  for (int i = 0; i < 9; ++i) {
    net.convs.emplace_back("c" + std::to_string(i), 0);
    net.matmuls.emplace_back("m" + std::to_string(i), 0.05);
    net.multiply_adds[net.convs.back().first] = 900;
    net.multiply_adds[net.matmuls.back().first] = 100;
  }
  Scripted search(net, task_of(net), 100);
  for (const auto& [name, loss] : net.convs) search.blames[name] = 0.1;
  strategy_named("auto")(search);
  Names matmuls;
  for (const auto& [name, loss] : net.matmuls) matmuls.insert(name);
  EXPECT_EQ(search.in_float(search.best().recipe), matmuls);
  EXPECT_LE(search.trials.size(), 20u);
}

TEST(Auto, GivesBackWhatAGroupHasInFloatForNothing) {
  // one op of 16 that are alike is to blame: halving leaves few of the others in float
  Net net{.convs = {}, .matmuls = {}, .adds = {}};
  for (int i = 0; i < 16; ++i) {
    net.convs.emplace_back("c" + std::to_string(i), i == 5 ? 0.3 : 0);
    net.multiply_adds[net.convs.back().first] = 100;
  }
  Scripted search(net, task_of(net), 100);
  strategy_named("auto")(search);
  EXPECT_EQ(search.in_float(search.best().recipe), Names{"c5"});
}

TEST(Auto, ForcesNothingWhereThatIsTooMuch) {
  const Net net{.convs = {{"c", 0.001}}, .matmuls = {}, .adds = {}};
  Recipe start;
  start.op_type_dict[".*"].activation.dtype = AskedDtype::int_;
  Goal goal;
  goal.max_loss = -1;
  Scripted search(net, task_of(net, start, goal), 100);
  strategy_named("auto")(search);
  EXPECT_TRUE(std::ranges::any_of(search.trials, [](const Trial& trial) {
    return !trial.recipe.op_type_dict.at(".*").activation.dtype;
  }));
}

TEST(Auto, GoesOnWhereAccuracyIsTheObjective) {
  const Net net{.convs = {{"c1", 0.004}, {"c2", 0.001}}, .matmuls = {}, .adds = {}};
  Goal goal;
  goal.objective = Objective::accuracy;
  Scripted search(net, task_of(net, {}, goal), 100);
  strategy_named("auto")(search);
  EXPECT_GT(search.trials.size(), 1u);
  EXPECT_LT(search.best().loss, 0.005);
}

TEST(Auto, LooksForTheBestFigureWhereItMayStopAtTheFirst) {
  // 40 ops that cost something: every one in float gains, those to blame less loses less
  Net net;
  for (int i = 0; i < 40; ++i) net.convs.emplace_back("c" + std::to_string(i), 0.002);
  Goal goal;
  goal.max_loss = 0.06;
  goal.objective = Objective::accuracy;
  Scripted search(net, task_of(net, {}, goal), 100);
  strategy_named("auto")(search);
  EXPECT_EQ(search.in_float(search.best().recipe).size(), 40u) << "all of them lose nothing";
  // in float, each beyond the 11th costs: the best lies between two powers of two
  Scripted valley(net, task_of(net, {}, goal), 100);
  valley.in_float_cost = [](std::size_t count) {
    return count > 11 ? 0.02 * (static_cast<double>(count) - 11) : 0.0;
  };
  strategy_named("auto")(valley);
  EXPECT_EQ(valley.in_float(valley.best().recipe).size(), 11u);
  EXPECT_LT(valley.trials.size(), 20u);
}

TEST(Strategies, TryTheRecipeAsGivenWhereNoOpIsInt8) {
  for (const std::string& name : strategy_names()) {
    Scripted search(Net(), task_of(Net()), 100);
    strategy_named(name)(search);
    ASSERT_GE(search.trials.size(), 1u) << name;
    EXPECT_EQ(search.trials[0].recipe, search.task().start) << name;
  }
}

TEST(Conservative, KeepsEachTypeThatCostsLittleEnough) {
  const Net net{.convs = {{"c", 0.001}}, .matmuls = {{"m", 0.5}}, .adds = {{"a", 0.002}}};
  Scripted search(net, task_of(net), 100);
  strategy_named("conservative")(search);
  ASSERT_EQ(search.trials.size(), 3u);
  EXPECT_EQ(search.in_float(search.trials[0].recipe), (Names{"a", "m"}))
      << "those that compute first";
  EXPECT_EQ(search.in_float(search.best().recipe), (Names{"m"}));
}

TEST(Mse, FallsBackInItsOrder) {
  Scripted search(kTwoBad, task_of(kTwoBad), 100);
  strategy_named("mse")(search);
  ASSERT_EQ(search.trials.size(), 3u);
  EXPECT_EQ(search.in_float(search.trials[1].recipe), (Names{"c.2"}));
  EXPECT_EQ(search.in_float(search.trials[2].recipe), (Names{"c.2", "a1"}));
}

TEST(MseV2, LeavesOutWhatHelpsMost) {
  Scripted search(kTwoBad, task_of(kTwoBad), 1000);
  strategy_named("mse_v2")(search);
  EXPECT_EQ(search.in_float(search.best().recipe), (Names{"c.2", "a1"}));
  EXPECT_EQ(search.diagnoses, 0);
}

TEST(Basic, RecordsEachOpAloneFromTheOutputsOn) {
  Scripted search(kTwoBad, task_of(kTwoBad), 1000);
  strategy_named("basic")(search);
  EXPECT_EQ(search.in_float(search.best().recipe), (Names{"c.2", "a1"}));
  std::vector<Names> alone;
  for (const Trial& trial : search.trials) {
    const Names names = search.in_float(trial.recipe);
    if (names.size() == 1) alone.push_back(names);
  }
  ASSERT_GE(alone.size(), 8u);
  EXPECT_EQ(alone.front(), Names{"m(2)"});
  EXPECT_EQ(alone[7], Names{"a1"});
}

TEST(Exhaustive, NeverAsksTwice) {
  const Net net{.convs = {{"c", 1}}, .matmuls = {{"m", 1}}, .adds = {}};
  Goal goal;
  goal.max_loss = -1;
  Task task = task_of(net, {}, goal);
  task.space.options.resize(2);
  std::size_t combinations = 1;
  for (const Dimension* one : dimensions_of(task.space)) combinations *= one->choices.size();
  Scripted search(net, task, 100'000);
  strategy_named("exhaustive")(search);
  EXPECT_EQ(search.trials.size(), combinations);
}

TEST(Random, TheSeedDecides) {
  const auto recipes = [](std::uint64_t seed) {
    Task task = task_of(kTwoBad);
    task.seed = seed;
    Scripted search(kTwoBad, task, 5);
    strategy_named("random")(search);
    std::vector<Recipe> list;
    for (const Trial& trial : search.trials) list.push_back(trial.recipe);
    return list;
  };
  EXPECT_EQ(recipes(1), recipes(1));
  EXPECT_NE(recipes(1), recipes(2));
}

TEST(Bayesian, NeedsFewerTrialsThanChance) {
  std::size_t by_chance = 0;
  std::size_t by_guess = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Task task = task_of(kTwoBad);
    task.seed = seed;
    Scripted chance(kTwoBad, task, 200);
    strategy_named("random")(chance);
    Scripted guess(kTwoBad, task, 200);
    strategy_named("bayesian")(guess);
    by_chance += chance.trials.size();
    by_guess += guess.trials.size();
  }
  EXPECT_LT(by_guess, by_chance);
}

}  // namespace
}  // namespace quantlens
