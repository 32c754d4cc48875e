// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/quantize.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/steps/models/build_model.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/flow/steps/models/given_ranges.h"
#include "quantlens/flow/steps/models/gone_ops.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/flow/steps/remedies/remedies.h"
#include "quantlens/flow/steps/remedies/verify_findings.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/runtime/constants.h"
#include "quantlens/runtime/open.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::flow {
namespace {

/// The data apart from what is measured, if there are such.
std::optional<FittedData> data_apart(const QuantizeOptions& options, const Model& model,
                                     const Session& session) {
  if (!options.calibration_data) return std::nullopt;
  return fit_data(*options.calibration_data, model, session);
}

/// Forms of the float model.
struct FloatModels {
  const Model& given;         ///< the user's file: what is told of the float model is of this one
  const IndexedModel& ready;  ///< made_ready
  EditedFloat* edited;        ///< null where it is not
};

class Job {
 public:
  /// `calibration`: null where there are no samples.
  Job(const QuantizeOptions& options, const Session& session, const FloatModels& models,
      const std::optional<FittedData>& data, const FittedData* calibration)
      : options_(options),
        session_(session),
        given_(models.given),
        original_(models.ready.model()),
        model_(models.edited ? models.edited->model : models.ready.model()),
        ready_(models.ready.indexed()),
        data_(data),
        calibration_(calibration),
        edited_(models.edited) {}

  void run(WorkloadWriter& workload, QuantizeResult& result) {
    workload.put(options_.recipe);
    note_quantized_already();
    Phase preparing(session_.phases, "prepare");
    std::optional<Indexed> edited;
    if (edited_ != nullptr) edited.emplace(indexed(edited_->model));
    Analyzed analyzed(edited ? *edited : ready_);
    analyzed.prepared.gone = gone_ops(given_, original_);
    const Draft draft(analyzed, options_.recipe);
    preparing.end();
    const GivenRanges given = calibrated(draft, workload);
    const FloatModel from{.analyzed = analyzed, .edited = edited_};
    Phase planning(session_.phases, "plan");
    PlanResult planned = plan_for(draft, given, edited_);
    planning.end();
    for (const std::string& note : planned.notes) session_.progress.note(note);
    result.plan = std::move(planned.plan);
    Phase writing(session_.phases, "write model");
    const std::vector<std::string> notes =
        write_as_planned(from, *result.plan, options_.recipe, session_, result.output).notes;
    for (const std::string& note : notes) session_.progress.note(note);
    writing.end();
    try {
      after_writing(from, given, workload, result);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}; the quantized model is written, whole: {}",
                                            error.what(), printable(result.output.string())));
    }
  }

 private:
  /// The model is there, whatever happens to what is told of it.
  void after_writing(const FloatModel& from, const GivenRanges& given, WorkloadWriter& workload,
                     QuantizeResult& result) {
    workload.put(*result.plan);
    note_unquantized(*result.plan);
    const Model quantized = formats(session_).read(result.output);
    workload.add_model(model_file(ModelRole::quantized, quantized));
    const QuantizedOutline drawn{outline(quantized.graph)};
    workload.put(drawn);
    result.links = links_of(drawn);
    if (options_.diagnose || options_.metric) measure_both(quantized, workload, result);
    if (options_.verify > 0 && result.diagnosis) {
      verify_findings({from, given, options_.recipe, quantized, *data_}, options_.verify, session_,
                      workload, *result.diagnosis);
    }
    if (result.diagnosis) write_remedies(remedies_of(*result.diagnosis), workload);
    if (edited_) result.float_edit = edited_->record;
  }

  GivenRanges calibrated(const Draft& draft, WorkloadWriter& workload) {
    const std::vector<std::string> values = draft.values_to_calibrate();
    if (values.empty()) {
      open(model_, nullptr, {}, run_options(session_));  // throws where the runtime refuses it
      return {};
    }
    const RangeOptions algorithms = range_options(draft);
    GivenRanges given;
    if (options_.ranges) {
      given = read_ranges(session_.store, *options_.ranges, reference_hash(workload));
      check_values(given, *options_.ranges, values, session_.progress);
      if (!given.statistics) note_missing_statistics(algorithms);
    } else {
      given.statistics =
          gather(model_, calibration_taps(draft, values, options_.verify > 0), *calibration_,
                 first_samples(options_.recipe, *calibration_), session_);
      given.statistics->model = calibrated_hash(workload);
    }
    if (given.statistics) {
      workload.put(*given.statistics);
      given.ranges = ranges_for(*given.statistics, draft);
    }
    workload.put(given.ranges);
    return given;
  }

  /// Of what a ranges.json cannot serve.
  void note_missing_statistics(const RangeOptions& algorithms) const {
    const std::string where = printable(options_.ranges->string());
    if (options_.recipe.activation.algorithm || !algorithms.of_value.empty()) {
      session_.progress.note(fmt::format(
          "{}: the ranges are chosen already: the recipe's activation algorithm has no effect",
          where));
    }
    if (wants_bias_correction(options_.recipe)) {
      session_.progress.note(fmt::format(
          "{}: holds no means of channels, as statistics do: biases are not corrected", where));
    }
  }

  void note_quantized_already() const {
    if (!uses_codes(original_.graph)) return;
    session_.progress.note(fmt::format(
        "{}: has quantized ops already, which stay as they are; what is called fp32 below is this "
        "model. Quantize the float model that it was made from",
        printable(original_.path.string())));
  }

  void note_unquantized(const Plan& plan) const {
    if (std::ranges::none_of(plan.ops, &OpPlan::quantized)) {
      session_.progress.note(
          uses_codes(original_.graph)
              ? "no further op could be quantized: counts are of these, what is quantized already "
                "is "
                "none of them; the plan says why (quantlens inspect MODEL)"
              : "no op could be quantized: the output computes in float throughout; "
                "the plan says why (quantlens inspect MODEL)");
    }
  }

  void measure_both(const Model& quantized, WorkloadWriter& workload, QuantizeResult& result) {
    const bool calibrated = needs_calibration(options_.recipe) && !options_.ranges;
    const bool is_scored = options_.metric && needs_data(*options_.metric);
    if (is_scored && calibrated && !options_.calibration_data) {
      session_.progress.note(
          fmt::format("the accuracy below includes the {} that calibration saw (--calibration-data "
                      "keeps them apart)",
                      counted(first_samples(options_.recipe, *data_).count, "sample")));
    }
    const MeasureOptions wanted{
        .diagnose = options_.diagnose, .metric = options_.metric, .original = &given_};
    const FittedData* data = data_ ? &*data_ : nullptr;
    Measured measured =
        edited_ ? measure_edited({given_, *edited_, quantized}, data, wanted, session_, workload)
                : measure({model_, quantized}, data, wanted, session_, workload);
    result.accuracy = std::move(measured.accuracy);
    result.diagnosis = std::move(measured.diagnosis);
  }

  const QuantizeOptions& options_;
  const Session& session_;
  const Model& given_;  ///< the user's file
  const Model& original_;
  const Model& model_;    ///< that is quantized
  const Indexed& ready_;  ///< `original_`
  const std::optional<FittedData>& data_;
  const FittedData* calibration_;
  EditedFloat* edited_;
};

std::vector<fs::path> files_read(const QuantizeOptions& options) {
  std::vector<fs::path> files = options.recipe_files;
  if (options.ranges) files.push_back(*options.ranges);
  return files;
}

}  // namespace

void check_options(const QuantizeOptions& options, const std::optional<Recipe>& recipe) {
  if (recipe) check_recipe(*recipe);
  if (options.ranges && recipe) refuse_edit(*recipe, "--ranges");
  if (options.ranges && options.calibration_data) {
    throw Error(Errc::usage,
                "--ranges and --calibration-data exclude each other: nothing is calibrated where "
                "the ranges are given");
  }
  if (options.data.is_given()) return;
  if (!options.ranges && recipe && needs_calibration(*recipe)) {
    throw Error(
        Errc::usage,
        "--data is required; with --ranges, --approach dynamic or --approach weight_only none is "
        "needed, but for --diagnose and --metric");
  }
  if (options.diagnose || (options.metric && needs_data(*options.metric))) {
    throw Error(Errc::usage,
                "--data is required for --diagnose and --metric; only --metric command:PROGRAM "
                "needs none");
  }
}

QuantizeResult quantize(const QuantizeOptions& options, const Session& session) {
  check_options(options, options.recipe);
  QuantizeResult result;
  result.output = destination_of(options.output, options.model);
  const Model model = formats(session).read(options.model);
  std::optional<FittedData> data;
  if (options.data.is_given()) data = fit_data(options.data, model, session);
  const std::optional<FittedData> apart = data_apart(options, model, session);
  // Calibration may take hours: what would stop the writing is said before.
  check_destination({.path = result.output},
                    {.model = &model,
                     .files = files_read(options),
                     .data = {data ? &*data : nullptr, apart ? &*apart : nullptr}});
  if (options.metric && data) check_metric(*options.metric, model, *data);
  const auto workload = begin_workload(session, "quantize", {{ModelRole::reference, &model}});
  describe_data(*workload, data ? &*data : nullptr,
                options.metric ? metric_text(*options.metric) : "", apart ? &*apart : nullptr);
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    const IndexedModel newer = made_ready(model, recorded);
    const FittedData* calibration = apart ? &*apart : data ? &*data : nullptr;
    CalibrationSamples samples;  // with ranges nothing is calibrated, and nothing edited
    if (calibration && !options.ranges)
      samples = {calibration, first_samples(options.recipe, *calibration)};
    std::optional<EditedFloat> edited =
        edit_float(newer.indexed(), options.recipe, samples, recorded, result.folder);
    if (edited) keep_edited(&*edited, recorded, *workload);
    put_if_other(edited ? edited->model : newer.model(), model, *workload);
    Job(options, recorded, {model, newer, edited ? &*edited : nullptr}, data, calibration)
        .run(*workload, result);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
