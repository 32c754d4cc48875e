// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "quantlens/frontend/graphdef/meaning.h"

namespace quantlens::graphdef {
namespace {

/// The axes of values with channels: those of positions are `first` and behind.
struct Layout {
  std::size_t rank = 4, channels = 3, first = 1;
};

std::optional<Layout> layout_of(const Reading& of, std::size_t positions) {
  const std::string word = of.text("data_format", positions == 2 ? "NHWC" : "NDHWC");
  const std::size_t rank = positions + 2;
  if (word == (positions == 2 ? "NHWC" : "NDHWC")) return Layout{rank, rank - 1, 1};
  if (word == (positions == 2 ? "NCHW" : "NCDHW")) return Layout{rank, 1, 2};
  return std::nullopt;
}

/// Those of positions in a list for all axes; nothing where others have any but 1. A list that is
/// not there is all 1.
std::optional<Numbers> of_positions(const Reading& of, const std::string& key, Layout layout) {
  const Numbers all = attribute_ints(of.node, key);
  if (all.empty()) return Numbers();
  if (all.size() != layout.rank || all[0] != 1 || all[layout.channels] != 1) return std::nullopt;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(layout.first);
  return Numbers(begin, begin + static_cast<std::ptrdiff_t>(layout.rank - 2));
}

/// Pairs for each axis as all in front, then all behind; of positions alone.
std::optional<Numbers> explicit_pads(const Reading& of, Layout layout) {
  const Numbers pairs = attribute_ints(of.node, "explicit_paddings");
  if (pairs.size() != 2 * layout.rank) return std::nullopt;
  Numbers pads;
  for (const std::size_t behind : {0U, 1U}) {
    for (std::size_t axis = layout.first; axis < layout.first + layout.rank - 2; ++axis)
      pads.push_back(pairs[2 * axis + behind]);
  }
  return pads;
}

std::optional<roles::Window> window_of(const Reading& of, Layout layout) {
  const auto strides = of_positions(of, "strides", layout);
  const auto dilations = of_positions(of, "dilations", layout);
  if (!strides || !dilations) return std::nullopt;
  roles::Window window{.strides = *strides, .dilations = *dilations};
  const std::string padding = of.text("padding", "");
  if (padding == "SAME") {
    window.pads_to_fit = true;
  } else if (padding == "EXPLICIT") {
    const auto pads = explicit_pads(of, layout);
    if (!pads) return std::nullopt;
    window.pads = *pads;
  } else if (padding != "VALID") {
    return std::nullopt;
  }
  return window;
}

bool fuses(const Reading& of, std::string_view first) {
  const auto found = of.node.attributes.find("fused_ops");
  if (found == of.node.attributes.end()) return false;
  const auto* ops = std::get_if<std::vector<std::string>>(&found->second);
  return ops != nullptr && !ops->empty() && ops->front() == first;
}

bool fuses_more_than_bias(const Reading& of) {
  const auto found = of.node.attributes.find("fused_ops");
  if (found == of.node.attributes.end()) return false;
  const auto* ops = std::get_if<std::vector<std::string>>(&found->second);
  return ops != nullptr &&
         std::ranges::any_of(*ops, [](const std::string& op) { return op != "BiasAdd"; });
}

/// Filters are [positions..., inputs, outputs]. A bias is an op of its own (BiasAdd) but in fused
/// ops: a plan may give one to any convolution.
Told convolution(const Reading& of, std::size_t positions) {
  const auto layout = layout_of(of, positions);
  const auto window = layout ? window_of(of, *layout) : std::nullopt;
  if (!window) return std::nullopt;
  roles::Convolution role{.output_axis = positions + 1,
                          .input_axis = positions,
                          .channel_axis = layout->channels,
                          .window = *window};
  const bool is_fused = of.node.attributes.contains("fused_ops");
  if (is_fused && !fuses(of, "BiasAdd")) role.operands.bias = std::nullopt;
  role.fuses_activation = fuses_more_than_bias(of);
  return role;
}

/// Inputs are the extents of the result, the filter, the data: they come the other way round here.
Told transposed(Reading of, std::size_t positions) {
  if (of.node.inputs.size() != 3) return std::nullopt;
  Told told = convolution(of, positions);
  if (!told) return std::nullopt;
  roles::Convolution role = std::get<roles::Convolution>(*told);
  std::swap(role.output_axis, role.input_axis);
  role.window.has_extents = true;
  role.operands.bias = 3;  // behind the extents
  std::swap(of.node.inputs[0], of.node.inputs[2]);
  return role;
}

Told product(const Reading& of, const std::string& a, const std::string& b) {
  roles::MatrixProduct role{
      .operands = {.bias = {}}, .transposes_a = of.flag(a), .transposes_b = of.flag(b)};
  if (fuses(of, "BiasAdd")) role.operands.bias = 2;
  role.fuses_activation = fuses_more_than_bias(of);
  return role;
}

Told pool(const Reading& of, std::size_t positions, bool takes_maximum) {
  const auto layout = layout_of(of, positions);
  auto window = layout ? window_of(of, *layout) : std::nullopt;
  const auto kernel = layout ? of_positions(of, "ksize", *layout) : std::nullopt;
  if (!window || !kernel || kernel->empty()) return std::nullopt;
  window->kernel = *kernel;
  return roles::Pool{
      .window = *window, .takes_maximum = takes_maximum, .channel_axis = layout->channels};
}

}  // namespace

Told conv_2d(Reading of) {
  return convolution(of, 2);
}

Told conv_3d(Reading of) {
  return convolution(of, 3);
}

/// Filters are [height, width, channels, multiplier]: with several results for each channel their
/// number would be told by two axes.
Told depthwise(Reading of) {
  const Tensor* filter = of.constant(1);
  Told told = convolution(of, 2);
  if (!told || filter == nullptr || filter->shape().size() != 4 || filter->shape()[3] != 1)
    return std::nullopt;
  roles::Convolution role = std::get<roles::Convolution>(*told);
  role.output_axis = 2;
  role.input_axis = 3;
  role.groups = filter->shape()[2];
  return role;
}

Told transposed_2d(Reading of) {
  return transposed(of, 2);
}

Told transposed_3d(Reading of) {
  return transposed(of, 3);
}

Told matrix_product(Reading of) {
  return product(of, "transpose_a", "transpose_b");
}

Told batch_product(Reading of) {
  return product(of, "adj_x", "adj_y");
}

/// A number for each channel, which broadcasting finds where these come last.
Told bias(Reading of) {
  return of.text("data_format", "NHWC") == "NHWC" ? Told(Roles()) : std::nullopt;
}

Told normalization(Reading of) {
  const std::string format = of.text("data_format", "NHWC");
  const auto layout = layout_of(of, format.size() == 5 ? 3 : 2);
  if (!layout) return std::nullopt;
  return roles::Normalization{.epsilon = attribute_float(of.node, "epsilon", 1e-4F),
                              .is_training = of.flag("is_training", true),
                              .channel_axis = layout->channels};
}

Told max_pool_2d(Reading of) {
  return pool(of, 2, true);
}

Told max_pool_3d(Reading of) {
  return pool(of, 3, true);
}

Told average_pool_2d(Reading of) {
  return pool(of, 2, false);
}

Told average_pool_3d(Reading of) {
  return pool(of, 3, false);
}

}  // namespace quantlens::graphdef
