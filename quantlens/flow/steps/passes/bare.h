// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/runtime/run.h"

namespace quantlens::flow {

/// A diagnosis is held against the bare outputs of so many samples at least.
inline constexpr std::uint64_t kBareSamples = 8;
/// Shares are measured over so many, which are enough to tell what an op in float takes away; fewer
/// where these take more than kBareBytes to be kept.
inline constexpr std::uint64_t kShareSamples = 16;
inline constexpr std::uint64_t kBareBytes = std::uint64_t{32} << 20U;

/// What two files answer as a user's session runs them: each by itself, with nothing looked at.
struct BareAnswers {
  std::optional<AccuracyRecord> accuracy;       ///< where a metric was asked for
  std::optional<AccuracyState> accuracy_state;  ///< what that was made of
  std::vector<Batch> batches;                   ///< the first ones, of kBareSamples samples or more
  std::vector<Outputs> outputs;                 ///< of each of them
  std::uint64_t samples = 0;                    ///< that were run
  std::size_t digest = 0;                       ///< of all outputs of the quantized model, in order
};

/// Runs both files over all samples where a metric is asked for, else over the first few.
BareAnswers run_bare(const ModelPair& models, const FittedData& data, const MeasureOptions& options,
                     const Session& session);

/// Thrown as soon as outputs of a model that is looked at are not those of the bare one.
struct Departed {};

/// Holds the outputs of an observed run against the bare ones. What the quantized model answers has
/// to be equal bit for bit; the float model may round in another way.
class BareCheck {
 public:
  explicit BareCheck(const BareAnswers& bare) : bare_(bare) {}
  /// REQUIRES: batches in order, from the first one on. Throws Departed.
  void add(const Batch& batch, const Outputs& outputs);
  /// SQNR of the float model's observed outputs against its bare ones, over the samples that are
  /// kept: +inf where they are equal. Absent where it has no output of floats.
  std::optional<double> reference_sqnr_db() const;
  /// Elements of its outputs of other types, over these samples, that are not the bare ones.
  std::uint64_t reference_others() const { return others_; }

 private:
  const BareAnswers& bare_;
  std::size_t batches_ = 0;
  std::uint64_t samples_ = 0;
  std::size_t digest_ = 0;
  double signal_ = 0, error_ = 0;
  bool has_floats_ = false;
  std::uint64_t others_ = 0;
};

/// Whether two sets of outputs are equal bit for bit.
bool are_equal(const TensorMap& a, const TensorMap& b);

/// SQNR over all outputs of floats of the first model, which are found in the second by name, or
/// where both have only one; absent where there are none. -inf where something is finite, or of
/// that shape and type, on one side alone.
std::optional<double> outputs_sqnr_db(const TensorMap& reference, const TensorMap& other);

/// Elements of outputs of other types that differ between the two.
std::uint64_t outputs_others(const TensorMap& reference, const TensorMap& other);

}  // namespace quantlens::flow
