// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "quantlens/diagnosis/match/input_factors.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/view/block_weight.h"
#include "quantlens/diagnosis/view/spread.h"
#include "quantlens/diagnosis/view/weight_channels.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/stats/channel.h"
#include "quantlens/stats/pair_stats.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

void describe_channels(const Tensor& before, const Tensor& after, int axis, WeightRow& row) {
  const std::vector<WeightChannel> channels = weight_channels(before, after, axis);
  row.channels = channels.size();
  std::vector<double> reaches(channels.size());
  std::ranges::transform(channels, reaches.begin(), &WeightChannel::reach);
  row.channel_spread = spread_of(std::move(reaches)).value_or(1);
  row.worst_channel_sqnr_db = std::numeric_limits<double>::infinity();
  if (const auto worst = worst_channel(channels)) {
    row.worst_channel = *worst;
    row.worst_channel_sqnr_db = channels[*worst].sqnr_db();
  }
  double noise = 0;
  double of_misfits = 0;
  for (const WeightChannel& channel : channels) {
    noise += channel.noise;
    if (!channel.is_misfit()) continue;
    ++row.misfit_channels;
    of_misfits += channel.noise;
  }
  row.misfit_share = noise > 0 ? of_misfits / noise : 0;
}

/// All 0 where nothing was compared.
TensorSummary summary(double min, double max, double mean, double variance) {
  if (min > max) return {};
  return {.min = min,
          .max = max,
          .mean = mean,
          .standard_deviation = std::sqrt(variance),
          .variance = variance};
}

/// The tensor of codes: stored, or what the model itself makes of a stored float tensor.
std::optional<Tensor> codes_of_pair(const GraphIndex& index, const WeightPair& pair) {
  if (const Tensor* stored = index.constant(pair.quantized)) return aligned(*stored);
  const std::optional<std::size_t> producer = index.producer(pair.quantized);
  if (!producer) return std::nullopt;
  const Node& node = index.graph().nodes[*producer];
  const Tensor* floats = node.kind == Kind::quantize ? index.constant(node.inputs[0]) : nullptr;
  if (floats == nullptr || !is_float(floats->dtype())) return std::nullopt;
  return quantize(to_float32(*floats), pair.params, pair.scheme);
}

/// What the weight of the quantized model means.
std::optional<Tensor> dequantized(const GraphIndex& index, const WeightPair& pair) {
  if (!pair.in_blocks) {
    const std::optional<Tensor> codes = codes_of_pair(index, pair);
    if (!codes) return std::nullopt;
    return dequantize(*codes, pair.params, pair.scheme.axis);
  }
  for (const Use& use : index.uses(pair.quantized)) {
    const auto blocks = block_weight(index, index.graph().nodes[use.node]);
    if (blocks) return dequantize_blocks(*blocks, Lines::columns);
  }
  return std::nullopt;
}

Granularity granularity_of(const WeightPair& pair) {
  if (pair.in_blocks) return Granularity::per_block;
  return pair.scheme.axis ? Granularity::per_channel : Granularity::per_tensor;
}

std::vector<float> difference(std::span<const float> before, std::span<const float> after) {
  std::vector<float> errors(before.size());
  std::ranges::transform(before, after, errors.begin(), std::minus<>());
  return errors;
}

Tensor swapped_axes(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  return rearranged(matrix, {columns, rows}, {1, columns});
}

/// The axis of the reference's weight along which the codes have scales of their own, or could.
std::optional<int> channel_axis(const WeightPair& pair, const Node& op, const Shape& shape) {
  if (!pair.scheme.axis) return output_channel_axis(op, shape);
  return pair.transposed ? 1 - *pair.scheme.axis : *pair.scheme.axis;
}

WeightRow row_of(const WeightPair& pair, const Tensor& before, const Tensor& after,
                 const Node& op) {
  PairStats stats;
  stats.add(0, before.data<float>(), after.data<float>());
  const PairStats::Extremes& extremes = stats.extremes();
  WeightRow row{
      .op = pair.op,
      .type = pair.type,
      .weight = pair.reference,
      .quantized = pair.quantized,
      .dtype = pair.scheme.dtype,
      .granularity = granularity_of(pair),
      .mse = stats.mse(),
      .mse_normalized = stats.mse_normalized(),
      .sqnr_db = stats.sqnr_db(),
      .cosine = stats.cosine(),
      .max_abs_error = extremes.max_abs_error,
      .reference = summary(extremes.min_x, extremes.max_x, stats.mean_x(), stats.variance_x()),
      .dequantized = summary(extremes.min_y, extremes.max_y, stats.mean_y(), stats.variance_y())};
  const auto axis = channel_axis(pair, op, before.shape());
  if (axis) describe_channels(before, after, *axis, row);
  return row;
}

}  // namespace

void for_each_weight(const PairedModels& models,
                     const std::function<void(const WeightSides&)>& tell) {
  const GraphIndex& index = models.reference.index;
  const GraphIndex& q_index = models.quantized.index;
  for (const WeightPair& pair : models.pairing.weights) {
    const auto producer = index.producer(pair.op.id);
    std::optional<Tensor> stored = dequantized(q_index, pair);
    if (!producer || !stored) continue;
    const Node& op = index.graph().nodes[*producer];
    const auto input =
        static_cast<std::size_t>(std::ranges::find(op.inputs, pair.reference) - op.inputs.begin());
    const Tensor* weight = pair.folded ? constant_input(models.prepared, index, op, input)
                                       : index.constant(pair.reference);
    if (!weight || weight->size() == 0) continue;
    if (!is_float(weight->dtype())) continue;  // codes already, which mean nothing without a scale
    const Tensor before = to_float32(*weight);
    Tensor after = std::move(*stored);
    if (pair.transposed && after.shape().size() == 2) after = swapped_axes(after);
    if (before.shape() != after.shape()) continue;
    if (const Tensor* factors = q_index.constant(pair.input_factors)) {
      const Tensor floats = to_float32(*factors);
      auto taken_back = with_input_factors(op, input, after, floats.data<float>(), false);
      if (taken_back) after = std::move(*taken_back);
    }
    tell({.pair = pair,
          .node = *producer,
          .input = input,
          .stored = weight->dtype(),
          .before = before,
          .after = after});
  }
}

void for_each_weight_stats(const PairedModels& models,
                           const std::function<void(const PairedStats&)>& tell,
                           const ChannelLimits& limits) {
  MarkedWeightChannels marked(models.pairing.weights.size(), limits);
  for_each_weight(models, [&](const WeightSides& weight) {
    const auto before = weight.before.data<float>();
    const auto after = weight.after.data<float>();
    PairedStats stats;
    stats.reference = weight.pair.reference;
    stats.quantized = weight.pair.quantized;
    stats.pairs.add(0, before, after);
    stats.reference_histogram.add(before);
    stats.quantized_histogram.add(after);
    const Node& op = models.reference.model.graph.nodes[weight.node];
    if (const auto axis = channel_axis(weight.pair, op, weight.before.shape())) {
      const AxisLayout layout = axis_layout(weight.before.shape(), *axis);
      stats.channel_axis = *axis;
      stats.reference_channels.add(before, layout);
      stats.error_channels.add(difference(before, after), layout);
      const auto channels = marked.next(weight_channels(weight.before, weight.after, *axis));
      stats.channel_histograms = channel_histograms(channels, weight.before, weight.after, *axis);
    }
    tell(stats);
  });
}

std::vector<WeightRow> weight_rows(const PairedModels& models) {
  std::vector<WeightRow> rows;
  for_each_weight(models, [&](const WeightSides& weight) {
    const Node& op = models.reference.model.graph.nodes[weight.node];
    rows.push_back(row_of(weight.pair, weight.before, weight.after, op));
  });
  std::ranges::stable_sort(rows,
                           [](const WeightRow& a, const WeightRow& b) { return a.mse > b.mse; });
  return rows;
}

}  // namespace quantlens
