// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/run_records.h"
#include "quantlens/record/study.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// How the rows of an activations table are ordered, worst first: the lowest SQNR or cosine, the
/// greatest of the others. Equal rows stay in the diagnosis's order. An op without one finite pair
/// is the worst by any measure of error; one without elements the last.
enum class ActivationOrder {
  sqnr,
  sqnr_drop,
  local,
  share,
  mse,
  range,
  cosine,
  max_abs_error,
  clip_rate
};

/// **Activations summary**: the predecessors' columns (OP name, MSE, Activation min, Activation
/// max), then ours. Ranks are of the SQNR, and shown where rows stand by it: with '=' where the row
/// shares its rank or the samples cannot tell it from the one above or below. Where an op has
/// several rows, their values are shown. CSV files use ActivationOrder::mse, as the predecessors
/// did.
Table activations_table(const Diagnosis& diagnosis, ActivationOrder order);

/// **Weights summary**; files carry the predecessors' twelve columns first, then ours.
Table weights_table(const Diagnosis& diagnosis);

/// **Mixed Precision Statistics**: Op Type, Total, and what ops are computed in, INT8 to FP32, as
/// far as there are any. Types with the most int8 ops come first, the links of the quantized model
/// last; constants are not counted.
Table precision_table(const Plan& plan, const LinkCounts& links = {});

/// Why ops stayed float: reason, count, examples; the most frequent first. Without constants.
Table float_reasons_table(const Plan& plan);

/// What accuracy algorithms did, one a line, ended by a newline: how many ops, and the median and
/// the greatest gain. Empty where there was none.
std::string effects_text(const Plan& plan);

/// "5 ops in int8, 1 in float with weights of 4 bits, 17 in float", and a newline.
std::string op_counts_text(const Plan& plan);

/// The verdict, and the first findings with their remedies, in lines of at most 100 columns where
/// words allow; each ended by a newline. Empty where there is no verdict.
std::string findings_text(const Diagnosis& diagnosis);

/// The finding, counted from 1, whose remedy is worth a try before the others of that text: of the
/// gravest with a remedy that one which surely takes error away, else the one that is thought to
/// take most, what was measured first. Nothing where no finding of the text has a remedy.
std::optional<std::size_t> remedy_to_try(const Diagnosis& diagnosis);

/// How far an edited float model is from the original, one output a line, and its accuracy; each
/// ended by a newline. `path`: of its file.
std::string float_edit_text(const FloatEdit& edit, const std::string& path);

/// What the models of a pair are called.
struct PairNames {
  std::string quantized = "int8";
  std::string reference = "fp32";
};

/// An accuracy as sentences with its interval, of two models with ratio and flips, one a line, each
/// ended by a newline. At most ten flipped samples are listed.
std::string accuracy_text(const AccuracyRecord& accuracy, const PairNames& names = {});
std::string accuracy_text(const Accuracy& accuracy);

/// **Accuracy**: a row a model with value, 95 % interval and samples; of two models a third row
/// with their difference, and answers lost and gained of a rate.
Table accuracy_table(const AccuracyRecord& accuracy, const PairNames& names);

/// The last trial of a search as the predecessors told it, and why it was made, each on a line.
/// Empty for one that measured outputs alone.
std::string trial_text(const Study& study, const StudyTimes& times);

/// **Tune Result Statistics**: the float model, the last trial over all samples, and the best one
/// once it is within the goal.
Table study_table(const Study& study, const StudyTimes& times);

/// What one run of the best model takes beside the float model, and what was predicted; ended by a
/// newline. Empty where they were not timed.
std::string latency_text(const Study& study, const StudyTimes& times);

/// Whether a search has reached its goal, how far it is from it, and what next, in lines of at most
/// 100 columns.
std::string goal_text(const Study& study);

/// Likewise of a search that has not ended: how far it is, and how it goes on.
std::string unfinished_text(const Study& study, const Workload& run);

}  // namespace quantlens
