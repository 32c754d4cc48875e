// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/tune.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/destination.h"
#include "quantlens/flow/measure.h"
#include "quantlens/flow/trial_bench.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/recipe_document.h"
#include "quantlens/tuning/goal.h"

namespace quantlens::flow {
namespace {

constexpr const char* kStudy = "study.json";
constexpr const char* kTimes = "times.json";

/// Nothing where there is no such record.
template <class Record>
std::optional<Record> stored(const Store& store, const fs::path& folder, const char* name) {
  try {
    const MappedFile file = store.read(folder / name);
    return json::decode<Record>(json::parse(file.text(), name), name);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    throw;
  }
}

/// Throws Errc::usage where an earlier run was asked something else: its trials tell nothing here.
void check_same(const Study& earlier, const Study& now, const std::string& workload) {
  std::vector<std::string> differ;
  const auto compare = [&](const char* what, bool same) {
    if (!same) differ.emplace_back(what);
  };
  compare("model", earlier.model == now.model);
  compare("data", earlier.data == now.data && earlier.samples == now.samples);
  compare("calibration data", earlier.calibration_data == now.calibration_data);
  compare("metric", earlier.metric == now.metric);
  compare("goal", earlier.goal == now.goal);
  compare("strategy", earlier.strategy == now.strategy);
  compare("seed", earlier.seed == now.seed);
  compare("recipe", earlier.start == now.start);
  if (differ.empty()) return;
  throw Error(Errc::usage, fmt::format("--resume {}: that run had another {}; repeat its command "
                                       "line, or leave --resume out to begin anew",
                                       workload, fmt::join(differ, " and another ")));
}

/// The workload to go on with, untouched where it is refused.
std::unique_ptr<WorkloadWriter> taken_up(const std::string& id, const Study& asked,
                                         const Session& session) {
  Workspace workspace(session.store,
                      session.workspace.empty() ? default_workspace() : session.workspace);
  const Workload workload = workspace.find(id);
  if (workload.verb != "tune") {
    throw Error(Errc::usage, fmt::format("--resume {}: was written by '{}', not by tune; see "
                                         "quantlens workloads list",
                                         printable(workload.id), printable(workload.verb)));
  }
  const fs::path folder = workspace.folder(id);
  if (const auto earlier = stored<Study>(session.store, folder, kStudy)) {
    check_same(*earlier, asked, workload.id);
  }
  return std::make_unique<WorkloadWriter>(session.store, folder, workload);
}

class Job final : public Search {
 public:
  struct Place {
    TrialBench& bench;
    const Session& session;
    WorkloadWriter& workload;
    TuneResult& result;
  };

  Job(const TuneOptions& options, Task task, const Place& place)
      : Search(std::move(task)),
        options_(options),
        bench_(place.bench),
        session_(place.session),
        workload_(place.workload),
        result_(place.result),
        recorded_(std::exchange(place.result.study.trials, {})),
        recorded_times_(std::exchange(place.result.times.trials, {})) {
    study().best.reset();
    study().reached = false;
  }

  std::optional<Trial> run(const Proposal& proposal) override;
  const Diagnosis* diagnose(const Recipe& recipe) override;
  /// Writes what the last run may not have come to write.
  void finish();

 private:
  Study& study() const { return result_.study; }
  const Trial* known(const Proposal& proposal) const;
  bool is_at_limit(Look look) const;
  std::optional<Trial> recorded(const Proposal& proposal);
  Trial tried(const Proposal& proposal, double& seconds);
  void keep(Trial trial, double seconds, bool is_new);
  void emit(const Recipe& recipe) const;

  using Clock = std::chrono::steady_clock;

  const TuneOptions& options_;
  TrialBench& bench_;
  const Session& session_;
  WorkloadWriter& workload_;
  TuneResult& result_;
  std::vector<Trial> recorded_;  ///< of an earlier run
  std::vector<double> recorded_times_;
  std::map<std::string, Diagnosis> diagnoses_;  ///< by recipe
  std::optional<Candidate> candidate_;          ///< of the trial that is being judged
  Clock::time_point begin_ = Clock::now();
};

/// A trial that answers a proposal.
bool answers(const Trial& trial, Look look) {
  if (trial.judged == Judged::failed) return true;
  if (look == Look::outputs) return trial.judged == Judged::output_error;
  if (look == Look::early) return trial.judged != Judged::output_error;
  return trial.judged == Judged::whole;
}

const Trial* Job::known(const Proposal& proposal) const {
  for (const Trial& trial : study().trials) {
    if (trial.recipe == proposal.recipe && answers(trial, proposal.look)) return &trial;
  }
  return nullptr;
}

bool Job::is_at_limit(Look look) const {
  const auto judged = static_cast<std::uint64_t>(std::ranges::count_if(
      study().trials, [](const Trial& trial) { return trial.judged != Judged::output_error; }));
  return look != Look::outputs && judged >= options_.max_trials;
}

/// Asks again what an earlier run has asked.
std::optional<Trial> Job::recorded(const Proposal& proposal) {
  const std::size_t at = study().trials.size();
  if (at >= recorded_.size()) return std::nullopt;
  const Trial& trial = recorded_[at];
  const bool is_next = trial.number == at + 1 && trial.why == proposal.why;
  if (is_next && trial.recipe == proposal.recipe) return trial;
  throw Error(Errc::bad_input,
              fmt::format("{}: trial {} is not what this search tries next: was it made by another "
                          "version of quantlens? Begin anew, without --resume",
                          kStudy, at + 1));
}

std::optional<Trial> Job::run(const Proposal& proposal) {
  if (session_.progress.stop_requested()) throw Error(Errc::interrupted, "interrupted");
  if (const Trial* trial = known(proposal)) return *trial;
  if (is_at_limit(proposal.look)) return std::nullopt;
  candidate_.reset();
  if (std::optional<Trial> trial = recorded(proposal)) {
    const std::size_t at = study().trials.size();
    keep(*trial, at < recorded_times_.size() ? recorded_times_[at] : 0, false);
    return trial;
  }
  const double passed = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (options_.timeout > 0 && passed >= options_.timeout) return std::nullopt;
  double seconds = 0;
  Trial trial = tried(proposal, seconds);
  keep(trial, seconds, true);
  return trial;
}

/// What a copy of an earlier trial's figures says of the same model.
void copy_figures(const Trial& from, Trial& to) {
  to.same_as = from.same_as.value_or(from.number);
  to.judged = from.judged;
  to.accuracy = from.accuracy;
  to.difference = from.difference;
  to.difference_interval = from.difference_interval;
  to.loss = from.loss;
  to.reached = from.reached;
  to.output_error = from.output_error;
  to.bytes = from.bytes;
  to.sha256 = from.sha256;
}

Trial Job::tried(const Proposal& proposal, double& seconds) {
  Trial trial;
  trial.number = study().trials.size() + 1;
  trial.why = proposal.why;
  trial.recipe = proposal.recipe;
  try {
    candidate_ = bench_.plan(proposal.recipe);
    const Plan& plan = candidate_->planned.plan;
    if (trial.number == 1) {
      for (const std::string& note : candidate_->planned.notes) session_.progress.note(note);
    }
    trial.fingerprint = candidate_->fingerprint;
    trial.compute_quantized = compute_quantized(plan);
    for (const OpPlan& op : plan.ops) ++(op.quantized ? trial.ops_quantized : trial.ops_float);
    const auto same = std::ranges::find_if(study().trials, [&](const Trial& earlier) {
      return earlier.fingerprint == trial.fingerprint && earlier.judged != Judged::failed &&
             answers(earlier, proposal.look);
    });
    if (same != study().trials.end()) {
      copy_figures(*same, trial);
      seconds = result_.times.trials.at(same->number - 1);
    } else {
      seconds = bench_.judge(*candidate_, proposal.look, trial);
    }
  } catch (const Error& error) {
    const bool is_ours = error.code() == Errc::interrupted || error.code() == Errc::io;
    if (is_ours || trial.number == 1) throw;
    trial.judged = Judged::failed;
    trial.failure = error.what();
  }
  return trial;
}

void Job::emit(const Recipe& recipe) const {
  if (options_.emit_recipe.empty()) return;
  write_atomic(session_.store, options_.emit_recipe, json::dump(recipe_document(recipe)));
}

void Job::keep(Trial trial, double seconds, bool is_new) {
  const bool counts = trial.judged == Judged::whole && trial.accuracy.has_value();
  const bool is_best = counts && (!study().best || is_better(task().goal, trial,
                                                             study().trials.at(*study().best - 1)));
  if (is_best) {
    study().best = trial.number;
    study().reached = trial.reached;
  }
  if (is_best && is_new) {  // in this order: the record never names a model that is not there
    bench_.write(*candidate_, result_.output);
    emit(candidate_->recipe);
    workload_.write("plan.json", json::dump(json::encode(candidate_->planned.plan)));
  }
  study().trials.push_back(std::move(trial));
  result_.times.trials.push_back(seconds);
  if (is_new) {
    const Trial& last = study().trials.back();
    workload_.write(fmt::format("trials/{}/recipe.json", last.number),
                    json::dump(recipe_document(last.recipe)));
    workload_.write(kTimes, json::dump(json::encode(result_.times)));
    workload_.write(kStudy, json::dump(json::encode(study())));
  }
  if (options_.on_trial) options_.on_trial(study(), result_.times);
}

const Diagnosis* Job::diagnose(const Recipe& recipe) {
  const std::string key = json::dump(json::encode(recipe));
  const auto found = diagnoses_.find(key);
  if (found != diagnoses_.end()) return &found->second;
  try {
    return &diagnoses_.emplace(key, bench_.diagnose(bench_.plan(recipe))).first->second;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted || error.code() == Errc::io) throw;
    session_.progress.note(fmt::format("ops are not ranked by a diagnosis: {}", error.what()));
    return nullptr;
  }
}

void Job::finish() {
  bench_.clear();
  if (!study().best) return;
  const Trial& best = study().trials.at(*study().best - 1);
  std::string there;
  try {
    there = sha256_hex(session_.store.read(result_.output).text());
  } catch (const Error&) {
    there.clear();  // it is written now
  }
  // The run before this one may have ended between two files.
  if (there != best.sha256) bench_.write(bench_.plan(best.recipe), result_.output);
  emit(best.recipe);
  workload_.write("recipe.json", json::dump(recipe_document(best.recipe)));
  workload_.write(kStudy, json::dump(json::encode(study())));
  workload_.add_model(model_file("quantized", frontend::read(result_.output)));
}

void check_options(const TuneOptions& options) {
  if (options.data.data.empty()) throw Error(Errc::usage, "--data is required");
  strategy_named(options.strategy);
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

Study asked(const TuneOptions& options, const Model& model, const FittedData& data) {
  Study study;
  study.model = sha256_hex(model.file.text());
  study.data = options.data.data;
  study.calibration_data = options.calibration_data.value_or("");
  study.samples = data.opened.dataset->size();
  study.metric = options.metric;
  study.goal = options.goal;
  study.strategy = options.strategy;
  study.seed = options.seed;
  study.start = options.recipe;
  study.reference_bytes = model.file.bytes().size();
  return study;
}

void note_calibration(const TuneOptions& options, const FittedData& data, const MetricSpec& metric,
                      Progress& progress) {
  if (options.calibration_data || !needs_data(metric)) return;
  progress.note(fmt::format(
      "accuracies include the {} samples that calibration sees (--calibration-data keeps them "
      "apart)",
      first_samples(options.recipe, data).count));
}

/// `study`: as asked, with the trials of an earlier run.
void search(const TuneOptions& options, const TrialSetting& setting, const Session& session,
            WorkloadWriter& workload, TuneResult& result) {
  TrialBench bench(setting, session, workload);
  bench.calibrate();
  std::optional<double> seconds;
  result.study.reference = bench.reference(seconds).accuracy;
  if (seconds) result.times.reference = *seconds;
  Task task{.start = options.recipe,
            .space = space_of(setting.original.graph, bench.plan(options.recipe).planned.plan,
                              options.recipe),
            .goal = options.goal,
            .seed = options.seed};
  Job job(options, std::move(task),
          {.bench = bench, .session = session, .workload = workload, .result = result});
  strategy_named(options.strategy)(job);
  job.finish();
}

}  // namespace

TuneResult tune(const TuneOptions& options, const Session& session) {
  check_options(options);
  const MetricSpec metric = parse_metric(options.metric);
  TuneResult result;
  result.output = destination_of(options.output, options.model);
  Model model = frontend::read(options.model);
  const FittedData data = fit_data(options.data, model, session.progress);
  std::optional<FittedData> apart;
  if (options.calibration_data) {
    apart = fit_data({.data = *options.calibration_data, .options = {}}, model, session.progress);
  }
  check_destinations(options, result.output,
                     {.model = &model,
                      .files = {options.recipe_file},
                      .data = {&data, apart ? &*apart : nullptr}});
  check_metric(metric, model, data, options.data);
  result.study = asked(options, model, data);
  const auto workload = options.resume ? taken_up(*options.resume, result.study, session)
                                       : begin_workload(session, "tune", {{"reference", &model}});
  result.workload = workload->workload().id;
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    if (auto earlier = stored<Study>(session.store, result.folder, kStudy)) {
      result.study.trials = std::move(earlier->trials);
      result.times =
          stored<StudyTimes>(session.store, result.folder, kTimes).value_or(StudyTimes());
    } else {
      workload->write(kStudy, json::dump(json::encode(result.study)));
    }
    note_calibration(options, data, metric, recorded.progress);
    const Model newer = upgraded(std::move(model), recorded.progress);
    search(options,
           {.original = newer,
            .data = data,
            .calibration = apart ? *apart : data,
            .metric = metric,
            .goal = options.goal,
            .start = options.recipe},
           recorded, *workload, result);
  });
  return result;
}

}  // namespace quantlens::flow
