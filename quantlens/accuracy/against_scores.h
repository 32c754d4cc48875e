// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "quantlens/accuracy/metric.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/scores.h"
#include "quantlens/runtime/feed.h"

namespace quantlens {

/// When to look at a figure of part of the samples: an eighth, a quarter and a half of all, but not
/// before there are 32, and after the last one. Two models over the same samples are looked at
/// after the same ones.
class LookingPoints {
 public:
  explicit LookingPoints(std::uint64_t samples) : samples_(samples) {}
  /// Whether one is passed as the number of samples seen grows to `seen`.
  bool pass(std::uint64_t seen);

 private:
  std::uint64_t samples_;
  std::uint64_t seen_ = 0;
};

/// Gathers what others are paired with: an OutputSink of one model, Outputs::reference.
class ScoresSink {
 public:
  ScoresSink(const MetricSpec& spec, std::uint64_t samples);
  void add(const Batch& batch, const Outputs& outputs);
  Scores result() const;

 private:
  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;
  LookingPoints points_;
  std::uint64_t seen_ = 0;
  Scores scores_;
};

/// Pairs a model with what was kept of another one, over the same samples in the same order.
class AgainstScoresSink {
 public:
  /// REQUIRES: `reference` outlives it.
  AgainstScoresSink(const MetricSpec& spec, const Scores& reference, std::uint64_t samples);
  /// Whether `result` has a figure to compare with now.
  bool add(const Batch& batch, const Outputs& outputs);
  /// Over the samples so far. Its flips are not listed. Throws Errc::failed where nothing was kept
  /// of the reference over just these.
  AccuracyRecord result() const;
  /// The 95 % interval of `result`'s difference, made safe to judge by: an interval is of no use
  /// where hardly any of the samples so far differ, since those to come may. So it reaches at least
  /// as far from the difference as what n equal samples leave open, 3/n of all that a figure can
  /// differ (the rule of three): of a rate always, of other figures where no or one group of
  /// samples differs. Nothing where that has no bound, or `result` has no interval.
  std::optional<std::array<double, 2>> cautious_interval() const;

 private:
  AccuracyRecord of_rates() const;
  const PartFigure& part() const;

  MetricSpec spec_;
  std::unique_ptr<Metric> metric_;
  const Scores& reference_;
  LookingPoints points_;
  std::uint64_t seen_ = 0;
  std::uint64_t both_ = 0, lost_ = 0, gained_ = 0, neither_ = 0;
};

}  // namespace quantlens
