// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/tune.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/files.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/search/pricing.h"
#include "quantlens/flow/search/search_job.h"
#include "quantlens/flow/search/trial_bench.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/prices.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

/// Options may have been written in another order.
bool is_same_metric(const std::string& earlier, const std::string& now) {
  if (earlier == now) return true;
  try {
    return metric_text(parse_metric(earlier)) == now;
  } catch (const Error&) {
    return false;  // a caller's own
  }
}

/// Throws Errc::usage where an earlier run was asked something else: its trials tell nothing here.
void check_same(const Study& earlier, const Study& now, const std::string& workload) {
  std::vector<std::string> differ;
  const auto compare = [&](const char* what, bool same) {
    if (!same) differ.emplace_back(what);
  };
  compare("another model", earlier.model == now.model);
  compare("other data", earlier.data == now.data && earlier.samples == now.samples &&
                            earlier.data_fingerprint == now.data_fingerprint);
  compare("other calibration data",
          earlier.calibration_data == now.calibration_data &&
              earlier.calibration_fingerprint == now.calibration_fingerprint);
  compare("another batch size", earlier.batch_size == now.batch_size);
  compare("another metric", is_same_metric(earlier.metric, now.metric));
  compare("another goal", earlier.goal == now.goal);
  compare("another strategy", earlier.strategy == now.strategy);
  compare("another seed", earlier.seed == now.seed);
  compare("another recipe", earlier.start == now.start);
  if (differ.empty()) return;
  throw Error(Errc::usage, fmt::format("--resume {}: that run had {}; repeat its command line, or "
                                       "leave --resume out to begin anew",
                                       workload, fmt::join(differ, " and ")));
}

/// The workload to go on with, untouched where it is refused.
std::unique_ptr<WorkloadWriter> taken_up(const std::string& id, const Study& asked,
                                         const Session& session) {
  Workspace workspace = workspace_of(session);
  const Workload workload = workspace.find(id);
  if (workload.verb.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {}; begin anew, without --resume",
                            printable((workspace.folder(id) / FileOf<Workload>::kName).string()),
                            printable(workload.message)));
  }
  if (workload.verb != "tune") {
    throw Error(Errc::usage, fmt::format("--resume {}: was written by '{}', not by tune; see "
                                         "quantlens workloads list",
                                         printable(workload.id), printable(workload.verb)));
  }
  if (workload.inputs != session.ends.inputs || workload.outputs != session.ends.outputs) {
    throw Error(Errc::usage,
                fmt::format("--resume {}: that run had other --inputs or --outputs; repeat its "
                            "command line, or leave --resume out to begin anew",
                            printable(workload.id)));
  }
  const fs::path folder = workspace.folder(id);
  if (const auto earlier = WorkloadReader(session.store, folder).get<Study>()) {
    check_same(*earlier, asked, workload.id);
  }
  return std::make_unique<WorkloadWriter>(session.store, folder, workload);
}

/// Before hours of work.
void check_destinations(const TuneOptions& options, const fs::path& output,
                        const Sources& sources) {
  const Destination model{.path = output};
  check_destination(model, sources);
  if (options.emit_recipe.empty()) return;
  const Destination recipe{
      .path = options.emit_recipe, .option = "--emit-recipe", .is_model = false};
  check_destination(recipe, sources);
  check_apart(recipe, model);
}

Study asked(const TuneOptions& options, const Model& model, const FittedData& data,
            const FittedData* calibration, const Store& store) {
  Study study;
  study.model = sha256_hex(model.file.text());
  study.data = data.source;
  if (calibration) study.calibration_data = calibration->source;
  study.data_fingerprint = fingerprint(data.opened);
  if (calibration) study.calibration_fingerprint = fingerprint(calibration->opened);
  study.samples = data.opened.dataset->size();
  study.batch_size = data.opened.batch_size;
  study.metric = metric_text(options.metric);
  study.goal = options.goal;
  study.strategy = options.strategy;
  study.seed = options.seed;
  study.start = options.recipe;
  study.reference_bytes = sums_of(model, store).bytes;
  return study;
}

void note_calibration(const TuneOptions& options, const FittedData& data, const MetricSpec& metric,
                      Progress& progress) {
  if (options.calibration_data || !needs_data(metric)) return;
  progress.note(
      fmt::format("accuracies include the {} that calibration sees (--calibration-data keeps them "
                  "apart)",
                  counted(first_samples(options.recipe, data).count, "sample")));
}

/// `study`: as asked, with the trials of an earlier run.
void search(const TuneOptions& options, const TrialSetting& setting, const Session& session,
            WorkloadWriter& workload, TuneResult& result) {
  TrialBench bench(setting, session, workload);
  bench.calibrate();
  std::optional<double> seconds;
  Study& study = *result.study;
  study.reference = bench.reference(seconds).accuracy;
  if (seconds) result.times.reference = *seconds;
  check_baseline(options.goal, study.reference, needs_data(setting.metric));
  const std::string beyond = out_of_reach(options.goal, study.reference);
  if (!beyond.empty()) session.progress.note(beyond);
  for (const auto& [op, count] : bench.multiply_adds()) study.multiply_adds += count;
  Task task{.start = options.recipe,
            .space = space_of(
                setting.original.model.graph, capabilities_of(setting.original.model.format),
                bench.plan(options.recipe).planned.plan, options.recipe, bench.multiply_adds()),
            .goal = options.goal,
            .seed = options.seed};
  const SearchJob::Place place{
      .bench = bench, .session = session, .workload = workload, .result = result};
  SearchJob job(options, std::move(task), place);
  strategy_named(options.strategy)(job);
  job.close();
  speed_up(job, options, place, setting);
  job.finish();
  if (options.diagnose_best && study.best) job.diagnose(study.trials.at(*study.best - 1).recipe);
  if (study.reached && options.goal.objective == Objective::speed && options.prices != "none") {
    std::tie(result.times.float_us, result.times.best_us) =
        timed_in_turn(setting.given, formats(session).read(result.output), setting.data, session);
    workload.put(result.times);
  }
}

/// What an interrupted search leaves, and how it goes on.
void note_what_is_kept(const TuneResult& result, Progress& progress) {
  progress.note(fmt::format("{}; the same command with --resume {} goes on",
                            result.study->best ? fmt::format("the best model so far is {}",
                                                             printable(result.output.string()))
                                               : std::string("no model is kept yet"),
                            result.folder.filename().string()));
}

}  // namespace

void check_options(const TuneOptions& options, const std::optional<Recipe>& recipe) {
  if (recipe) check_recipe(*recipe);
  if (!options.data.is_given()) throw Error(Errc::usage, "--data is required");
  strategy_named(options.strategy);
  check_goal(options.goal, is_higher_better(options.metric));
  check_use_of_prices(options);
}

TuneResult tune(const TuneOptions& options, const Session& session) {
  check_options(options, options.recipe);
  const MetricSpec& metric = options.metric;
  TuneResult result;
  result.output = destination_of(options.output, options.model);
  const Model model = formats(session).read(options.model);
  const FittedData data = fit_data(options.data, model, session);
  std::optional<FittedData> apart;
  if (options.calibration_data) {
    apart = fit_data(*options.calibration_data, model, session);
  }
  std::vector<fs::path> files = options.recipe_files;
  files.emplace_back(options.prices);
  check_destinations(
      options, result.output,
      {.model = &model, .files = std::move(files), .data = {&data, apart ? &*apart : nullptr}});
  check_metric(metric, model, data);
  std::optional<Prices> prices = given_prices(options, session.store);
  result.study = asked(options, model, data, apart ? &*apart : nullptr, session.store);
  const auto workload = options.resume
                            ? taken_up(*options.resume, *result.study, session)
                            : begin_workload(session, "tune", {{ModelRole::reference, &model}});
  describe_data(*workload, &data, metric_text(metric), apart ? &*apart : nullptr);
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    const WorkloadReader kept(session.store, result.folder);
    if (auto earlier = kept.get<Study>()) {
      result.study->trials = std::move(earlier->trials);
      result.study->best = earlier->best;
      result.times = kept.get<StudyTimes>().value_or(StudyTimes());
    } else {
      workload->put(*result.study);
    }
    const IndexedModel newer = made_ready(model, recorded);
    put_if_other(newer.model(), model, *workload);
    if (prices) check_prices(*prices, newer.model().graph, printable(options.prices));
    note_calibration(options, data, metric, recorded.progress);
    const TrialSetting setting{.given = model,
                               .original = newer.indexed(),
                               .data = data,
                               .calibration = apart ? *apart : data,
                               .metric = metric,
                               .goal = options.goal,
                               .start = options.recipe,
                               .output = result.output,
                               .prices = std::move(prices)};
    try {
      search(options, setting, recorded, *workload, result);
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) note_what_is_kept(result, recorded.progress);
      throw;
    }
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
