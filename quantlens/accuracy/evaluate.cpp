// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/stats/jackknife.h"
#include "quantlens/stats/rate_interval.h"

namespace quantlens {
namespace {

/// The quantized model's outputs under the reference's names, where there is no doubt.
TensorMap under_names_of(const TensorMap& reference, const TensorMap& quantized) {
  if (reference.size() != 1 || quantized.size() != 1) return quantized;
  return {{reference.begin()->first, quantized.begin()->second}};
}

void insert(const Batch& batch, SampleSet& samples) {
  for (const std::uint64_t sample : batch.samples) samples.insert(sample);
}

[[noreturn]] void refuse_merge(const std::string& what) {
  throw Error(Errc::bad_input, fmt::format("accuracies cannot be merged: {}", what));
}

/// What a sink of this metric has not taken, and can take.
void check_mergeable(const MetricSpec& spec, bool is_pair, const SampleSet& samples,
                     const AccuracyState& other) {
  if (const std::string metric = metric_text(spec); other.metric != metric) {
    refuse_merge(
        fmt::format("one is {}, the other {}", printable(metric), printable(other.metric)));
  }
  if (other.reference.has_value() != is_pair) {
    refuse_merge("one is of two models, the other of one alone");
  }
  if (const auto common = samples.first_common(other.samples)) {
    refuse_merge(
        fmt::format("they cover some of the same samples, the first of them is {}", *common));
  }
}

}  // namespace

MetricSpec metric_of(const AccuracyState& state) {
  try {
    MetricSpec spec = parse_metric(state.metric);
    if (needs_data(spec)) return spec;
  } catch (const Error&) {
    // of a newer version, or damaged
  }
  throw Error(Errc::bad_input,
              fmt::format("there is no metric '{}' that scores samples", printable(state.metric)));
}

Accuracy accuracy_of(const MetricSpec& spec, const MetricFigure& figure) {
  Accuracy accuracy{.metric = spec.name,
                    .value = figure.value,
                    .interval = {},
                    .samples = figure.samples,
                    .is_rate = figure.right.has_value(),
                    .higher_is_better = is_higher_better(spec)};
  if (figure.right) {
    accuracy.interval = rate_interval(*figure.right, figure.samples);
  } else if (std::isfinite(figure.value)) {
    accuracy.interval = jackknife_interval(figure.value, figure.without, figure.bounds);
  }
  return accuracy;
}

std::optional<std::array<double, 2>> difference_interval(const MetricFigure& reference,
                                                         const MetricFigure& quantized) {
  const double difference = quantized.value - reference.value;
  if (!std::isfinite(difference)) return std::nullopt;
  if (reference.without.size() != quantized.without.size()) return std::nullopt;
  std::vector<double> without;
  for (std::size_t i = 0; i < reference.without.size(); ++i) {
    without.push_back(quantized.without[i] - reference.without[i]);
  }
  const auto [low, high] = reference.bounds;
  const double most = high - low;
  std::array<double, 2> interval = jackknife_interval(difference, without, {-most, most});
  if (std::isfinite(most) && interval[0] == interval[1]) {
    const double reach = rule_of_three(most, reference.samples);
    interval = {std::max(difference - reach, -most), std::min(difference + reach, most)};
  }
  return interval;
}

AccuracySink::AccuracySink(const MetricSpec& spec) : spec_(spec), metric_(make_metric(spec)) {}

void AccuracySink::add(const Batch& batch, const Outputs& outputs) {
  metric_->add(batch, outputs.reference);
  insert(batch, samples_);
}

AccuracyState AccuracySink::state() const {
  AccuracyState state;
  state.metric = metric_text(spec_);
  state.samples = samples_;
  state.quantized = metric_->state();
  return state;
}

void AccuracySink::merge(const AccuracyState& other) {
  check_mergeable(spec_, false, samples_, other);
  metric_->merge(other.quantized, other.samples);
  samples_.merge(other.samples);
}

Accuracy AccuracySink::result() const {
  return accuracy_of(spec_, metric_->figure());
}

AccuracyPairSink::AccuracyPairSink(const MetricSpec& spec,
                                   std::function<std::string(std::uint64_t)> names)
    : spec_(spec),
      reference_(make_metric(spec)),
      quantized_(make_metric(spec)),
      names_(std::move(names)) {}

void AccuracyPairSink::add(const Batch& batch, const Outputs& outputs) {
  reference_->add(batch, outputs.reference);
  quantized_->add(batch, under_names_of(outputs.reference, outputs.quantized));
  for (std::size_t i = 0; i < reference_->last().size(); ++i) {
    count(batch.samples[i], reference_->last()[i], quantized_->last()[i]);
  }
  insert(batch, samples_);
}

AccuracyState AccuracyPairSink::state() const {
  return {.metric = metric_text(spec_),
          .samples = samples_,
          .reference = reference_->state(),
          .quantized = quantized_->state(),
          .both_right = both_right_,
          .both_wrong = both_wrong_,
          .lost = so_far_.lost,
          .gained = so_far_.gained,
          .flips = so_far_.flips};
}

void AccuracyPairSink::merge(const AccuracyState& other) {
  check_mergeable(spec_, true, samples_, other);
  reference_->merge(*other.reference, other.samples);
  quantized_->merge(other.quantized, other.samples);
  samples_.merge(other.samples);
  both_right_ += other.both_right;
  both_wrong_ += other.both_wrong;
  so_far_.lost += other.lost;
  so_far_.gained += other.gained;
  std::vector<Flip>& flips = so_far_.flips;
  flips.insert(flips.end(), other.flips.begin(), other.flips.end());
  std::ranges::sort(flips, {}, &Flip::sample);
  flips.resize(std::min(flips.size(), kFlipsKept));
}

void AccuracyPairSink::count(std::uint64_t sample, const SampleScore& reference,
                             const SampleScore& quantized) {
  if (reference.right == quantized.right) {
    ++(reference.right ? both_right_ : both_wrong_);
    return;
  }
  const bool lost = reference.right;
  ++(lost ? so_far_.lost : so_far_.gained);
  if (so_far_.flips.size() >= kFlipsKept) return;
  Flip flip;
  flip.sample = sample;
  flip.name = names_ ? names_(sample) : fmt::format("sample {}", sample);
  flip.direction = lost ? FlipDirection::lost : FlipDirection::gained;
  flip.label = reference.label;
  flip.reference = reference.answer;
  flip.other = quantized.answer;
  so_far_.flips.push_back(std::move(flip));
}

AccuracyRecord AccuracyPairSink::result() const {
  const MetricFigure reference = reference_->figure();
  const MetricFigure quantized = quantized_->figure();
  AccuracyRecord pair = paired(accuracy_of(spec_, reference), accuracy_of(spec_, quantized));
  pair.lost = so_far_.lost;
  pair.gained = so_far_.gained;
  pair.flips = so_far_.flips;
  pair.difference_interval =
      reference.right ? paired_rate_interval(both_right_, pair.gained, pair.lost, both_wrong_)
                      : difference_interval(reference, quantized);
  return pair;
}

AccuracyRecord paired(Accuracy reference, Accuracy quantized) {
  AccuracyRecord pair;
  pair.difference = quantized.value - reference.value;
  if (reference.value > 0) pair.ratio = *pair.difference / reference.value;
  pair.reference = std::move(reference);
  pair.quantized = std::move(quantized);
  return pair;
}

}  // namespace quantlens
