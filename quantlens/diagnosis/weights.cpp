// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/capability.h"
#include "quantlens/quantizer/prepare.h"
#include "quantlens/stats/channel.h"
#include "quantlens/stats/pair_stats.h"

namespace quantlens {
namespace {

// One channel's error and reach.
struct Channel {
  double signal = 0, noise = 0;
  float reach = 0;  // max |w|
  double sqnr_db() const {
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(signal / noise);
  }
};

std::vector<Channel> channels_of(const Tensor& before, const Tensor& after, int axis) {
  const AxisLayout layout = axis_layout(before.shape(), axis);
  std::vector<Channel> channels(layout.channels);
  const auto x = before.data<float>();
  const auto y = after.data<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    Channel& channel = channels[i / layout.inner % layout.channels];
    const double error = static_cast<double>(x[i]) - y[i];
    channel.signal += static_cast<double>(x[i]) * x[i];
    channel.noise += error * error;
    channel.reach = std::max(channel.reach, std::abs(x[i]));
  }
  return channels;
}

// The widest channel's reach over the median one's, channels of zeros left out; 1 where there are
// none.
double spread_of(const std::vector<Channel>& channels) {
  std::vector<float> reaches;
  for (const Channel& channel : channels) {
    if (channel.reach > 0) reaches.push_back(channel.reach);
  }
  if (reaches.empty()) return 1;
  std::ranges::sort(reaches);
  return static_cast<double>(reaches.back()) / reaches[reaches.size() / 2];
}

void describe_channels(const Tensor& before, const Tensor& after, int axis, WeightRow& row) {
  const std::vector<Channel> channels = channels_of(before, after, axis);
  row.channels = channels.size();
  row.channel_spread = spread_of(channels);
  row.worst_channel_sqnr_db = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].sqnr_db() < row.worst_channel_sqnr_db) {
      row.worst_channel = c;
      row.worst_channel_sqnr_db = channels[c].sqnr_db();
    }
  }
}

TensorSummary summary(double min, double max, double mean, double variance) {
  return {.min = min,
          .max = max,
          .mean = mean,
          .standard_deviation = std::sqrt(variance),
          .variance = variance};
}

WeightRow row_of(const WeightPair& pair, const Tensor& before, const Tensor& after,
                 const Node& op) {
  PairStats stats;
  stats.add(0, before.data<float>(), after.data<float>());
  const PairStats::Extremes& extremes = stats.extremes();
  WeightRow row{
      .op = pair.op,
      .name = pair.op_name,
      .type = pair.type,
      .weight = pair.reference,
      .quantized = pair.quantized,
      .dtype = std::string(name(pair.scheme.dtype)),
      .granularity = pair.scheme.axis ? "per_channel" : "per_tensor",
      .mse = stats.mse(),
      .mse_normalized = stats.mse_normalized(),
      .sqnr_db = stats.sqnr_db(),
      .cosine = stats.cosine(),
      .max_abs_error = extremes.max_abs_error,
      .reference = summary(extremes.min_x, extremes.max_x, stats.mean_x(), stats.variance_x()),
      .dequantized = summary(extremes.min_y, extremes.max_y, stats.mean_y(), stats.variance_y())};
  const auto axis = pair.scheme.axis ? pair.scheme.axis : output_channel_axis(op, before.shape());
  if (axis) describe_channels(before, after, *axis, row);
  return row;
}

}  // namespace

std::vector<WeightRow> weight_rows(const Model& reference, const Model& quantized,
                                   const Pairing& pairing) {
  const GraphIndex index(reference.graph);
  const GraphIndex q_index(quantized.graph);
  const Prepared prepared = prepare(reference.graph);
  std::vector<WeightRow> rows;
  for (const WeightPair& pair : pairing.weights) {
    const auto producer = index.producer(pair.op);
    const Tensor* stored = q_index.constant(pair.quantized);
    if (!producer || !stored) continue;
    const Node& op = reference.graph.nodes[*producer];
    const auto input =
        static_cast<std::size_t>(std::ranges::find(op.inputs, pair.reference) - op.inputs.begin());
    const Tensor* weight =
        pair.folded ? constant_input(prepared, index, op, input) : index.constant(pair.reference);
    if (!weight || weight->shape() != stored->shape() || weight->size() == 0) continue;
    const Tensor before = to_float32(*weight);
    const Tensor after = dequantize(aligned(*stored), pair.params, pair.scheme.axis);
    rows.push_back(row_of(pair, before, after, op));
  }
  std::ranges::stable_sort(rows,
                           [](const WeightRow& a, const WeightRow& b) { return a.mse > b.mse; });
  return rows;
}

}  // namespace quantlens
