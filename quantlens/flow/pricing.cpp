// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/pricing.h"

#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/pair.h"
#include "quantlens/flow/first_batches.h"
#include "quantlens/flow/stored.h"
#include "quantlens/profiling/profile.h"
#include "quantlens/tuning/prices.h"

namespace quantlens::flow {
namespace {

/// The recipe with three of five ops that compute in float, and what is around them: one alone, two
/// together, since runtimes lay out values between float ops in another way than beside int8.
Recipe alternating(const Space& space, const Recipe& recipe) {
  constexpr std::array kFloat = {false, true, false, true, true};
  std::vector<const TunableOp*> floats;
  std::size_t number = 0;
  for (const TunableOp& op : space.ops) {
    if (!op.computes || !kFloat[number++ % kFloat.size()]) continue;
    floats.push_back(&op);
    for (const std::size_t near : op.around) floats.push_back(&space.ops[near]);
  }
  return with_float(recipe, floats);
}

}  // namespace

Prices price_ops(TrialBench& bench, const TrialSetting& setting, const Space& space,
                 const Recipe& recipe, const Session& session) {
  const Model quantized = bench.built(bench.plan(recipe));
  const Model mixed = bench.built(bench.plan(alternating(space, recipe)));
  const std::vector<Batch> batches = first_batches(setting.data, session);
  const std::vector<ToProfile> models{
      {setting.original, batches}, {quantized, batches}, {mixed, batches}};
  const Profiled seen = profile(
      models, {.threads = session.threads, .iterations = 45, .machine = false}, session.progress);
  const auto profiled = [&](std::size_t i) {
    return ProfiledModel{models[i].model.graph, seen.graphs[i], seen.types[i], seen.profiles[i]};
  };
  const PricedModel all{profiled(1), pair(setting.original, quantized)};
  const PricedModel some{profiled(2), pair(setting.original, mixed)};
  return learn_prices(profiled(0), all, &some);
}

std::pair<double, double> timed_in_turn(const Model& reference, const Model& other,
                                        const FittedData& data, const Session& session) {
  const std::vector<Batch> batches = first_batches(data, session);
  const std::vector<ToProfile> models{{reference, batches}, {other, batches}};
  const Profiled seen = profile(
      models, {.threads = session.threads, .iterations = 45, .machine = false}, session.progress);
  return {seen.profiles[0].wall.median_us, seen.profiles[1].wall.median_us};
}

void speed_up(SearchJob& job, const TuneOptions& options, const SearchJob::Place& place,
              const TrialSetting& setting) {
  constexpr double kWorthATrial = 0.98;
  const Study& study = place.result.study;
  if (options.prices == "none" || options.goal.objective != "speed" || !study.reached) return;
  const Recipe recipe = study.trials.at(*study.best - 1).recipe;
  const Space space =
      space_of(setting.original.graph, place.bench.plan(recipe).planned.plan, recipe);
  if (space.ops.empty()) return;
  std::optional<Prices> prices = stored<Prices>(place.session.store, place.result.folder / kPrices);
  if (!prices && options.prices != "measured") {
    prices = stored<Prices>(place.session.store, options.prices);
    if (!prices) {
      throw Error(Errc::not_found, fmt::format("--prices {}: there is no such file; give measured, "
                                               "none or the prices.json of an earlier run",
                                               printable(options.prices)));
    }
  }
  if (!prices) prices = price_ops(place.bench, setting, space, recipe, place.session);
  place.workload.write(kPrices, json::dump(json::encode(*prices)));
  const std::vector<const TunableOp*> slower = slower_in_int8(*prices, space);
  job.set_prices(*prices);
  if (slower.empty()) return;
  const Recipe faster = with_float(recipe, slower);
  const double now = *study.trials.at(*study.best - 1).predicted_us;
  const double then = predict_us(*prices, quantized_ops(place.bench.plan(faster).planned.plan));
  if (then > kWorthATrial * now) return;
  job.run({.recipe = faster,
           .why = fmt::format("in float: {} ops that int8 makes no faster here", slower.size())});
}

std::set<std::string> quantized_ops(const Plan& plan) {
  std::set<std::string> ops;
  for (const OpPlan& op : plan.ops) {
    if (op.quantized) ops.insert(op.op);
  }
  return ops;
}

}  // namespace quantlens::flow
