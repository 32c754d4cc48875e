// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/channel_taps.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

/// The elements of one channel: where they lie if they lie together, else gathered in `buffer`.
template <class Element, class Buffer>
std::span<const Element> channel_of(const ChannelPart<Element>& part, std::size_t channel,
                                    std::vector<Buffer>& buffer) {
  static_assert(sizeof(Element) == sizeof(Buffer));
  const AxisLayout& layout = part.layout;
  const std::size_t block = layout.channels * layout.inner;
  const std::size_t first = channel * layout.inner;
  if (layout.outer == 1) return part.values.subspan(first, layout.inner);
  const std::size_t count = layout.outer * layout.inner;
  if (buffer.size() < count) buffer.resize(count);
  auto* to = reinterpret_cast<Element*>(buffer.data());
  for (std::size_t row = 0; row < layout.outer; ++row) {
    const Element* from = part.values.data() + row * block + first;
    if (layout.inner == 1) {
      to[row] = *from;
    } else {
      std::copy_n(from, layout.inner, to + row * layout.inner);
    }
  }
  return {to, count};
}

template <class Histogram>
void check_channels(const std::vector<Histogram>& histograms, const AxisLayout& layout) {
  if (histograms.empty() || histograms.back().channel < layout.channels) return;
  throw Error(Errc::bad_input,
              fmt::format("there is no channel {} in a tensor of {} channels",
                          histograms.back().channel, layout.channels));
}

void errors_of(std::span<const float> x, std::span<const float> y, Dequantize8,
               std::span<float> out) {
  pair_errors(x, y, out);
}

template <class Code>
void errors_of(std::span<const float> x, std::span<const Code> y, Dequantize8 how,
               std::span<float> out) {
  pair_errors(x, y, how, out);
}

template <class Y>
void add_both(PairedStats& stats, const ChannelPart<float>& x, std::span<const Y> y,
              Dequantize8 how, ChannelScratch& scratch) {
  const AxisLayout& layout = x.layout;
  if (y.empty()) return;
  check_channels(stats.channel_histograms, layout);
  if (scratch.errors.size() < y.size()) scratch.errors.resize(y.size());
  const std::span<float> errors(scratch.errors.data(), y.size());
  errors_of(x.values, y, how, errors);
  stats.reference_channels.add(x.values, layout);
  stats.error_channels.add(errors, layout);
  for (PairedChannelHistogram& one : stats.channel_histograms) {
    one.reference.add(channel_of(x, one.channel, scratch.floats));
    const ChannelPart<Y> other{y, layout};
    if constexpr (std::is_same_v<Y, float>) {
      one.quantized.add(channel_of(other, one.channel, scratch.floats));
    } else {
      one.codes.add(channel_of(other, one.channel, scratch.codes));
    }
  }
}

}  // namespace

void add_channels(ValueStats& stats, const ChannelPart<float>& x, ChannelScratch& scratch) {
  if (x.values.empty()) return;
  check_channels(stats.channel_histograms, x.layout);
  stats.channels.add(x.values, x.layout);
  for (ChannelHistogram& one : stats.channel_histograms) {
    one.histogram.add(channel_of(x, one.channel, scratch.floats));
  }
}

void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const float> y,
                  Dequantize8 how, ChannelScratch& scratch) {
  add_both(stats, x, y, how, scratch);
}

void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const std::uint8_t> y,
                  Dequantize8 how, ChannelScratch& scratch) {
  add_both(stats, x, y, how, scratch);
}

void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const std::int8_t> y,
                  Dequantize8 how, ChannelScratch& scratch) {
  add_both(stats, x, y, how, scratch);
}

}  // namespace quantlens
