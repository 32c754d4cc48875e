// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/affine.h"

#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace quantlens {
namespace {

std::optional<Affine> batch_norm_affine(const GraphIndex& index, const Node& node,
                                        const ChannelAxis& channels) {
  const bool by_second_axis = channels.has_axis() && channels.rank == channels.from_end + 1;
  if (node.inputs.size() < 5 || !by_second_axis || attribute_int(node, "training_mode", 0) != 0)
    return std::nullopt;
  std::vector<std::vector<double>> parts;  // scale, shift, mean, variance
  for (std::size_t i = 1; i < 5; ++i) {
    const Tensor* tensor = index.constant(node.inputs[i]);
    if (tensor == nullptr || tensor->dtype() != DType::float32 ||
        static_cast<std::size_t>(tensor->size()) != channels.count) {
      return std::nullopt;
    }
    const Tensor values = aligned(*tensor);
    parts.emplace_back(values.data<float>().begin(), values.data<float>().end());
  }
  const double epsilon = attribute_float(node, "epsilon", 1e-5F);
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

Affine identity(std::size_t count) {
  return {.factor = std::vector<double>(count, 1), .shift = std::vector<double>(count, 0)};
}

void append(const Affine& after, Affine& before) {
  for (std::size_t c = 0; c < before.factor.size(); ++c) {
    before.factor[c] *= after.factor[c];
    before.shift[c] = before.shift[c] * after.factor[c] + after.shift[c];
  }
}

std::optional<std::vector<double>> numbers_of(const Tensor* constant, const ChannelAxis& channels) {
  if (constant == nullptr || constant->dtype() != DType::float32) return std::nullopt;
  const Shape& shape = constant->shape();
  if (shape.size() > channels.rank) return std::nullopt;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool of_channels =
        shape.size() - axis == channels.from_end && extent(shape, axis) == channels.count;
    if (shape[axis] != 1 && !of_channels) return std::nullopt;
  }
  const Tensor values = aligned(*constant);
  const std::span<const float> data = values.data<float>();
  if (data.size() == 1) return std::vector<double>(channels.count, data[0]);
  return std::vector<double>(data.begin(), data.end());
}

std::optional<Affine> affine_of(const GraphIndex& index, const Node& node, std::size_t input,
                                const ChannelAxis& channels) {
  const auto has_more = [](const std::string& output) { return !output.empty(); };
  if (std::ranges::count_if(node.outputs, has_more) != 1) return std::nullopt;
  if (node.kind == Kind::batch_norm) {
    return input == 0 ? batch_norm_affine(index, node, channels) : std::nullopt;
  }
  if (node.inputs.size() != 2 || input > 1) return std::nullopt;
  const auto numbers = numbers_of(index.constant(node.inputs[1 - input]), channels);
  if (!numbers) return std::nullopt;
  Affine affine = identity(channels.count);
  for (std::size_t c = 0; c < channels.count; ++c) {
    const double number = (*numbers)[c];
    switch (node.kind) {
      case Kind::mul:
        affine.factor[c] = number;
        break;
      case Kind::add:
        affine.shift[c] = number;
        break;
      case Kind::sub:
        affine.factor[c] = input == 0 ? 1 : -1;
        affine.shift[c] = input == 0 ? -number : number;
        break;
      case Kind::div:
        if (input != 0) return std::nullopt;
        affine.factor[c] = 1 / number;
        break;
      default:
        return std::nullopt;
    }
  }
  return affine;
}

std::optional<Tensor> finite_tensor(const Shape& shape, std::vector<float> values) {
  if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); }))
    return std::nullopt;
  return Tensor::from<float>(shape, std::move(values));
}

}  // namespace quantlens
