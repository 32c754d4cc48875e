// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/accuracy.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// What counts of models within the goal: most of it in int8, the time of a run, the file's size,
/// the accuracy.
BOOST_DEFINE_ENUM_CLASS(Objective, int8, speed, size, accuracy)

/// What a search is for.
struct Goal {
  double max_loss = 0.01;  ///< of the float model's accuracy that may be lost
  bool absolute = false;  ///< in the metric's own unit; else as a share of the float model's figure
  Objective objective = Objective::int8;
  bool operator==(const Goal&) const = default;
};
BOOST_DESCRIBE_STRUCT(Goal, (), (max_loss, absolute, objective))

/// How a trial was judged. whole: over all samples. met, missed: over the first ones, the paired
/// interval left no doubt. output_error: by its outputs alone, without labels. failed: it could not
/// be built or run.
BOOST_DEFINE_ENUM_CLASS(Judged, whole, met, missed, output_error, failed)

/// One recipe that was tried.
struct Trial {
  std::uint64_t number = 0;  ///< from 1
  std::string why;           ///< what the strategy wanted to know
  Recipe recipe;
  Judged judged = Judged::whole;
  std::optional<std::uint64_t> same_as;  ///< an earlier trial with the same model: nothing was run
  std::string failure;                   ///< why there is no figure
  std::optional<Accuracy> accuracy;      ///< over the samples that it saw
  double difference = 0;                 ///< from the float model, over the same samples
  std::optional<std::array<double, 2>> difference_interval;  ///< 95 %, paired
  double loss = 0;  ///< in the goal's unit: above Goal::max_loss it is missed
  bool reached = false;
  std::optional<double> output_error;  ///< noise over signal of the outputs, the worst of them
  /// Of the study's multiply_adds, those that are computed on int8 codes.
  std::uint64_t multiply_adds_quantized = 0;
  std::uint64_t compute_quantized = 0;  ///< Conv, MatMul, Gemm and the like in int8
  std::uint64_t ops_quantized = 0, ops_float = 0;
  std::uint64_t bytes = 0;             ///< of the model's file and that of its external data
  std::string sha256;                  ///< of the file; with external data, of both files' hashes
  std::string fingerprint;             ///< of the plan: equal where only the recipes differ
  std::optional<double> predicted_us;  ///< of one run, by the prices of this machine; if known
  bool closing = false;  ///< after a search that missed: one that ended early, to its end
};
BOOST_DESCRIBE_STRUCT(Trial, (),
                      (number, why, recipe, judged, same_as, failure, accuracy, difference,
                       difference_interval, loss, reached, output_error, multiply_adds_quantized,
                       compute_quantized, ops_quantized, ops_float, bytes, sha256, fingerprint,
                       predicted_us, closing))

/// Everything a search was asked and has found so far.
struct Study {
  std::string model;  ///< SHA-256 of the float model's file
  std::string data;   ///< as `--data` had it
  std::string calibration_data;
  std::string data_fingerprint;  ///< of the files that were read
  std::string calibration_fingerprint;
  std::uint64_t samples = 0;
  std::uint64_t batch_size = 1;
  std::string metric;  ///< as `--metric` had it
  Goal goal;
  std::string strategy = "auto";
  std::uint64_t seed = 0;
  Recipe start;
  Accuracy reference;
  std::uint64_t reference_bytes = 0;
  /// Of one sample, of all ops whose multiplications can be counted; 0: of none.
  std::uint64_t multiply_adds = 0;
  std::vector<Trial> trials;
  std::optional<std::uint64_t> best;  ///< number of the trial whose model is kept
  bool reached = false;               ///< by the best one
  bool is_limited = false;            ///< a limit ended it: more might have been tried
};
BOOST_DESCRIBE_STRUCT(Study, (),
                      (model, data, calibration_data, data_fingerprint, calibration_fingerprint,
                       samples, batch_size, metric, goal, strategy, seed, start, reference,
                       reference_bytes, multiply_adds, trials, best, reached, is_limited))

/// The share of a model's multiplications that a trial has in int8, 0..1; nothing where none was
/// counted.
inline std::optional<double> int8_share(const Study& study, const Trial& trial) {
  if (study.multiply_adds == 0) return std::nullopt;
  return static_cast<double>(trial.multiply_adds_quantized) /
         static_cast<double>(study.multiply_adds);
}

/// The trials that a strategy asked for and that were judged; comparisons of outputs are none.
inline std::uint64_t evaluations(const Study& study) {
  return static_cast<std::uint64_t>(std::ranges::count_if(study.trials, [](const Trial& trial) {
    return trial.judged != Judged::output_error && !trial.closing;
  }));
}

/// Wall times of a search, which differ from run to run.
struct StudyTimes {
  double reference = 0;        ///< seconds of the float model over all samples
  std::vector<double> trials;  ///< in their order: of running the model alone
  /// Microseconds of one run of the float model and of the best one, timed in turn at the end.
  std::optional<double> float_us, best_us;
  /// Likewise of the best one before prices, and of the mix that they propose.
  std::optional<double> now_us, mix_us;
};
BOOST_DESCRIBE_STRUCT(StudyTimes, (), (reference, trials, float_us, best_us, now_us, mix_us))

}  // namespace quantlens
