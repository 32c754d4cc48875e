// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/output_channels.h"

#include <algorithm>

#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/constant_operand.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

/// Neighbouring elements of a weight that share an extent of this axis.
std::size_t inner_of(const Shape& weight, std::size_t axis) {
  return static_cast<std::size_t>(strides(weight)[axis]);
}

/// Of a MatMul: columns of its second operand, or rows of its first one.
OutputChannels of_matmul(const WeightAxes& axes, const Shape& weight, std::size_t rank,
                         bool is_left) {
  const std::size_t axis = is_left ? axes.input : axes.output;
  const std::size_t from_end = is_left ? 2 : 1;
  return {{extent(weight, axis), std::max(rank, from_end), from_end}, inner_of(weight, axis)};
}

/// Nothing where the weight has no such channels. `is_left`: it is a MatMul's first operand.
std::optional<OutputChannels> layout_of(const Node& node, const Shape& weight,
                                        const Extents& extents, bool is_left) {
  const auto axes = weight_axes(node, weight.size());
  if (!axes) return std::nullopt;
  if (node.kind == Kind::matmul)
    return of_matmul(*axes, weight, extents_of(extents, op_id(node)).size(), is_left);
  OutputChannels channels{{extent(weight, axes->output), 2, 1}, inner_of(weight, axes->output)};
  if (node.kind == Kind::gemm) return weight.size() == 2 ? std::optional(channels) : std::nullopt;
  channels.rank = weight.size();
  channels.from_end = weight.size() - role<roles::Convolution>(node)->channel_axis;
  if (node.kind == Kind::conv) return channels;
  const std::int64_t groups = groups_of(node);  // lie in a row along its first axis
  if (groups < 1 || weight[axes->input] % groups != 0 || (groups > 1 && axes->input != 0))
    return std::nullopt;
  channels.groups = static_cast<std::size_t>(groups);
  channels.count *= channels.groups;
  return channels;
}

}  // namespace

std::optional<OutputChannels> output_channels(const GraphIndex& index, const Extents& extents,
                                              const Node& node) {
  const auto operand = constant_operand(index, node);
  if (!operand) return std::nullopt;
  std::optional<OutputChannels> channels =
      layout_of(node, operand->weight->shape(), extents, operand->is_left);
  if (channels) channels->weight = operand->input;
  return channels;
}

}  // namespace quantlens
