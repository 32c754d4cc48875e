// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/diagnose.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "quantlens/diagnosis/error/sqnr_drop.h"
#include "quantlens/diagnosis/error/ties.h"
#include "quantlens/diagnosis/view/gathered.h"
#include "quantlens/diagnosis/view/spread.h"
#include "quantlens/diagnosis/view/weights.h"
#include "quantlens/stats/pair_intervals.h"

namespace quantlens {
namespace {

std::vector<SampleShare> worst_samples(const PairStats& stats, const SampleNames& names) {
  std::vector<SampleShare> worst;
  const double total = stats.count() == 0 ? 0 : stats.mse() * static_cast<double>(stats.count());
  for (const WorstSamples::Entry& entry : stats.worst().entries()) {
    worst.push_back({.sample = entry.sample,
                     .name = names(entry.sample),
                     .share = total > 0 ? std::min(1.0, entry.score / total) : 0});
  }
  return worst;
}

// The code in the middle of all codes, as the value it stands for.
double median_of(const CodeHistogram& codes, const ValuePair& pair) {
  const std::uint64_t half = (codes.count() + 1) / 2;
  std::uint64_t seen = 0;
  std::size_t bin = 0;
  while (bin < codes.counts.size() && (seen += codes.counts[bin]) < half) ++bin;
  const bool is_signed = pair.scheme && pair.scheme->dtype == DType::int8;
  const auto code = static_cast<std::int32_t>(bin) - (is_signed ? 128 : 0);
  return dequantize(code, pair.params.value_or(QParams{}));
}

void add_medians(const ValuePair& pair, const PairedStats& gathered, ActivationRow& row) {
  if (!gathered.reference_histogram.empty()) {
    row.median = gathered.reference_histogram.quantile(0.5);
  }
  if (gathered.code_histogram.count() > 0) {
    row.quantized_median = median_of(gathered.code_histogram, pair);
  } else if (!gathered.quantized_histogram.empty()) {
    row.quantized_median = gathered.quantized_histogram.quantile(0.5);
  }
}

/// Of a channel with error: 10 log10(sum x^2 / sum (x-y)^2).
double channel_sqnr_db(const ChannelMoments::Channel& x, const ChannelMoments::Channel& error) {
  return 10 * std::log10(x.sum_sq.value() / error.sum_sq.value());
}

void add_channels(const PairedStats& gathered, ActivationRow& row) {
  const auto& x = gathered.reference_channels.channels();
  const auto& errors = gathered.error_channels.channels();
  row.channels = x.size();
  std::vector<double> reaches;
  double all = 0;
  double most = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    if (errors[c].finite == 0) continue;
    reaches.push_back(std::max(std::abs(x[c].min), std::abs(x[c].max)));
    const double error = errors[c].sum_sq.value();
    all += error;
    if (error <= most) continue;
    most = error;
    row.worst_channel = c;
  }
  if (row.worst_channel) {
    row.worst_channel_share = most / all;
    row.worst_channel_sqnr_db = channel_sqnr_db(x[*row.worst_channel], errors[*row.worst_channel]);
  }
  row.channel_spread = spread_of(std::move(reaches));
}

/// The histogram counts all finite values of the reference, the pairs those of both sides.
std::uint64_t became_nonfinite(const PairedStats& gathered) {
  const std::uint64_t finite = gathered.reference_histogram.count();
  return finite - std::min(finite, gathered.pairs.count());
}

Compared compared(const ValuePair& pair, const PairedStats& gathered, const SampleNames& names) {
  const PairStats& stats = gathered.pairs;
  const PairIntervals intervals(stats);
  const PairStats::Extremes& extremes = stats.extremes();
  const bool any = stats.count() > 0;
  ActivationRow row{.op = pair.op,
                    .type = pair.type,
                    .pattern = pair.pattern,
                    .value = pair.reference,
                    .quantized = pair.quantized,
                    .side = pair.side,
                    .mse = intervals.sums().mse(),
                    .mse_interval = intervals.mse_interval(),
                    .mse_normalized = stats.mse_normalized(),
                    .sqnr_db = intervals.sums().sqnr_db(),
                    .sqnr_db_interval = intervals.sqnr_db_interval(),
                    .cosine = intervals.sums().cosine(),
                    .cosine_interval = intervals.cosine_interval(),
                    .max_abs_error = extremes.max_abs_error,
                    .clip_rate = intervals.sums().clip_rate(),
                    .clip_rate_interval = intervals.clip_rate_interval()};
  if (any) {
    row.min = extremes.min_x;
    row.max = extremes.max_x;
    row.data_range = row.max - row.min;
    row.quantized_min = extremes.min_y;
    row.quantized_max = extremes.max_y;
  }
  row.mean = stats.mean_x();
  row.standard_deviation = std::sqrt(stats.variance_x());
  row.quantized_mean = stats.mean_y();
  row.quantized_standard_deviation = std::sqrt(stats.variance_y());
  if (pair.params) {
    row.scale = pair.params->scale;
    row.zero_point = pair.params->zero_point;
  }
  add_medians(pair, gathered, row);
  row.elements = stats.count();
  row.nonfinite = stats.nonfinite();
  row.became_nonfinite = became_nonfinite(gathered);
  row.worst_samples = worst_samples(stats, names);
  return {.row = std::move(row), .sqnr_db = intervals.sqnr_db()};
}

/// Float outputs of the reference without a row.
std::vector<std::string> outputs_not_compared(const Graph& reference, const Diagnosis& diagnosis) {
  std::set<std::string> compared;
  for (const ActivationRow& row : diagnosis.activations) compared.insert(row.value);
  std::vector<std::string> names;
  for (const ValueInfo& output : reference.outputs) {
    if (!output.dtype || !is_float(*output.dtype) || compared.contains(output.name)) continue;
    names.push_back(output.name);
  }
  return names;
}

}  // namespace

Diagnosis diagnose(const PairedModels& models, const TapState& state, const SampleNames& names) {
  const Pairing& pairing = models.pairing;
  const Graph& reference = models.reference.model.graph;
  Diagnosis diagnosis;
  diagnosis.samples = state.samples.size();
  std::set<std::pair<std::string, std::string>> suspects;
  std::vector<Compared> rows;
  for (const SuspectPair& suspect : pairing.suspects)
    suspects.emplace(suspect.value, suspect.quantized);
  for (const ValuePair& pair : pairing.pairs) {
    if (suspects.contains({pair.reference, pair.quantized})) continue;
    const ValuePair& source = pair.same_as ? pairing.pairs.at(*pair.same_as) : pair;
    const PairedStats* stats = gathered_of(state, source.reference, source.quantized);
    if (stats == nullptr) continue;
    rows.push_back(compared(pair, *stats, names));
    if (!pair.same_as) add_channels(*stats, rows.back().row);
  }
  std::ranges::stable_sort(
      rows, [](const Compared& a, const Compared& b) { return a.row.sqnr_db < b.row.sqnr_db; });
  add_ranks(rows);
  for (Compared& one : rows) diagnosis.activations.push_back(std::move(one.row));
  add_sqnr_drops(reference, diagnosis.activations);
  diagnosis.paired = diagnosis.activations.size();
  diagnosis.weights = weight_rows(models);
  diagnosis.only_reference = pairing.only_reference;
  diagnosis.only_quantized = pairing.only_quantized;
  diagnosis.not_compared = pairing.not_compared;
  diagnosis.suspects = pairing.suspects;
  diagnosis.outputs_not_compared = outputs_not_compared(reference, diagnosis);
  return diagnosis;
}

}  // namespace quantlens
