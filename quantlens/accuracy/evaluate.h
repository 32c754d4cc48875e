// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "quantlens/accuracy/embedding_pairs.h"
#include "quantlens/accuracy/metric.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/runtime/feed.h"

namespace quantlens {

/// Gathers scores of one model, Outputs::reference; its `add` is an OutputSink that any feed can
/// serve. Memory does not grow with the samples but for 24 bytes a pair of embeddings.
class AccuracySink {
 public:
  explicit AccuracySink(const MetricSpec& spec);
  /// Throws as Metric::score or EmbeddingPairs::add does; what was added before stays.
  void add(const Batch& batch, const Outputs& outputs);
  Accuracy result() const;

 private:
  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;  // of a rate; else:
  EmbeddingPairs pairs_;
  std::uint64_t samples_ = 0, right_ = 0;
};

/// Gathers scores of two models over the same samples. Of the flipped samples the first kFlipsKept
/// in order of feeding are kept.
class AccuracyPairSink {
 public:
  /// `names` tells what people call a sample (Dataset::name); empty: "sample 17".
  AccuracyPairSink(const MetricSpec& spec, std::function<std::string(std::uint64_t)> names);
  /// An output that has another name in the quantized model is found where both have only one.
  /// Throws as AccuracySink::add does.
  void add(const Batch& batch, const Outputs& outputs);
  AccuracyPair result() const;

 private:
  AccuracyPair rates() const;
  AccuracyPair correlations() const;
  void count(std::uint64_t sample, const SampleScore& reference, const SampleScore& quantized);

  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;  // of a rate; else:
  EmbeddingPairs reference_pairs_, quantized_pairs_;
  std::function<std::string(std::uint64_t)> names_;
  AccuracyPair so_far_;  ///< flips, lost and gained; the rest is made by `result`
  std::uint64_t both_right_ = 0, both_wrong_ = 0;
};

}  // namespace quantlens
