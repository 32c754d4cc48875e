// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/edit_float.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/passes/output_errors.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/quantizer/edit/equalize.h"
#include "quantlens/quantizer/edit/smooth.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/runtime/constants.h"

namespace quantlens::flow {
namespace {

constexpr const char* kName = "edited";  // of the file, without its ending
constexpr const char* kOption = "recipes.cross_layer_equalization";

void note_outcome(const Equalization& made, Progress& progress) {
  if (made.inexact > 0) {
    progress.note(fmt::format(
        "{}: {} of ops with a Relu6 or the like in between left out, where it is no exact change; "
        "'approximate' takes such pairs too",
        kOption, made.inexact == 1 ? "1 pair" : fmt::format("{} pairs", made.inexact)));
  }
  if (!made.plan.effects.empty()) {
    if (made.is_exact) return;
    progress.note(
        fmt::format("{}: an approximation: a Relu6 or the like saturates scaled channels "
                    "later than it did",
                    kOption));
  } else if (made.pairs > 0) {
    progress.note(
        fmt::format("{} has no effect: no channel of a weight is more than {} times as "
                    "wide as the median one where scaling it is of use",
                    kOption, kOutlier));
  } else if (made.inexact == 0) {
    progress.note(
        fmt::format("{} has no effect: no ops with float32 weights of their own alone "
                    "read what another one makes, with nothing but Relu and the like in "
                    "between",
                    kOption));
  }
}

/// Nothing where it edits nothing.
std::optional<Plan> equalization(const Indexed& model, const Recipe& recipe, FloatEdit& record,
                                 const Session& session) {
  if (!wants_equalization(recipe)) return std::nullopt;
  Equalization made = equalize(Analyzed(model), recipe);
  note_outcome(made, session.progress);
  if (made.plan.effects.empty()) return std::nullopt;
  record.exact = made.is_exact;
  return std::move(made.plan);
}

std::optional<Plan> smoothing(const Indexed& model, const Recipe& recipe,
                              const CalibrationSamples& samples, const Session& session) {
  if (!wants_smooth_quant(recipe)) return std::nullopt;
  if (samples.data == nullptr) {
    session.progress.note("no MatMul is smoothed: that needs samples, and ranges are given");
    return std::nullopt;
  }
  const Analyzed analyzed(model);
  const Draft draft(analyzed, recipe);
  std::vector<Tap> taps;
  for (const ValueChannels& one : channels_for_smoothing(draft)) {
    Tap tap{.value = one.value, .histogram = false};
    tap.channel_axis = one.axis;
    taps.push_back(std::move(tap));
  }
  std::optional<Plan> plan;
  if (!taps.empty()) {
    plan = smooth(draft, gather(model.model, taps, *samples.data, samples.samples, session));
  }
  if (plan && !plan->effects.empty()) return plan;
  if (recipe.recipes.smooth_quant) {
    session.progress.note(fmt::format(
        "recipes.smooth_quant has no effect: no value that MatMul or Gemm multiply by a float32 "
        "weight of their own is expected to gain {} dB",
        kLeastGainDb));
  }
  return std::nullopt;
}

std::vector<OutputDifference> differences(const TapState& state) {
  std::vector<OutputDifference> all;
  for (const PairedStats& one : state.pairs) {
    all.push_back({.output = one.reference,
                   .sqnr_db = one.pairs.sqnr_db(),
                   .cosine = one.pairs.cosine(),
                   .max_abs_error = one.pairs.extremes().max_abs_error});
  }
  return all;
}

void compare_outputs(const Model& original, const CalibrationSamples& samples,
                     const Session& session, EditedFloat& edited) {
  const TapState state =
      output_errors({original, edited.model}, *samples.data, samples.samples, session, "compare");
  edited.record.samples = state.samples.size();
  edited.record.outputs = differences(state);
}

/// Removes what the run has of an edited model of this name, but for these files. A record may be
/// anybody's: nothing else is removed, whatever it names.
void forget(const fs::path& name, const std::set<fs::path>& kept, const Session& session,
            const WorkloadWriter& workload) {
  if (name.stem() != kName) return;
  for (const fs::path& file : frontend::files_for(workload.folder() / name)) {
    if (!kept.contains(file)) session.store.remove(file);
  }
}

/// Of the run, with paths that may lie anywhere.
std::vector<ModelFile> edited_models(const WorkloadWriter& workload) {
  std::vector<ModelFile> models;
  std::ranges::copy_if(workload.workload().models, std::back_inserter(models),
                       [](const ModelFile& model) { return model.role == ModelRole::edited; });
  return models;
}

}  // namespace

bool edits_float(const Recipe& recipe) {
  return wants_equalization(recipe) || wants_smooth_quant(recipe);
}

void refuse_edit(const Recipe& recipe, const std::string& what) {
  const bool smooths = recipe.recipes.smooth_quant.value_or(false);
  if (!wants_equalization(recipe) && !smooths) return;
  throw Error(Errc::usage, fmt::format("{} and {} exclude each other: an edited model has other "
                                       "ranges than the original; let quantize calibrate it",
                                       what, smooths ? "recipes.smooth_quant" : kOption));
}

std::optional<EditedFloat> edit_float(const Indexed& original, const Recipe& recipe,
                                      const CalibrationSamples& samples, const Session& session,
                                      const fs::path& folder) {
  std::optional<EditedFloat> edited;
  FloatEdit record;
  const auto apply = [&](Plan plan, const std::string& name) {
    const fs::path path = folder / (name + original.model.path.extension().string());
    const Model& before = edited ? edited->model : original.model;
    formats(session).apply(before, plan, {}, session.store, path);
    record.model = path.filename().string();
    std::vector<AlgorithmEffect> effects = edited ? std::move(edited->effects) : plan.effects;
    if (edited) effects.insert(effects.end(), plan.effects.begin(), plan.effects.end());
    edited = EditedFloat{
        .model = formats(session).read(path), .effects = std::move(effects), .record = record};
  };
  if (auto plan = equalization(original, recipe, record, session)) {
    apply(std::move(*plan), wants_smooth_quant(recipe) ? "equalized" : kName);
  }
  std::optional<Indexed> equalized;
  if (edited) equalized.emplace(indexed(edited->model));
  if (auto plan = smoothing(equalized ? *equalized : original, recipe, samples, session)) {
    apply(std::move(*plan), kName);
  }
  if (!edited) return std::nullopt;
  if (samples.data != nullptr) compare_outputs(original.model, samples, session, *edited);
  return edited;
}

void keep_edited(const EditedFloat* edited, const Session& session, WorkloadWriter& workload) {
  if (edited == nullptr) {  // in this order: no record names a file that is gone
    session.store.remove(workload.folder() / FileOf<FloatEdit>::kName);
    for (const ModelFile& model : edited_models(workload)) {
      workload.drop_model(model);
      forget(fs::path(model.path).filename(), {}, session, workload);
    }
    return;
  }
  std::set<fs::path> files;
  for (const fs::path& file : frontend::files_of(edited->model)) {
    const fs::path place = workload.folder() / file.filename();
    if (place != file) write_atomic(session.store, place, session.store.read(file).text());
    files.insert(place);
  }
  const fs::path name = edited->model.path.filename();
  forget(name, files, session, workload);
  ModelFile model = model_file(ModelRole::edited, edited->model);
  model.path = fs::absolute(workload.folder() / name).lexically_normal().string();
  workload.add_model(model);
  workload.put(edited->record);
}

std::string calibrated_hash(const WorkloadWriter& workload) {
  const ModelFile* edited = file_of(workload.workload(), ModelRole::edited);
  return edited == nullptr ? reference_hash(workload) : edited->sha256;
}

Measured measure_edited(const EditedModels& models, const FittedData* data,
                        const MeasureOptions& options, const Session& session,
                        WorkloadWriter& workload) {
  const auto& [original, edited, quantized] = models;
  Measured measured;
  if (options.diagnose) {
    session.progress.note(
        fmt::format("the diagnosis compares with the edited float model: {}; inside the original, "
                    "channels have other scales",
                    printable(edited.model.path.string())));
    measured.diagnosis = measure({edited.model, quantized}, data, {.diagnose = true, .metric = {}},
                                 session, workload)
                             .diagnosis;
  }
  if (options.metric) {
    measured.accuracy = measure({original, quantized}, data,
                                {.diagnose = false, .metric = options.metric}, session, workload)
                            .accuracy;
    edited.record.accuracy = accuracy_alone(edited.model, data, *options.metric, session);
    workload.put(edited.record);
  }
  return measured;
}

}  // namespace quantlens::flow
