// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/runtime/feed.h"

namespace quantlens {

/// Gathers the figure of one model, Outputs::reference; its `add` is an OutputSink that any feed
/// can serve.
class AccuracySink {
 public:
  explicit AccuracySink(const MetricSpec& spec);
  /// Throws as Metric::add does.
  void add(const Batch& batch, const Outputs& outputs);
  Accuracy result() const;
  /// What was gathered; another sink of the same metric takes it.
  AccuracyState state() const;
  /// Adds what was gathered over other samples, consecutive ones but for those that could not be
  /// read: the result is then, to the last bit, that of one sink that was fed all, in whatever
  /// order parts are merged. Throws Errc::bad_input where the two share samples, are of different
  /// metrics or of another number of models, or are damaged; the sink is of no further use then.
  void merge(const AccuracyState& other);

 private:
  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;
  SampleSet samples_;
};

/// Gathers the figures of two models over the same samples. Of the samples that flip in a rate the
/// first kFlipsKept in order of index are kept.
class AccuracyPairSink {
 public:
  /// `names` tells what people call a sample (Dataset::name); empty: "sample 17".
  AccuracyPairSink(const MetricSpec& spec, std::function<std::string(std::uint64_t)> names);
  /// An output that has another name in the quantized model is found where both have only one.
  /// Throws as AccuracySink::add does.
  void add(const Batch& batch, const Outputs& outputs);
  AccuracyRecord result() const;
  AccuracyState state() const;
  /// As AccuracySink's.
  void merge(const AccuracyState& other);

 private:
  void count(std::uint64_t sample, const SampleScore& reference, const SampleScore& quantized);

  MetricSpec spec_;
  std::unique_ptr<Metric> reference_, quantized_;
  std::function<std::string(std::uint64_t)> names_;
  SampleSet samples_;
  AccuracyRecord so_far_;  ///< flips, lost and gained; the rest is made by `result`
  std::uint64_t both_right_ = 0, both_wrong_ = 0;
};

/// The metric that a state is of. Throws Errc::bad_input where it is none that scores samples.
MetricSpec metric_of(const AccuracyState& state);

/// A figure with its interval.
Accuracy accuracy_of(const MetricSpec& spec, const MetricFigure& figure);

/// 95 %, of two figures that are no rates, by leaving out the same samples of both. Where no group
/// makes a difference, it reaches 3/n of the width of the figure's bounds, if there are any, in
/// both directions (the rule of three, n samples). REQUIRES: the same samples.
std::optional<std::array<double, 2>> difference_interval(const MetricFigure& reference,
                                                         const MetricFigure& quantized);

/// Two accuracies with their difference and its ratio; no interval of it.
AccuracyRecord paired(Accuracy reference, Accuracy quantized);

}  // namespace quantlens
