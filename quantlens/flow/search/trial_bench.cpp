// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/search/trial_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/against_scores.h"
#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/search/multiply_adds.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/flow/steps/passes/output_errors.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/constants.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {

/// A float model that quantized ones are built from.
struct TrialBench::Base {
  std::optional<EditedFloat> edited;
  std::optional<Indexed> edited_indexed;
  std::optional<Analyzed> analyzed;  ///< the edited one, where there is one
  std::optional<TapState> statistics;

  FloatModel model() const { return {*analyzed, edited ? &*edited : nullptr}; }
};

namespace {

constexpr std::uint64_t kFewSamples = 32;  // for what sums over thousands of elements a sample

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What any trial's recipe may want to know: what biases need is gathered in any case.
Recipe widest(Recipe recipe) {
  recipe.recipes.bias_correction = true;
  return recipe;
}

/// What these taps would have gathered. `taps`: in order.
TapState gathered_by(const std::vector<Tap>& taps, const TapState& all) {
  TapState state{.model = all.model, .samples = all.samples, .values = {}, .pairs = {}};
  for (const ValueStats& stats : all.values) {
    const auto tap = std::ranges::lower_bound(taps, stats.value, {}, &Tap::value);
    if (tap == taps.end() || tap->value != stats.value) continue;
    state.values.push_back(stats);
    if (tap->channel_axis) continue;
    state.values.back().channel_axis = -1;
    state.values.back().channels = {};
  }
  return state;
}

/// Equal for plans that give the same model but for its metadata.
std::string fingerprint(const Plan& plan, const EditedFloat* edited) {
  std::string text = json::dump(json::encode(plan));
  for (const auto& [name, tensor] : plan.weights) {
    const Bytes bytes = tensor.bytes();
    text += name;
    text += '\n';
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (edited) text += sha256_hex(edited->model.file.text());
  return sha256_hex(text);
}

/// Equal for candidates that are written as equal bytes.
std::string identity_of(const Candidate& candidate) {
  return candidate.fingerprint + json::dump(json::encode(candidate.recipe));
}

/// Throws Errc::bad_input for a record that cannot be that of a run over these data.
void check_scores(const Scores& scores, const MetricSpec& metric, std::uint64_t samples,
                  const std::string& where) {
  const Accuracy& accuracy = scores.accuracy;
  const auto right = static_cast<std::uint64_t>(std::ranges::count(scores.right, '1'));
  const bool is_sound =
      !needs_data(metric)
          ? !accuracy.metric.empty()
          : accuracy.samples > 0 && accuracy.samples <= samples &&
                (accuracy.is_rate
                     ? scores.right.size() == accuracy.samples &&
                           static_cast<double>(right) / static_cast<double>(accuracy.samples) ==
                               accuracy.value
                     : !scores.parts.empty() && scores.parts.back().samples == accuracy.samples);
  if (is_sound) return;
  throw Error(Errc::bad_input, fmt::format("{}: is damaged: it is not what the float model scores; "
                                           "begin anew, without --resume",
                                           printable(where)));
}

/// Ends a pass over data that has shown enough.
struct Enough {};

}  // namespace

FileSums sums_of(const Model& model, const Store& store) {
  FileSums sums;
  std::string hashes;
  const std::vector<fs::path> files = frontend::files_of(model);
  for (const fs::path& path : files) {
    const bool is_here =
        files.size() == 1 && !model.file.bytes().empty();  // frozen ones are no file
    const MappedFile file = is_here ? model.file : store.read(path);
    sums.bytes += file.bytes().size();
    hashes += sha256_hex(file.text());
  }
  sums.sha256 = files.size() == 1 ? hashes : sha256_hex(hashes);
  return sums;
}

TrialBench::TrialBench(const TrialSetting& setting, const Session& session,
                       WorkloadWriter& workload)
    : setting_(setting),
      session_(session),
      workload_(workload),
      scratch_(session.store, workload.folder() / "candidate"),
      edits_(session.store, workload.folder() / "candidate.edited") {}

TrialBench::~TrialBench() = default;

std::optional<TapState> TrialBench::statistics_of(const Analyzed& analyzed) const {
  const Draft draft(analyzed, widest(setting_.start));
  const std::vector<std::string> values = draft.values_to_calibrate_for_all();
  if (values.empty()) {
    open(analyzed.model, nullptr, {},
         run_options(session_));  // throws where the runtime refuses it
    return std::nullopt;
  }
  std::vector<Tap> taps = calibration_taps(draft, values);
  ask_for_histograms(values, taps);
  const FittedData& data = setting_.calibration;
  return gather(analyzed.model, taps, data, first_samples(draft.recipe(), data), session_);
}

const TrialBench::Base& TrialBench::base_for(const Recipe& recipe) {
  const std::string key = edits_float(recipe) ? json::dump(json::encode(recipe)) : "";
  if (const auto found = bases_.find(key); found != bases_.end()) return *found->second;
  // of edited models the last one is enough: those of other recipes are made anew where asked for
  std::erase_if(bases_, [](const auto& one) { return !one.first.empty(); });
  auto made = std::make_unique<Base>();
  if (edits_float(recipe)) {
    const FittedData& data = setting_.calibration;
    const CalibrationSamples samples{.data = &data, .samples = first_samples(recipe, data)};
    made->edited = edit_float(setting_.original, recipe, samples, session_, edits_.path());
  }
  if (made->edited) made->edited_indexed.emplace(indexed(made->edited->model));
  made->analyzed.emplace(made->edited ? *made->edited_indexed : setting_.original);
  if (edits_float(recipe)) {
    Recipe plain;
    plain.approach = setting_.start.approach;
    made->statistics = made->edited ? statistics_of(*made->analyzed) : base_for(plain).statistics;
    return *(bases_[key] = std::move(made));
  }
  made->statistics = WorkloadReader(session_.store, workload_.folder()).get<TapState>();
  if (!made->statistics) {
    made->statistics = statistics_of(*made->analyzed);
    if (made->statistics) {
      made->statistics->model = reference_hash(workload_);
      workload_.put(*made->statistics);
    }
  }
  return *(bases_[key] = std::move(made));
}

void TrialBench::calibrate() {
  base_for(setting_.start);
}

const Scores& TrialBench::reference(std::optional<double>& seconds) {
  if (scores_) return *scores_;
  const WorkloadReader earlier(session_.store, workload_.folder());
  if ((scores_ = earlier.get<Scores>())) {
    check_scores(*scores_, setting_.metric, setting_.data.opened.dataset->size(),
                 earlier.path<Scores>().string());
    return *scores_;
  }
  const Clock::time_point start = Clock::now();
  if (needs_data(setting_.metric)) {
    const ClosingRun run =
        closing(open(setting_.given, nullptr, {}, run_options(session_)), session_.phases);
    BatchReader reader = make_reader(setting_.data, session_);
    ScoresSink sink(setting_.metric, reader.size());
    feed(*run, reader, session_.progress, "float model",
         [&](const Batch& batch, const Outputs& outputs) { sink.add(batch, outputs); });
    report_skipped(reader, session_.progress);
    scores_ = sink.result();
    warn_of_classes(scores_->accuracy, setting_.metric, session_.progress);
  } else {
    scores_ = Scores{.accuracy = accuracy_alone(setting_.given, nullptr, setting_.metric, session_),
                     .right = {},
                     .parts = {}};
  }
  seconds = seconds_since(start);
  workload_.put(*scores_);
  return *scores_;
}

const std::map<std::string, std::uint64_t>& TrialBench::multiply_adds() {
  if (!multiply_adds_) {
    multiply_adds_ = flow::multiply_adds(setting_.original, setting_.data, session_);
  }
  return *multiply_adds_;
}

GivenRanges TrialBench::ranges_of(const Base& base, const Draft& draft) {
  GivenRanges given;
  if (!base.statistics) return given;
  // as quantize has it: it gathers no more, and nothing where no value has a range
  const std::vector<std::string> values = draft.values_to_calibrate();
  if (values.empty()) return given;
  given.statistics = gathered_by(calibration_taps(draft, values), *base.statistics);
  given.ranges = ranges_for(*given.statistics, draft);
  return given;
}

Candidate TrialBench::plan(const Recipe& recipe) {
  const Base& base = base_for(recipe);
  const FloatModel from = base.model();
  const Draft draft(from.analyzed, recipe);
  Candidate candidate{.planned = plan_for(draft, ranges_of(base, draft), from.edited),
                      .recipe = recipe,
                      .fingerprint = {},
                      .float_edit = {}};
  if (from.edited) {
    candidate.float_edit = from.edited->record;
    candidate.float_edit->model.clear();
  }
  candidate.fingerprint = fingerprint(candidate.planned.plan, from.edited);
  return candidate;
}

Written TrialBench::written(const Candidate& candidate, const fs::path& path) {
  const Base& base = base_for(candidate.recipe);
  Plan plan = candidate.planned.plan;
  return write_as_planned(base.model(), plan, candidate.recipe, session_, path);
}

void TrialBench::write(const Candidate& candidate, const fs::path& path) {
  if (judged_ != identity_of(candidate)) {
    written(candidate, path);
    return;
  }
  const MappedFile file = session_.store.read(scratch_.path() / setting_.output.filename());
  write_atomic(session_.store, path, file.text());
}

void TrialBench::keep_edited(const Candidate& candidate) {
  const Base& base = base_for(candidate.recipe);
  flow::keep_edited(base.model().edited, session_, workload_);
}

Model TrialBench::built(const Candidate& candidate) {
  const fs::path path = scratch_.path() / setting_.output.filename();
  judged_.clear();
  written(candidate, path);
  return formats(session_).read(path);
}

double TrialBench::judge(const Candidate& candidate, Look look, Trial& trial) {
  const fs::path path = scratch_.path() / setting_.output.filename();
  judged_.clear();
  Written made = written(candidate, path);
  const Model quantized = formats(session_).read(path);
  const FileSums sums = sums_of(quantized, session_.store);
  trial.bytes = sums.bytes;
  trial.sha256 = sums.sha256;
  // a copy is as good as what was built once more, where it is all of the model
  if (frontend::files_of(quantized).size() == 1) judged_ = identity_of(candidate);
  if (look != Look::outputs) return score(quantized, std::move(made.run), look, trial);
  made.run.reset();
  return compare_outputs(quantized, trial);
}

double TrialBench::score(const Model& quantized, ClosingRun ready, Look look, Trial& trial) {
  std::optional<double> ignored;
  const Scores& reference = this->reference(ignored);
  AccuracyRecord pair;
  trial.judged = Judged::whole;
  double seconds = 0;
  if (needs_data(setting_.metric)) {
    const ClosingRun run =
        ready ? std::move(ready)
              : closing(open(quantized, nullptr, {}, run_options(session_)), session_.phases);
    BatchReader reader = make_reader(setting_.data, session_);
    AgainstScoresSink sink(setting_.metric, reference, reader.size());
    const Clock::time_point start = Clock::now();
    try {
      feed(*run, reader, session_.progress, fmt::format("trial {}", trial.number),
           [&](const Batch& batch, const Outputs& outputs) {
             const bool may_look = sink.add(batch, outputs);
             if (!may_look || look != Look::early) return;
             const auto early =
                 judged_early(setting_.goal, reference.accuracy, sink.cautious_interval());
             if (!early) return;
             trial.judged = *early;
             throw Enough();
           });
    } catch (const Enough&) {
      // judged
    }
    seconds = seconds_since(start);
    pair = sink.result();
    if (pair.quantized.samples == reference.accuracy.samples) trial.judged = Judged::whole;
  } else {
    ready.reset();
    const Clock::time_point start = Clock::now();
    pair =
        paired(reference.accuracy, accuracy_alone(quantized, nullptr, setting_.metric, session_));
    seconds = seconds_since(start);
  }
  trial.accuracy = pair.quantized;
  trial.difference = *pair.difference;
  trial.difference_interval = pair.difference_interval;
  trial.loss = loss_of(setting_.goal, reference.accuracy, *pair.difference);
  trial.reached = trial.judged == Judged::whole && is_within(setting_.goal, trial.loss);
  return seconds;
}

double TrialBench::compare_outputs(const Model& quantized, Trial& trial) {
  const Samples samples{.first = 0,
                        .count = std::min(kFewSamples, setting_.data.opened.dataset->size())};
  const Clock::time_point start = Clock::now();
  const TapState state =
      output_errors({setting_.given, quantized}, setting_.data, samples, session_, "outputs");
  double worst = 0;
  for (const PairedStats& one : state.pairs) {
    constexpr double kDecibelsADecade = 10;
    worst = std::max(worst, std::pow(10.0, -one.pairs.sqnr_db() / kDecibelsADecade));
  }
  trial.judged = Judged::output_error;
  trial.output_error = worst;
  return seconds_since(start);
}

Diagnosis TrialBench::diagnose(const Candidate& candidate, const std::string& part) {
  const WorkloadWriter::Part writing(workload_, part);
  if (candidate.float_edit) workload_.put(*candidate.float_edit);
  const Model quantized = built(candidate);
  const Base& base = base_for(candidate.recipe);
  const Model& reference = base.analyzed->model;
  const std::uint64_t samples = std::min(kFewSamples, setting_.data.opened.dataset->size());
  return *measure({reference, quantized}, &setting_.data,
                  {.diagnose = true,
                   .metric = {},
                   .local_samples = samples,
                   .samples = samples,
                   .original = base.edited ? nullptr : &setting_.given},
                  session_, workload_)
              .diagnosis;
}

}  // namespace quantlens::flow
