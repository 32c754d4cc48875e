// accuracy: how good a model's answers are, with the interval that a number of samples allows.
// Start here, then evaluate.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
struct MetricSpec {
  std::string name;
  std::map<std::string, std::string> options;
};

/// Throws Errc::usage, naming the nearest metric, for unknown names, options or values.
MetricSpec parse_metric(const std::string& text);

/// What one sample scored.
struct SampleScore {
  double score = 0;          ///< 1 or 0 for rates
  std::int64_t label = 0;
  std::int64_t answer = 0;   ///< the model's first answer, in the label's numbering
};

/// Scores samples one by one; holds no sample.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Sample `i` of the batch. Throws Errc::bad_input where the output or the label does not fit.
  virtual SampleScore score(const Batch& batch, std::size_t i, const TensorMap& outputs) const = 0;
};

std::unique_ptr<Metric> make_metric(const MetricSpec& spec);

}  // namespace quantlens
