// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/output_channels.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace quantlens {
namespace {

std::size_t product(std::span<const std::int64_t> extents) {
  std::size_t size = 1;
  for (const std::int64_t one : extents) size *= static_cast<std::size_t>(one);
  return size;
}

/// Of a MatMul: columns of its second operand, or rows of its first one.
OutputChannels of_matmul(const Node& node, const Shape& weight, const Extents& extents,
                         std::size_t input) {
  const std::size_t from_end = input == 1 ? 1 : 2;
  const std::size_t rank = extents_of(extents, op_id(node)).size();
  OutputChannels channels{
      {extent(weight, weight.size() - from_end), std::max(rank, from_end), from_end}};
  if (input == 0) channels.inner = extent(weight, weight.size() - 1);
  channels.weight = input;
  return channels;
}

/// Nothing where the op is no multiplication by a constant weight, input number `input`, that has
/// such channels.
std::optional<OutputChannels> layout_of(const Node& node, const Shape& weight,
                                        const Extents& extents, std::size_t input) {
  const std::span<const std::int64_t> shape(weight);
  if (node.kind == Kind::matmul) {
    return weight.size() < 2 ? std::nullopt
                             : std::optional(of_matmul(node, weight, extents, input));
  }
  if (input != 1) return std::nullopt;
  switch (node.kind) {
    case Kind::conv:
      if (weight.size() < 3) return std::nullopt;
      return OutputChannels{{extent(weight, 0), weight.size(), weight.size() - 1},
                            product(shape.subspan(1))};
    case Kind::conv_transpose: {
      const std::int64_t groups = attribute_int(node, "group", 1);
      if (weight.size() < 3 || groups < 1 || weight[0] % groups != 0) return std::nullopt;
      const auto count = static_cast<std::size_t>(groups);
      return OutputChannels{{extent(weight, 1) * count, weight.size(), weight.size() - 1},
                            product(shape.subspan(2)),
                            count};
    }
    case Kind::gemm: {
      if (weight.size() != 2) return std::nullopt;
      const bool by_rows = attribute_int(node, "transB", 0) != 0;
      return OutputChannels{{extent(weight, by_rows ? 0 : 1), 2, 1},
                            by_rows ? extent(weight, 1) : 1};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<OutputChannels> output_channels(const GraphIndex& index, const Extents& extents,
                                              const Node& node) {
  if (node.inputs.size() < 2) return std::nullopt;
  const bool is_second = node.kind != Kind::matmul || index.constant(node.inputs[1]) != nullptr;
  const std::size_t input = is_second ? 1 : 0;
  const Tensor* weight = index.constant(node.inputs[input]);
  if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0)
    return std::nullopt;
  return layout_of(node, weight->shape(), extents, input);
}

}  // namespace quantlens
