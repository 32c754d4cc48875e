// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/evaluate.h"

#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/interval.h"

namespace quantlens {
namespace {

Accuracy rate(const std::string& metric, std::uint64_t right, std::uint64_t samples) {
  Accuracy accuracy;
  accuracy.metric = metric;
  accuracy.value = samples == 0 ? 0 : static_cast<double>(right) / static_cast<double>(samples);
  accuracy.interval = rate_interval(right, samples);
  accuracy.samples = samples;
  return accuracy;
}

bool is_right(const SampleScore& score) {
  return score.score == 1;
}

/// The quantized model's outputs under the reference's names, where there is no doubt.
TensorMap under_names_of(const TensorMap& reference, const TensorMap& quantized) {
  if (reference.size() != 1 || quantized.size() != 1) return quantized;
  return {{reference.begin()->first, quantized.begin()->second}};
}

/// Null where it is no rate.
std::unique_ptr<Metric> rate_metric(const MetricSpec& spec) {
  return is_rate(spec) ? make_metric(spec) : nullptr;
}

}  // namespace

AccuracySink::AccuracySink(const MetricSpec& spec)
    : spec_(spec), metric_(rate_metric(spec)), pairs_(spec) {}

void AccuracySink::add(const Batch& batch, const Outputs& outputs) {
  if (!metric_) return pairs_.add(batch, outputs.reference);
  for (std::size_t i = 0; i < batch.samples.size(); ++i) {
    const SampleScore score = metric_->score(batch, i, outputs.reference);
    ++samples_;
    if (is_right(score)) ++right_;
  }
}

Accuracy AccuracySink::result() const {
  if (!metric_) return correlation_of(pairs_.pairs(), spec_.name);
  return rate(spec_.name, right_, samples_);
}

AccuracyPairSink::AccuracyPairSink(const MetricSpec& spec,
                                   std::function<std::string(std::uint64_t)> names)
    : spec_(spec),
      metric_(rate_metric(spec)),
      reference_pairs_(spec),
      quantized_pairs_(spec),
      names_(std::move(names)) {}

void AccuracyPairSink::add(const Batch& batch, const Outputs& outputs) {
  const TensorMap quantized = under_names_of(outputs.reference, outputs.quantized);
  if (!metric_) {
    reference_pairs_.add(batch, outputs.reference);
    quantized_pairs_.add(batch, quantized);
    return;
  }
  for (std::size_t i = 0; i < batch.samples.size(); ++i) {
    count(batch.samples[i], metric_->score(batch, i, outputs.reference),
          metric_->score(batch, i, quantized));
  }
}

void AccuracyPairSink::count(std::uint64_t sample, const SampleScore& reference,
                             const SampleScore& quantized) {
  if (is_right(reference) == is_right(quantized)) {
    ++(is_right(reference) ? both_right_ : both_wrong_);
    return;
  }
  const bool lost = is_right(reference);
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
  AccuracyPair pair = metric_ ? rates() : correlations();
  if (pair.reference.value > 0) pair.ratio = pair.difference / pair.reference.value;
  return pair;
}

AccuracyPair AccuracyPairSink::correlations() const {
  AccuracyPair pair;
  pair.reference = correlation_of(reference_pairs_.pairs(), spec_.name);
  pair.quantized = correlation_of(quantized_pairs_.pairs(), spec_.name);
  pair.difference = pair.quantized.value - pair.reference.value;
  pair.difference_interval =
      paired_correlation_interval(reference_pairs_.pairs(), quantized_pairs_.pairs());
  return pair;
}

AccuracyPair AccuracyPairSink::rates() const {
  AccuracyPair pair = so_far_;
  const std::uint64_t samples = both_right_ + both_wrong_ + pair.lost + pair.gained;
  pair.reference = rate(spec_.name, both_right_ + pair.lost, samples);
  pair.quantized = rate(spec_.name, both_right_ + pair.gained, samples);
  if (samples > 0) {
    pair.difference = (static_cast<double>(pair.gained) - static_cast<double>(pair.lost)) /
                      static_cast<double>(samples);
  }
  pair.difference_interval = paired_rate_interval(both_right_, pair.gained, pair.lost, both_wrong_);
  return pair;
}

}  // namespace quantlens
