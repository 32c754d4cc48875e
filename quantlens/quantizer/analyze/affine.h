// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/graph/extents.h"
#include "quantlens/graph/order.h"

namespace quantlens {

/// Which axis of a value its channels are.
struct ChannelAxis {
  std::size_t count = 0;
  std::size_t rank = 0;      ///< of the value; the least that is certain
  std::size_t from_end = 1;  ///< counted from its last axis, which is 1; 0: they are no axis

  bool has_axis() const { return from_end > 0; }
};

/// y = factor * x + shift for each channel.
struct Affine {
  std::vector<double> factor, shift;

  bool only_scales() const {
    return std::ranges::all_of(shift, [](double one) { return one == 0; });
  }
  bool only_shifts() const {
    return std::ranges::all_of(factor, [](double one) { return one == 1; });
  }
};

Affine identity(std::size_t count);

/// First `before`, then `after`.
void append(const Affine& after, Affine& before);

/// Extents of a value; empty where not even their number is known.
std::vector<Extent> extents_of(const Extents& extents, const std::string& value);

/// A constant's number for each channel of a value; nothing where it has others within a channel,
/// or would widen the value, whose extents are `data`, as far as they are known. Where the channels
/// are no axis, it has to be one number.
std::optional<std::vector<double>> numbers_of(const Tensor* constant, const ChannelAxis& channels,
                                              const std::vector<Extent>& data = {});

/// What `node` makes of each channel of its input number `input`, whose extents are `data`: Neg;
/// Mul, Div, Add and Sub with a constant; BatchNormalization. Nothing where it does more.
std::optional<Affine> affine_of(const GraphIndex& index, const Node& node, std::size_t input,
                                const ChannelAxis& channels, const std::vector<Extent>& data = {});

/// Nothing where an element is not finite.
std::optional<Tensor> finite_tensor(const Shape& shape, std::vector<float> values);

/// A weight of floats times a factor for each channel. Nothing where an element would not be
/// finite, and where a channel would become so small that its largest element has less than a
/// float's precision, but for a factor of zero. `channel_of`: that of an element.
std::optional<Tensor> scaled(const Tensor& weight, const std::vector<double>& factor,
                             const std::function<std::size_t(std::size_t)>& channel_of);

/// Whether a Conv, ConvTranspose or Gemm without a bias can be given one: an integer Gemm has none
/// beside an alpha or beta.
bool can_get_bias(const Node& node);

std::size_t extent(const Shape& shape, std::size_t axis);

}  // namespace quantlens
