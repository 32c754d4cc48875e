// accuracy: how good a model's answers are, with the interval that a number of samples allows.
// Start here, then evaluate.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/dataset/reader.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// A `--metric` text taken apart: "top1:output=probabilities,label_offset=1".
/// Metrics: top1, top5, accuracy (as top1), which are rates; spearman_cosine, a correlation over
/// pairs of samples. Options: `output`, the graph output that is scored (default: the only one, or
/// the only one of floats); of rates `label_offset` K: the label k is the output's class k + K.
struct MetricSpec {
  std::string name;
  std::map<std::string, std::string> options;
};

/// Throws Errc::usage, naming the nearest, for unknown names and options, and for bad values.
MetricSpec parse_metric(const std::string& text);

/// The answer of a sample whose scores are not numbers.
inline constexpr std::int64_t kNoAnswer = -1;

/// What one sample scored.
struct SampleScore {
  double score = 0;  ///< 1 or 0 for rates
  std::int64_t label = 0;
  std::int64_t answer = 0;  ///< the model's first answer, in the label's numbering; or kNoAnswer
};

/// Whether the metric is the share of samples that are right.
bool is_rate(const MetricSpec& spec);

/// The output that the spec names; empty where it names none.
std::string wanted_output(const MetricSpec& spec);

/// A rate: scores samples one by one; holds no sample.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Sample `i` of the batch. A NaN among its scores scores 0; of equal scores the lowest class
  /// comes first. Throws Errc::bad_input where the output or the label does not fit, Errc::usage
  /// where the output must be named or is not there.
  /// REQUIRES: i < batch.samples.size().
  virtual SampleScore score(const Batch& batch, std::size_t i, const TensorMap& outputs) const = 0;
};

/// Throws Errc::usage where the spec names an output that is none of these.
void check_output(const MetricSpec& spec, const std::vector<std::string>& outputs);

/// Throws as parse_metric does. REQUIRES: a rate.
std::unique_ptr<Metric> make_metric(const MetricSpec& spec);

}  // namespace quantlens
