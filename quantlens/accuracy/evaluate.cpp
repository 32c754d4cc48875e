// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/evaluate.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/accuracy/interval.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

/// The quantized model's outputs under the reference's names, where there is no doubt.
TensorMap under_names_of(const TensorMap& reference, const TensorMap& quantized) {
  if (reference.size() != 1 || quantized.size() != 1) return quantized;
  return {{reference.begin()->first, quantized.begin()->second}};
}

}  // namespace

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
  std::vector<double> without;
  for (std::size_t i = 0; i < reference.without.size(); ++i) {
    without.push_back(quantized.without[i] - reference.without[i]);
  }
  const auto [low, high] = reference.bounds;
  return jackknife_interval(difference, without, {low - high, high - low});
}

AccuracySink::AccuracySink(const MetricSpec& spec) : spec_(spec), metric_(make_metric(spec)) {}

void AccuracySink::add(const Batch& batch, const Outputs& outputs) {
  metric_->add(batch, outputs.reference);
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
  flip.direction = lost ? "lost" : "gained";
  flip.label = reference.label;
  flip.reference = reference.answer;
  flip.other = quantized.answer;
  so_far_.flips.push_back(std::move(flip));
}

AccuracyPair AccuracyPairSink::result() const {
  const MetricFigure reference = reference_->figure();
  const MetricFigure quantized = quantized_->figure();
  AccuracyPair pair = paired(accuracy_of(spec_, reference), accuracy_of(spec_, quantized));
  pair.lost = so_far_.lost;
  pair.gained = so_far_.gained;
  pair.flips = so_far_.flips;
  pair.difference_interval =
      reference.right ? paired_rate_interval(both_right_, pair.gained, pair.lost, both_wrong_)
                      : difference_interval(reference, quantized);
  return pair;
}

AccuracyPair paired(Accuracy reference, Accuracy quantized) {
  AccuracyPair pair;
  pair.difference = quantized.value - reference.value;
  if (reference.value > 0) pair.ratio = pair.difference / reference.value;
  pair.reference = std::move(reference);
  pair.quantized = std::move(quantized);
  return pair;
}

}  // namespace quantlens
