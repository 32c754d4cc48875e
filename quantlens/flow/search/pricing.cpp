// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/search/pricing.h"

#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/flow/steps/passes/first_batches.h"
#include "quantlens/flow/steps/passes/session_workers.h"
#include "quantlens/profiling/profile.h"
#include "quantlens/tuning/prices.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

bool names_a_file(const std::string& prices) {
  return prices != "measured" && prices != "none";
}

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

/// Whether the mix that prices propose is faster than the best model, timed in turn, now or by an
/// earlier run of the search.
bool is_faster(const Candidate& now, const Candidate& mix, const SearchJob::Place& place,
               const TrialSetting& setting) {
  StudyTimes& times = place.result.times;
  if (!times.now_us || !times.mix_us) {
    std::tie(times.now_us, times.mix_us) =
        timed_in_turn(place.bench.built(now), place.bench.built(mix), setting.data, place.session);
  }
  if (*times.mix_us < *times.now_us) return true;
  place.session.progress.note(
      fmt::format("the mix that prices propose takes {:.3f} ms, the best model {:.3f}: it is not "
                  "tried",
                  *times.mix_us / 1e3, *times.now_us / 1e3));
  return false;
}

/// Those that an earlier run of the search went by, or that are given, or measured now.
Prices prices_of(const TuneOptions& options, const SearchJob::Place& place,
                 const TrialSetting& setting, const Space& space, const Recipe& recipe) {
  const WorkloadReader earlier(place.session.store, place.result.folder);
  if (auto prices = earlier.get<Prices>()) {
    check_prices(*prices, setting.original.model.graph, printable(earlier.path<Prices>().string()));
    return *prices;
  }
  if (!setting.prices) return price_ops(place.bench, setting, space, recipe, place.session);
  if (setting.prices->threads != place.session.threads) {
    place.session.progress.note(fmt::format("{}: was measured with {} threads; this run has {}",
                                            printable(options.prices), setting.prices->threads,
                                            place.session.threads));
  }
  return *setting.prices;
}

/// In workers where the session isolates models.
Profiled timed(const std::vector<ToProfile>& models, const Session& session) {
  const std::shared_ptr<Workers> workers =
      session_workers(session, std::vector<const Model*>{&models.front().model});
  return profile(
      models,
      {.threads = session.threads, .workers = workers.get(), .iterations = 45, .machine = false},
      session.progress);
}

}  // namespace

Prices price_ops(TrialBench& bench, const TrialSetting& setting, const Space& space,
                 const Recipe& recipe, const Session& session) {
  const Model quantized = bench.built(bench.plan(recipe));
  const Model mixed = bench.built(bench.plan(alternating(space, recipe)));
  const std::vector<Batch> batches = first_batches(setting.data, session);
  const std::vector<ToProfile> models{
      {setting.original.model, batches}, {quantized, batches}, {mixed, batches}};
  const Profiled seen = timed(models, session);
  const auto profiled = [&](std::size_t i) {
    return ProfiledModel{models[i].model.graph, seen.graphs[i], seen.types[i], seen.profiles[i]};
  };
  const PricedModel all{profiled(1), pair(setting.original.model, quantized)};
  const PricedModel some{profiled(2), pair(setting.original.model, mixed)};
  return learn_prices(profiled(0), all, &some);
}

std::pair<double, double> timed_in_turn(const Model& reference, const Model& other,
                                        const FittedData& data, const Session& session) {
  const std::vector<Batch> batches = first_batches(data, session);
  const std::vector<ToProfile> models{{reference, batches}, {other, batches}};
  const Profiled seen = timed(models, session);
  return {seen.profiles[0].wall.median_us, seen.profiles[1].wall.median_us};
}

void check_use_of_prices(const TuneOptions& options) {
  if (!names_a_file(options.prices) || options.goal.objective == Objective::speed) return;
  throw Error(Errc::usage, fmt::format("--prices {}: has a use with --objective speed only; give "
                                       "that, or leave it out",
                                       printable(options.prices)));
}

std::optional<Prices> given_prices(const TuneOptions& options, const Store& store) {
  if (!names_a_file(options.prices)) return std::nullopt;
  std::optional<Prices> prices = read_record<Prices>(store, options.prices);
  if (!prices) {
    throw Error(Errc::not_found, fmt::format("--prices {}: there is no such file; give measured, "
                                             "none or the prices.json of an earlier run",
                                             printable(options.prices)));
  }
  return prices;
}

void speed_up(SearchJob& job, const TuneOptions& options, const SearchJob::Place& place,
              const TrialSetting& setting) {
  constexpr double kWorthATrial = 0.98;
  const Study& study = *place.result.study;
  if (options.prices == "none" || options.goal.objective != Objective::speed || !study.reached)
    return;
  const Recipe recipe = study.trials.at(*study.best - 1).recipe;
  const Candidate now = place.bench.plan(recipe);
  const Space space =
      space_of(setting.original.model.graph, capabilities_of(setting.original.model.format),
               now.planned.plan, recipe);
  if (space.ops.empty()) return;
  const Prices prices = prices_of(options, place, setting, space, recipe);
  place.workload.put(prices);
  job.set_prices(prices);
  const std::vector<const TunableOp*> slower = slower_in_int8(prices, space);
  const Recipe faster = with_float(recipe, slower);
  const Candidate then = place.bench.plan(faster);
  const double now_us = *study.trials.at(*study.best - 1).predicted_us;
  if (slower.empty() ||
      predict_us(prices, quantized_ops(then.planned.plan)) > kWorthATrial * now_us) {
    return place.session.progress.note("no mix of int8 and float is predicted to be 2 % faster");
  }
  if (options.prices == "measured" && !is_faster(now, then, place, setting)) return;
  job.run({.recipe = faster,
           .why = fmt::format("in float: {} that int8 makes no faster here",
                              counted(slower.size(), "op"))});
}

std::set<std::string> quantized_ops(const Plan& plan) {
  std::set<std::string> ops;
  for (const OpPlan& op : plan.ops) {
    if (op.quantized) ops.insert(op.op.id);
  }
  return ops;
}

}  // namespace quantlens::flow
