// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/graph/indexed.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/recipe.h"

namespace quantlens::flow {

/// A float model that takes the original's place in calibration and quantization.
struct EditedFloat {
  Model model;                           ///< as read back from where it was written
  std::vector<AlgorithmEffect> effects;  ///< of what edited it
  FloatEdit record;
};

/// Metadata of a quantized model that was made from an edited float one: that one's SHA-256.
inline constexpr const char* kFloatModelKey = "quantlens.float_model";

/// Whether the recipe asks for an edited model.
bool edits_float(const Recipe& recipe);

/// Throws Errc::usage where the recipe asks for an edited model together with `what`, which knows
/// the original one only.
void refuse_edit(const Recipe& recipe, const std::string& what);

/// What is looked at before the model is quantized; no data: nothing can be.
struct CalibrationSamples {
  const FittedData* data = nullptr;
  Samples samples;
};

/// Edits the model as the recipe asks, writes it into `folder` and compares its outputs with the
/// original's over these samples, if there are any. Nothing where the recipe asks for nothing, or
/// nothing came of it, which a note says. All ops and values keep their names.
std::optional<EditedFloat> edit_float(const Indexed& original, const Recipe& recipe,
                                      const CalibrationSamples& samples, const Session& session,
                                      const fs::path& folder);

/// Makes it the edited model of the run: its files, unless they are there, its record, and its
/// entry among the models. Null: the run has none, and no longer one that it had.
void keep_edited(const EditedFloat* edited, const Session& session, WorkloadWriter& workload);

/// SHA-256 of the file that was calibrated: the edited one, or the reference.
std::string calibrated_hash(const WorkloadWriter& workload);

/// As `measure`: the accuracy is that of the original and the quantized model; the diagnosis
/// compares the edited one with the quantized one, since the original's channels are scaled in
/// both. The edited model's own accuracy goes into its record.
struct EditedModels {
  const Model& original;
  EditedFloat& edited;
  const Model& quantized;
};
Measured measure_edited(const EditedModels& models, const FittedData* data,
                        const MeasureOptions& options, const Session& session,
                        WorkloadWriter& workload);

}  // namespace quantlens::flow
