// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/base/progress.h"
#include "quantlens/dataset/dataset.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/runtime/feed.h"

namespace quantlens {

/// Gathers scores of one model; an OutputSink that any feed can serve.
class AccuracySink {
 public:
  AccuracySink(const MetricSpec& spec);
  void add(const Batch& batch, const Outputs& outputs);
  Accuracy result() const;

 private:
  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;
  std::uint64_t samples_ = 0;
  double sum_ = 0, sum_sq_ = 0;
};

/// Gathers scores of two models over the same samples.
class AccuracyPairSink {
 public:
  AccuracyPairSink(const MetricSpec& spec, std::function<std::string(std::uint64_t)> names);
  void add(const Batch& batch, const Outputs& outputs);
  AccuracyPair result() const;

 private:
  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;
  std::function<std::string(std::uint64_t)> names_;
  AccuracyPair so_far_;
  std::uint64_t samples_ = 0, both_right_ = 0;
  double sum_reference_ = 0, sum_quantized_ = 0;
};

}  // namespace quantlens
