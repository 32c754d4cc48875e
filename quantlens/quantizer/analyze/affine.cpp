// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/affine.h"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

std::optional<Affine> batch_norm_affine(const GraphIndex& index, const Node& node,
                                        const ChannelAxis& channels) {
  const auto* norm = role<roles::Normalization>(node);
  if (norm == nullptr || norm->is_training) return std::nullopt;
  if (!channels.has_axis() || channels.rank != channels.from_end + norm->channel_axis)
    return std::nullopt;
  const roles::NormalizationOperands& inputs = norm->operands;
  std::vector<std::vector<double>> parts;  // scale, shift, mean, variance
  for (const std::size_t input : {inputs.scale, inputs.shift, inputs.mean, inputs.variance}) {
    const Tensor* tensor = index.constant(input_of(node, input));
    if (tensor == nullptr || tensor->dtype() != DType::float32 ||
        static_cast<std::size_t>(tensor->size()) != channels.count) {
      return std::nullopt;
    }
    const Tensor values = aligned(*tensor);
    parts.emplace_back(values.data<float>().begin(), values.data<float>().end());
  }
  const double epsilon = norm->epsilon;
  Affine affine = identity(channels.count);
  for (std::size_t c = 0; c < channels.count; ++c) {
    affine.factor[c] = parts[0][c] / std::sqrt(parts[3][c] + epsilon);
    affine.shift[c] = parts[1][c] - affine.factor[c] * parts[2][c];
  }
  return affine;
}

}  // namespace

std::size_t extent(const Shape& shape, std::size_t axis) {
  return static_cast<std::size_t>(shape[axis]);
}

bool can_get_bias(const Node& node) {
  return node.kind != Kind::gemm || (alpha_of(node) == 1 && beta_of(node) == 1);
}

Affine identity(std::size_t count) {
  return {.factor = std::vector<double>(count, 1), .shift = std::vector<double>(count, 0)};
}

void append(const Affine& after, Affine& before) {
  for (std::size_t c = 0; c < before.factor.size(); ++c) {
    before.factor[c] *= after.factor[c];
    before.shift[c] = before.shift[c] * after.factor[c] + after.shift[c];
  }
}

std::vector<Extent> extents_of(const Extents& extents, const std::string& value) {
  const auto found = extents.find(value);
  return found == extents.end() ? std::vector<Extent>() : found->second;
}

std::optional<std::vector<double>> numbers_of(const Tensor* constant, const ChannelAxis& channels,
                                              const std::vector<Extent>& data) {
  if (constant == nullptr || constant->dtype() != DType::float32 || constant->size() == 0)
    return std::nullopt;
  const Shape& shape = constant->shape();
  if (shape.size() > channels.rank) return std::nullopt;
  std::size_t inner = 1, count = 1;  // neighbours of one channel, and how many channels there are
  for (std::size_t from_end = 1; from_end <= shape.size(); ++from_end) {
    const std::size_t size = extent(shape, shape.size() - from_end);
    const bool of_channels = from_end == channels.from_end && size == channels.count;
    const bool fills = from_end <= data.size() && data[data.size() - from_end] == size;
    if (size != 1 && !of_channels && !fills) return std::nullopt;
    if (of_channels) count = size;
    if (from_end < channels.from_end) inner *= size;
  }
  if (inner == 0 || count == 0) return std::nullopt;  // never, where there are elements
  const Tensor values = aligned(*constant);
  const std::span<const float> all = values.data<float>();
  std::vector<double> numbers(channels.count, all[0]);
  for (std::size_t c = 0; c < count && count > 1; ++c) numbers[c] = all[c * inner];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!(all[i] == numbers[i / inner % count])) return std::nullopt;
  }
  return numbers;
}

namespace {

/// What an op with one constant number makes of a value, by its input of this number.
std::optional<std::pair<double, double>> factor_and_shift(Kind kind, std::size_t input,
                                                          double number) {
  switch (kind) {
    case Kind::mul:
      return std::pair(number, 0.0);
    case Kind::div:
      return input == 0 ? std::optional(std::pair(1 / number, 0.0)) : std::nullopt;
    case Kind::add:
      return std::pair(1.0, number);
    case Kind::sub:
      return input == 0 ? std::pair(1.0, -number) : std::pair(-1.0, number);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Affine> affine_of(const GraphIndex& index, const Node& node, std::size_t input,
                                const ChannelAxis& channels, const std::vector<Extent>& data) {
  const auto has_more = [](const std::string& output) { return !output.empty(); };
  if (std::ranges::count_if(node.outputs, has_more) != 1) return std::nullopt;
  if (node.kind == Kind::batch_norm) {
    return input == 0 ? batch_norm_affine(index, node, channels) : std::nullopt;
  }
  Affine affine = identity(channels.count);
  if (node.kind == Kind::neg) {
    std::ranges::fill(affine.factor, -1);
    return affine;
  }
  if (node.inputs.size() != 2 || input > 1) return std::nullopt;
  const auto numbers = numbers_of(index.constant(node.inputs[1 - input]), channels, data);
  if (!numbers) return std::nullopt;
  for (std::size_t c = 0; c < channels.count; ++c) {
    const auto one = factor_and_shift(node.kind, input, (*numbers)[c]);
    if (!one) return std::nullopt;
    std::tie(affine.factor[c], affine.shift[c]) = *one;
  }
  return affine;
}

std::optional<Tensor> finite_tensor(const Shape& shape, std::vector<float> values) {
  if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); }))
    return std::nullopt;
  return Tensor::from<float>(shape, std::move(values));
}

std::optional<Tensor> scaled(const Tensor& weight, const std::vector<double>& factor,
                             const std::function<std::size_t(std::size_t)>& channel_of) {
  const Tensor before = aligned(weight);
  const std::span<const float> data = before.data<float>();
  std::vector<float> values(data.size());
  std::vector<float> largest(factor.size(), 0), was(factor.size(), 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t c = channel_of(i);
    values[i] = static_cast<float>(data[i] * factor[c]);
    largest[c] = std::max(largest[c], std::abs(values[i]));
    was[c] = std::max(was[c], std::abs(data[i]));
  }
  for (std::size_t c = 0; c < factor.size(); ++c) {
    if (largest[c] < std::numeric_limits<float>::min() && largest[c] < was[c] && factor[c] != 0)
      return std::nullopt;
  }
  return finite_tensor(weight.shape(), std::move(values));
}

}  // namespace quantlens
