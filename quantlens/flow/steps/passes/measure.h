// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/models/model_pair.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens::flow {

struct Parts;

/// Enough to rank ops by their local errors: sums over thousands of elements a sample.
inline constexpr std::uint64_t kLocalSamples = 32;

/// What is asked of two models and data.
struct MeasureOptions {
  bool diagnose = true;
  std::optional<MetricSpec> metric;
  std::uint64_t local_samples = kLocalSamples;  ///< the first ones, for local errors; 0: none
  std::optional<std::uint64_t> samples = {};    ///< the first ones; absent: all
  /// The float model's own file, whose accuracy is told and whose outputs are held against those
  /// of the reference: for a reference that was made of it (edited, in newer operators, with
  /// constants folded). Null: the reference.
  const Model* original = nullptr;
  /// Nothing is judged, and no second pass is made: that is left to who puts parts together.
  bool only_gather = false;
  /// What runs over all parts of the samples gathered, in place of a pass over all of them: the
  /// first ones alone are run, for what is asked of these. Null: there are none.
  const Parts* gathered = nullptr;
};

struct Measured {
  std::optional<Diagnosis> diagnosis;
  std::optional<AccuracyRecord> accuracy;
};

/// Whether a metric can be measured at all, before anything is run; nothing of one that needs no
/// data. Throws Errc::bad_input where the samples have no labels, Errc::usage where the model has
/// no output of the name that it asks for.
void check_metric(const MetricSpec& metric, const Model& model, const FittedData& data);

/// Notes that a model which hardly ever answers right is likely to count its classes from
/// elsewhere.
void warn_of_classes(const Accuracy& accuracy, const MetricSpec& metric, Progress& progress);

/// A model's accuracy, and what it was made of, of which a program knows nothing.
struct ScoredAlone {
  Accuracy accuracy;
  std::optional<AccuracyState> state;
};

/// Runs one model over all of `data`, or the program that the metric is. REQUIRES: there are data
/// but for a program.
ScoredAlone score_alone(const Model& model, const FittedData* data, const MetricSpec& metric,
                        const Session& session);
Accuracy accuracy_alone(const Model& model, const FittedData* data, const MetricSpec& metric,
                        const Session& session);

/// Runs both files bare (the float model's own one, MeasureOptions::original), over all of `data`
/// for a metric, then in lockstep with all their values looked at, held against the bare outputs
/// (observe.h), and writes pairing.json, diagnosis.json, histograms.bin, the CSV tables and
/// accuracy.json with its state into the workload, each as soon as it is known. Local errors take a
/// second pass over few samples; where they cannot be had, a note says why. REQUIRES: there are
/// data, but where only a program is asked.
Measured measure(const ModelPair& models, const FittedData* data, const MeasureOptions& options,
                 const Session& session, WorkloadWriter& workload);

}  // namespace quantlens::flow
