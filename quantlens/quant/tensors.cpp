// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/params.h"
#include "quantlens/quant/rounding.h"
#include "quantlens/stats/channel.h"

namespace quantlens {

namespace {

AxisLayout layout_of(const Tensor& tensor, std::optional<int> axis) {
  if (!axis) return {.outer = 1, .channels = 1, .inner = static_cast<std::size_t>(tensor.size())};
  const auto rank = static_cast<int>(tensor.shape().size());
  if (*axis < -rank || *axis >= rank) {
    throw Error(Errc::bad_input, fmt::format("axis {} of a tensor of shape {}: there is no such "
                                             "axis",
                                             *axis, to_string(tensor.shape())));
  }
  return axis_layout(tensor.shape(), *axis);
}

AxisLayout layout_for(const Tensor& tensor, std::optional<int> axis, std::size_t params) {
  const AxisLayout layout = layout_of(tensor, axis);
  if (params != layout.channels) {
    throw Error(
        Errc::bad_input,
        fmt::format("{} scales for a tensor of shape {} with {} channels: give one for each",
                    params, to_string(tensor.shape()), layout.channels));
  }
  return layout;
}

/// Calls `run(first, count, channel)` for each run of neighbours that belong to one channel.
template <class Run>
void for_each_run(AxisLayout layout, const Run& run) {
  if (layout.inner == 0) return;  // however many channels hold nothing
  std::size_t at = 0;
  for (std::size_t o = 0; o < layout.outer; ++o) {
    for (std::size_t c = 0; c < layout.channels; ++c, at += layout.inner) {
      run(at, layout.inner, c);
    }
  }
}

/// What `quantize` does to one value, for dtypes whose limits are exact in float.
struct Quantizer {
  float scale, zero_point, low, high;

  Quantizer(const QParams& params, CodeRange limits)
      : scale(params.scale),
        zero_point(static_cast<float>(params.zero_point)),
        low(static_cast<float>(limits.min - params.zero_point)),
        high(static_cast<float>(limits.max - params.zero_point)) {}

  float operator()(float value) const {
    const float steps = value == value ? value / scale : 0;
    return round_half_even(std::min(std::max(steps, low), high)) + zero_point;
  }
};

template <class Code>
Tensor codes_of(const Tensor& values, std::span<const QParams> params, const Scheme& scheme) {
  const AxisLayout layout = layout_for(values, scheme.axis, params.size());
  const CodeRange limits = code_limits(scheme.dtype);
  const std::span<const float> in = values.data<float>();
  const auto out = std::make_shared<std::vector<Code>>(in.size());
  if constexpr (sizeof(Code) <= 2) {
    std::vector<Quantizer> quantizers;
    for (const QParams& each : params) quantizers.emplace_back(each, limits);
    for_each_run(layout, [&](std::size_t first, std::size_t count, std::size_t channel) {
      const Quantizer quantizer = quantizers[channel];
      for (std::size_t i = first; i < first + count; ++i) {
        (*out)[i] = static_cast<Code>(quantizer(in[i]));
      }
    });
  } else {
    for_each_run(layout, [&](std::size_t first, std::size_t count, std::size_t channel) {
      for (std::size_t i = first; i < first + count; ++i) {
        (*out)[i] = static_cast<Code>(quantize(in[i], params[channel], scheme.dtype));
      }
    });
  }
  return Tensor(scheme.dtype, values.shape(), std::as_bytes(std::span(*out)), out);
}

template <class Code>
Tensor reals_of(const Tensor& codes, std::span<const QParams> params, std::optional<int> axis) {
  const AxisLayout layout = layout_for(codes, axis, params.size());
  const std::span<const Code> in = codes.data<Code>();
  std::vector<float> out(in.size());
  for_each_run(layout, [&](std::size_t first, std::size_t count, std::size_t channel) {
    for (std::size_t i = first; i < first + count; ++i) {
      out[i] = dequantize(std::int32_t{in[i]}, params[channel]);
    }
  });
  return Tensor::from<float>(codes.shape(), std::move(out));
}

}  // namespace

Tensor quantize(const Tensor& values, std::span<const QParams> params, const Scheme& scheme) {
  const Tensor floats = to_float32(values);
  switch (scheme.dtype) {
    case DType::int8:
    case DType::int4:
      return codes_of<std::int8_t>(floats, params, scheme);
    case DType::uint8:
    case DType::uint4:
      return codes_of<std::uint8_t>(floats, params, scheme);
    case DType::int16:
      return codes_of<std::int16_t>(floats, params, scheme);
    case DType::uint16:
      return codes_of<std::uint16_t>(floats, params, scheme);
    default:
      return codes_of<std::int32_t>(floats, params, scheme);
  }
}

Tensor dequantize(const Tensor& codes, std::span<const QParams> params, std::optional<int> axis) {
  const Tensor in = aligned(codes);
  switch (in.dtype()) {
    case DType::int8:
    case DType::int4:
      return reals_of<std::int8_t>(in, params, axis);
    case DType::uint8:
    case DType::uint4:
      return reals_of<std::uint8_t>(in, params, axis);
    case DType::int16:
      return reals_of<std::int16_t>(in, params, axis);
    case DType::uint16:
      return reals_of<std::uint16_t>(in, params, axis);
    case DType::int32:
      return reals_of<std::int32_t>(in, params, axis);
    default:
      throw Error(Errc::unsupported,
                  fmt::format("a {} tensor holds no codes to dequantize", name(in.dtype())));
  }
}

std::vector<Range> extremes(const Tensor& values, std::optional<int> axis) {
  constexpr std::size_t kMostEmpty = std::size_t{1} << 24;
  const Tensor floats = to_float32(values);
  const AxisLayout layout = layout_of(floats, axis);
  if (floats.size() == 0) {
    if (layout.channels > kMostEmpty) {
      throw Error(Errc::bad_input, fmt::format("a tensor of shape {} has channels but no elements",
                                               to_string(floats.shape())));
    }
    return std::vector<Range>(layout.channels);
  }
  ChannelMoments moments;
  moments.add(floats.data<float>(), layout);
  std::vector<Range> ranges;
  for (const ChannelMoments::Channel& channel : moments.channels()) {
    ranges.push_back(channel.finite == 0 ? Range() : Range{channel.min, channel.max});
  }
  return ranges;
}

}  // namespace quantlens
