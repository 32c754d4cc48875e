// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/weight_channels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/stats/channel.h"
#include "quantlens/stats/channel_walk.h"

namespace quantlens {
namespace {

/// The elements of one channel.
std::vector<float> elements_of(const Tensor& tensor, const AxisLayout& layout,
                               std::size_t channel) {
  const auto all = tensor.data<float>();
  std::vector<float> elements;
  elements.reserve(layout.outer * layout.inner);
  for (std::size_t o = 0; o < layout.outer; ++o) {
    const auto run = all.subspan((o * layout.channels + channel) * layout.inner, layout.inner);
    elements.insert(elements.end(), run.begin(), run.end());
  }
  return elements;
}

}  // namespace

double WeightChannel::sqnr_db() const {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

bool WeightChannel::is_misfit() const {
  constexpr double kAlike = 0.9;  // of the squared cosine
  constexpr double kFar = 1.2;
  if (product <= 0 || product * product < kAlike * signal * dequantized) return false;
  const double factor = product / dequantized;
  return factor > kFar || factor < 1 / kFar;
}

std::vector<WeightChannel> weight_channels(const Tensor& before, const Tensor& after, int axis) {
  const AxisLayout layout = axis_layout(before.shape(), axis);
  std::vector<WeightChannel> channels(layout.channels);
  const auto x = before.data<float>();
  const auto y = after.data<float>();
  ChannelWalk walk(layout);
  for (std::size_t i = 0; i < x.size(); ++i) {
    WeightChannel& channel = channels[walk.next()];
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    const double error = static_cast<double>(x[i]) - y[i];
    channel.signal += static_cast<double>(x[i]) * x[i];
    channel.noise += error * error;
    channel.product += static_cast<double>(x[i]) * y[i];
    channel.dequantized += static_cast<double>(y[i]) * y[i];
    channel.reach = std::max(channel.reach, std::abs(x[i]));
  }
  return channels;
}

std::optional<std::size_t> worst_channel(std::span<const WeightChannel> channels) {
  std::optional<std::size_t> worst;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].sqnr_db() >= lowest) continue;
    worst = c;
    lowest = channels[c].sqnr_db();
  }
  return worst;
}

MarkedWeightChannels::MarkedWeightChannels(std::size_t weights, const ChannelLimits& limits)
    : left_(limits.histograms) {
  constexpr std::size_t kLeast = 3;  // the worst, the widest, the narrowest
  const std::size_t share = limits.histograms / std::max<std::size_t>(1, weights);
  each_ = std::min(std::max(share, kLeast), limits.histograms_of_one);
}

std::vector<std::uint32_t> MarkedWeightChannels::next(std::span<const WeightChannel> channels) {
  const std::size_t most = std::min({each_, left_, channels.size()});
  std::vector<float> reaches(channels.size());
  std::ranges::transform(channels, reaches.begin(), &WeightChannel::reach);
  std::vector<std::uint32_t> marked = marking_order(reaches, most);
  if (const auto worst = worst_channel(channels); worst && !marked.empty()) {
    const auto channel = static_cast<std::uint32_t>(*worst);
    if (std::ranges::find(marked, channel) == marked.end()) marked.back() = channel;
  }
  left_ -= marked.size();
  std::ranges::sort(marked);
  return marked;
}

std::vector<PairedChannelHistogram> channel_histograms(std::span<const std::uint32_t> channels,
                                                       const Tensor& before, const Tensor& after,
                                                       int axis) {
  const AxisLayout layout = axis_layout(before.shape(), axis);
  std::vector<PairedChannelHistogram> histograms;
  for (const std::uint32_t channel : channels) {
    PairedChannelHistogram& one = histograms.emplace_back();
    one.channel = channel;
    one.reference.add(elements_of(before, layout, channel));
    one.quantized.add(elements_of(after, layout, channel));
  }
  return histograms;
}

}  // namespace quantlens
