// What TensorFlow's ops are in words that no framework owns. An op that no kind says as it is stays
// Kind::other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kNone = 1'000'000;  // number of an input that no op has

/// A node whose meaning is being read.
struct Reading {
  Node& node;
  const Constants& constants;

  const Tensor* constant(std::size_t input) const {
    const auto found = constants.find(input_of(node, input));
    return found == constants.end() ? nullptr : &found->second;
  }
  /// The elements of a short constant of integers.
  std::optional<Numbers> numbers(std::size_t input) const {
    constexpr std::int64_t kMost = 64;
    const Tensor* tensor = constant(input);
    if (tensor == nullptr || tensor->size() > kMost) return std::nullopt;
    if (tensor->dtype() != DType::int32 && tensor->dtype() != DType::int64) return std::nullopt;
    return to_int64(aligned(*tensor));
  }
  std::optional<std::int64_t> number(std::size_t input) const {
    const auto all = numbers(input);
    return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
  }
  bool flag(const std::string& key, bool otherwise = false) const {
    return attribute_int(node, key, otherwise ? 1 : 0) != 0;
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    return attribute_string(node, key, otherwise);
  }
};

/// What the roles are, or nothing where no kind says what the op does.
using Told = std::optional<Roles>;

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
  role.fuses_activation = fuses_more_than_bias(of);
  return role;
}

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

Told transposed_2d(Reading of) {
  return transposed(of, 2);
}
Told transposed_3d(Reading of) {
  return transposed(of, 3);
}

Told product(const Reading& of, const std::string& a, const std::string& b) {
  roles::MatrixProduct role{
      .operands = {.bias = {}}, .transposes_a = of.flag(a), .transposes_b = of.flag(b)};
  if (fuses(of, "BiasAdd")) role.operands.bias = 2;
  role.fuses_activation = fuses_more_than_bias(of);
  return role;
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

Told pool(const Reading& of, std::size_t positions, bool takes_maximum) {
  const auto layout = layout_of(of, positions);
  auto window = layout ? window_of(of, *layout) : std::nullopt;
  const auto kernel = layout ? of_positions(of, "ksize", *layout) : std::nullopt;
  if (!window || !kernel || kernel->empty()) return std::nullopt;
  window->kernel = *kernel;
  return roles::Pool{
      .window = *window, .takes_maximum = takes_maximum, .channel_axis = layout->channels};
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

Told reduction(Reading of) {
  return roles::Reduction{.keeps_axes = of.flag("keep_dims"), .takes_all = false};
}

Told relu6(Reading) {
  return roles::Bounds{.low = 0.F, .high = 6.F, .operands = {.low = kNone, .high = kNone}};
}

Told clip(Reading of) {
  for (const std::size_t bound : {1U, 2U}) {
    const Tensor* tensor = of.constant(bound);
    if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  }
  return roles::Bounds();
}

Told reshape(Reading) {
  return roles::Reshaping{.copies_zeros = false};
}

Told squeeze(Reading of) {
  return roles::NamedAxes{.axes = attribute_ints(of.node, "squeeze_dims"),
                          .operands = {.axes = kNone}};
}

Told unsqueeze(Reading of) {
  return of.number(1) ? Told(roles::NamedAxes()) : std::nullopt;
}

Told transpose(Reading of) {
  const auto order = of.numbers(1);
  return order && !order->empty() ? Told(roles::Permutation{.order = *order}) : std::nullopt;
}

Told axis_at(Reading& of, std::size_t input) {
  const auto axis = of.number(input);
  return axis ? Told(roles::AxisChoice{.axis = axis}) : std::nullopt;
}

Told softmax(Reading) {
  return roles::AxisChoice{.axis = -1};
}

/// The axis comes behind the parts, and is no input here.
Told concat(Reading of) {
  if (of.node.inputs.size() < 2) return std::nullopt;
  Told told = axis_at(of, of.node.inputs.size() - 1);
  if (told) of.node.inputs.pop_back();
  return told;
}

/// The axis comes first, and is no input here.
Told old_concat(Reading of) {
  if (of.node.inputs.size() < 2) return std::nullopt;
  Told told = axis_at(of, 0);
  if (told) of.node.inputs.erase(of.node.inputs.begin());
  return told;
}

Told split(Reading of) {
  if (of.node.inputs.size() != 2) return std::nullopt;
  Told told = axis_at(of, 0);
  if (told) of.node.inputs.erase(of.node.inputs.begin());
  return told;
}

Told split_by_extents(Reading of) {
  return axis_at(of, 2);
}

Told arg_max(Reading of) {
  return axis_at(of, 1);
}

Told gather(Reading) {
  return roles::AxisChoice{.axis = 0};
}

Told gather_along(Reading of) {
  if (attribute_int(of.node, "batch_dims", 0) != 0) return std::nullopt;
  return axis_at(of, 2);
}

/// Masks say what no role does: whole ranges, and axes that go or come.
Told slice(Reading of) {
  for (const char* mask :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (attribute_int(of.node, mask, 0) != 0) return std::nullopt;
  }
  return roles::Slicing{.operands = {.begins = 1, .ends = 2, .axes = kNone, .steps = 3}};
}

/// The input has a pair for each axis; roles have all in front, then all behind.
std::optional<Numbers> pads_of(const Reading& of) {
  const auto pairs = of.numbers(1);
  const Tensor* tensor = of.constant(1);
  if (!pairs || pairs->empty() || tensor->shape().size() != 2 || tensor->shape()[1] != 2)
    return std::nullopt;
  Numbers pads;
  for (const std::size_t behind : {0U, 1U}) {
    for (std::size_t at = behind; at < pairs->size(); at += 2) pads.push_back((*pairs)[at]);
  }
  return pads;
}

Told pad(Reading of) {
  const auto pads = pads_of(of);
  if (!pads) return std::nullopt;
  return roles::Padding{
      .is_constant = of.node.type != "MirrorPad",
      .operands = {.pads = kNone, .filling = of.node.type == "PadV2" ? 2U : kNone, .axes = kNone},
      .pads = *pads};
}

Told nearest(Reading) {
  return roles::Resampling{.is_nearest = true};
}
Told interpolated(Reading) {
  return roles::Resampling{.is_nearest = false};
}

Told cast(Reading of) {
  return roles::Conversion{.to = dtype_of_word(of.text("DstT", ""))};
}

// Of ops without a kind.
Told sum(Reading) {
  return roles::Sum{};
}
Told activation(Reading) {
  return roles::Activation{};
}
Told untold_product(Reading) {
  return roles::UntoldProduct{};
}
Told untold_codes(Reading) {
  return roles::UntoldCodes{};
}
Told random_numbers(Reading) {
  return roles::RandomNumbers{};
}

struct MeaningRow {
  std::string_view type;
  Kind kind;
  Told (*roles)(Reading of) = nullptr;  ///< null: those of the kind
};

// Sorted by type.
constexpr std::array kMeanings = {
    MeaningRow{"Abs", Kind::abs},
    MeaningRow{"Add", Kind::add},
    MeaningRow{"AddN", Kind::other, sum},
    MeaningRow{"AddV2", Kind::add},
    MeaningRow{"ArgMax", Kind::arg_max, arg_max},
    MeaningRow{"AvgPool", Kind::average_pool, average_pool_2d},
    MeaningRow{"AvgPool3D", Kind::average_pool, average_pool_3d},
    MeaningRow{"BatchMatMul", Kind::matmul, batch_product},
    MeaningRow{"BatchMatMulV2", Kind::matmul, batch_product},
    MeaningRow{"BatchMatMulV3", Kind::matmul, batch_product},
    MeaningRow{"BiasAdd", Kind::add, bias},
    MeaningRow{"BiasAddV1", Kind::add},
    MeaningRow{"BlockLSTM", Kind::other, untold_product},
    MeaningRow{"BlockLSTMV2", Kind::other, untold_product},
    MeaningRow{"BroadcastTo", Kind::expand},
    MeaningRow{"Cast", Kind::cast, cast},
    MeaningRow{"CheckNumerics", Kind::identity},
    MeaningRow{"CheckNumericsV2", Kind::identity},
    MeaningRow{"ClipByValue", Kind::clip, clip},
    MeaningRow{"Concat", Kind::concat, old_concat},
    MeaningRow{"ConcatV2", Kind::concat, concat},
    MeaningRow{"Conv", Kind::other, untold_product},
    MeaningRow{"Conv2D", Kind::conv, conv_2d},
    MeaningRow{"Conv2DBackpropInput", Kind::conv_transpose, transposed_2d},
    MeaningRow{"Conv3D", Kind::conv, conv_3d},
    MeaningRow{"Conv3DBackpropInputV2", Kind::conv_transpose, transposed_3d},
    MeaningRow{"CudnnRNN", Kind::other, untold_product},
    MeaningRow{"CudnnRNNV3", Kind::other, untold_product},
    MeaningRow{"DepthToSpace", Kind::depth_to_space},
    MeaningRow{"DepthwiseConv2dNative", Kind::conv, depthwise},
    MeaningRow{"Dequantize", Kind::other, untold_codes},
    MeaningRow{"Div", Kind::div},
    MeaningRow{"Einsum", Kind::other, untold_product},
    MeaningRow{"Elu", Kind::elu},
    MeaningRow{"EnsureShape", Kind::identity},
    MeaningRow{"Erf", Kind::erf},
    MeaningRow{"Exp", Kind::exp},
    MeaningRow{"ExpandDims", Kind::unsqueeze, unsqueeze},
    MeaningRow{"FakeQuantWithMinMaxArgs", Kind::other, untold_codes},
    MeaningRow{"FakeQuantWithMinMaxVars", Kind::other, untold_codes},
    MeaningRow{"FakeQuantWithMinMaxVarsPerChannel", Kind::other, untold_codes},
    MeaningRow{"FusedBatchNorm", Kind::batch_norm, normalization},
    MeaningRow{"FusedBatchNormV2", Kind::batch_norm, normalization},
    MeaningRow{"FusedBatchNormV3", Kind::batch_norm, normalization},
    MeaningRow{"GRUBlockCell", Kind::other, untold_product},
    MeaningRow{"Gather", Kind::gather, gather},
    MeaningRow{"GatherV2", Kind::gather, gather_along},
    MeaningRow{"GuaranteeConst", Kind::identity},
    MeaningRow{"Identity", Kind::identity},
    MeaningRow{"Inv", Kind::reciprocal},
    MeaningRow{"LSTMBlockCell", Kind::other, untold_product},
    MeaningRow{"LeakyRelu", Kind::leaky_relu},
    MeaningRow{"Log", Kind::log},
    MeaningRow{"MatMul", Kind::matmul, matrix_product},
    MeaningRow{"Max", Kind::reduce_max, reduction},
    MeaningRow{"MaxPool", Kind::max_pool, max_pool_2d},
    MeaningRow{"MaxPool3D", Kind::max_pool, max_pool_3d},
    MeaningRow{"Maximum", Kind::max},
    MeaningRow{"Mean", Kind::reduce_mean, reduction},
    MeaningRow{"Min", Kind::reduce_min, reduction},
    MeaningRow{"Minimum", Kind::min},
    MeaningRow{"MirrorPad", Kind::pad, pad},
    MeaningRow{"Mul", Kind::mul},
    MeaningRow{"Multinomial", Kind::other, random_numbers},
    MeaningRow{"Neg", Kind::neg},
    MeaningRow{"Pad", Kind::pad, pad},
    MeaningRow{"PadV2", Kind::pad, pad},
    MeaningRow{"PlaceholderWithDefault", Kind::identity},
    MeaningRow{"Pow", Kind::pow},
    MeaningRow{"PreventGradient", Kind::identity},
    MeaningRow{"RealDiv", Kind::div},
    MeaningRow{"Reciprocal", Kind::reciprocal},
    MeaningRow{"Relu", Kind::relu},
    MeaningRow{"Relu6", Kind::clip, relu6},
    MeaningRow{"Reshape", Kind::reshape, reshape},
    MeaningRow{"ResizeBilinear", Kind::resize, interpolated},
    MeaningRow{"ResizeNearestNeighbor", Kind::resize, nearest},
    MeaningRow{"SelectV2", Kind::where},
    MeaningRow{"Selu", Kind::other, activation},
    MeaningRow{"Shape", Kind::shape_of},
    MeaningRow{"Sigmoid", Kind::sigmoid},
    MeaningRow{"Snapshot", Kind::identity},
    MeaningRow{"Softmax", Kind::softmax, softmax},
    MeaningRow{"Softplus", Kind::other, activation},
    MeaningRow{"Softsign", Kind::other, activation},
    MeaningRow{"SpaceToDepth", Kind::space_to_depth},
    MeaningRow{"SparseMatMul", Kind::other, untold_product},
    MeaningRow{"Split", Kind::split, split},
    MeaningRow{"SplitV", Kind::split, split_by_extents},
    MeaningRow{"Sqrt", Kind::sqrt},
    MeaningRow{"Squeeze", Kind::squeeze, squeeze},
    MeaningRow{"StopGradient", Kind::identity},
    MeaningRow{"StridedSlice", Kind::slice, slice},
    MeaningRow{"Sub", Kind::sub},
    MeaningRow{"Sum", Kind::reduce_sum, reduction},
    MeaningRow{"Tanh", Kind::tanh},
    MeaningRow{"Tile", Kind::tile},
    MeaningRow{"Transpose", Kind::transpose, transpose},
    MeaningRow{"TruncatedNormal", Kind::other, random_numbers},
    MeaningRow{"_FusedBatchNormEx", Kind::other, normalization},
    MeaningRow{"_FusedConv2D", Kind::other, conv_2d},
    MeaningRow{"_FusedDepthwiseConv2dNative", Kind::other, depthwise},
    MeaningRow{"_FusedMatMul", Kind::other, matrix_product},
    MeaningRow{"_FusedQuantizedConv2D", Kind::other, conv_2d},
    MeaningRow{"_FusedQuantizedDepthwiseConv2D", Kind::other, depthwise},
    MeaningRow{"_QuantizedMatMul", Kind::other, matrix_product},
};
static_assert(std::ranges::is_sorted(kMeanings, {}, &MeaningRow::type));

/// Families of ops that have no rows.
Roles roles_by_name(std::string_view type) {
  if (type.find("Random") != std::string_view::npos) return roles::RandomNumbers{};
  if (type.find("Quantize") != std::string_view::npos) return roles::UntoldCodes{};
  if (type.find("Requantiz") != std::string_view::npos) return roles::UntoldCodes{};
  return {};
}

}  // namespace

void tell_meaning(Node& node, const Constants& constants) {
  const auto* const row = std::ranges::lower_bound(kMeanings, node.type, {}, &MeaningRow::type);
  if (row == kMeanings.end() || row->type != node.type) {
    node.roles = roles_by_name(node.type);
    return;
  }
  const Told told = row->roles == nullptr ? Told(Roles()) : row->roles({node, constants});
  if (!told) {
    if (std::holds_alternative<roles::Convolution>(default_roles(row->kind)))
      node.roles = roles::UntoldProduct{};
    return;
  }
  node.kind = row->kind;
  node.roles = *told;
}

}  // namespace quantlens::graphdef
