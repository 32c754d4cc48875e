// What TensorFlow's ops are in words that no framework owns. An op that no kind says as it is stays
// Kind::other.
// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/meaning.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quantlens::graphdef {
namespace {

// Of ops without a kind.
Told sum(Reading) {
  return roles::Sum{};
}
Told activation(Reading) {
  return roles::Activation{};
}
Told elementwise(Reading) {
  return roles::Elementwise{};
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
    MeaningRow{"Atan2", Kind::other, elementwise},
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
    MeaningRow{"Ceil", Kind::other, elementwise},
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
    MeaningRow{"Cos", Kind::other, elementwise},
    MeaningRow{"CudnnRNN", Kind::other, untold_product},
    MeaningRow{"CudnnRNNV3", Kind::other, untold_product},
    MeaningRow{"DepthToSpace", Kind::depth_to_space},
    MeaningRow{"DepthwiseConv2dNative", Kind::conv, depthwise},
    MeaningRow{"Dequantize", Kind::other, untold_codes},
    MeaningRow{"Div", Kind::div},
    MeaningRow{"DivNoNan", Kind::other, elementwise},
    MeaningRow{"Einsum", Kind::other, untold_product},
    MeaningRow{"Elu", Kind::elu},
    MeaningRow{"EnsureShape", Kind::identity},
    MeaningRow{"Equal", Kind::other, elementwise},
    MeaningRow{"Erf", Kind::erf},
    MeaningRow{"Exp", Kind::exp},
    MeaningRow{"ExpandDims", Kind::unsqueeze, unsqueeze},
    MeaningRow{"Expm1", Kind::other, elementwise},
    MeaningRow{"FakeQuantWithMinMaxArgs", Kind::other, untold_codes},
    MeaningRow{"FakeQuantWithMinMaxVars", Kind::other, untold_codes},
    MeaningRow{"FakeQuantWithMinMaxVarsPerChannel", Kind::other, untold_codes},
    MeaningRow{"Floor", Kind::other, elementwise},
    MeaningRow{"FloorDiv", Kind::other, elementwise},
    MeaningRow{"FloorMod", Kind::other, elementwise},
    MeaningRow{"FusedBatchNorm", Kind::batch_norm, normalization},
    MeaningRow{"FusedBatchNormV2", Kind::batch_norm, normalization},
    MeaningRow{"FusedBatchNormV3", Kind::batch_norm, normalization},
    MeaningRow{"GRUBlockCell", Kind::other, untold_product},
    MeaningRow{"Gather", Kind::gather, gather},
    MeaningRow{"GatherV2", Kind::gather, gather_along},
    MeaningRow{"Greater", Kind::other, elementwise},
    MeaningRow{"GreaterEqual", Kind::other, elementwise},
    MeaningRow{"GuaranteeConst", Kind::identity},
    MeaningRow{"Identity", Kind::identity},
    MeaningRow{"Inv", Kind::reciprocal},
    MeaningRow{"IsFinite", Kind::other, elementwise},
    MeaningRow{"IsInf", Kind::other, elementwise},
    MeaningRow{"IsNan", Kind::other, elementwise},
    MeaningRow{"LSTMBlockCell", Kind::other, untold_product},
    MeaningRow{"LeakyRelu", Kind::leaky_relu},
    MeaningRow{"Less", Kind::other, elementwise},
    MeaningRow{"LessEqual", Kind::other, elementwise},
    MeaningRow{"Log", Kind::log},
    MeaningRow{"Log1p", Kind::other, elementwise},
    MeaningRow{"LogicalAnd", Kind::other, elementwise},
    MeaningRow{"LogicalNot", Kind::other, elementwise},
    MeaningRow{"LogicalOr", Kind::other, elementwise},
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
    MeaningRow{"MulNoNan", Kind::other, elementwise},
    MeaningRow{"Multinomial", Kind::other, random_numbers},
    MeaningRow{"Neg", Kind::neg},
    MeaningRow{"NotEqual", Kind::other, elementwise},
    MeaningRow{"OnesLike", Kind::other, elementwise},
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
    MeaningRow{"Rint", Kind::other, elementwise},
    MeaningRow{"Round", Kind::other, elementwise},
    MeaningRow{"Rsqrt", Kind::other, elementwise},
    MeaningRow{"SelectV2", Kind::where},
    MeaningRow{"Selu", Kind::other, activation},
    MeaningRow{"Shape", Kind::shape_of},
    MeaningRow{"Sigmoid", Kind::sigmoid},
    MeaningRow{"Sign", Kind::other, elementwise},
    MeaningRow{"Sin", Kind::other, elementwise},
    MeaningRow{"Snapshot", Kind::identity},
    MeaningRow{"Softmax", Kind::softmax, softmax},
    MeaningRow{"Softplus", Kind::other, activation},
    MeaningRow{"Softsign", Kind::other, activation},
    MeaningRow{"SpaceToDepth", Kind::space_to_depth},
    MeaningRow{"SparseMatMul", Kind::other, untold_product},
    MeaningRow{"Split", Kind::split, split},
    MeaningRow{"SplitV", Kind::split, split_by_extents},
    MeaningRow{"Sqrt", Kind::sqrt},
    MeaningRow{"Square", Kind::other, elementwise},
    MeaningRow{"SquaredDifference", Kind::other, elementwise},
    MeaningRow{"Squeeze", Kind::squeeze, squeeze},
    MeaningRow{"StopGradient", Kind::identity},
    MeaningRow{"StridedSlice", Kind::slice, slice},
    MeaningRow{"Sub", Kind::sub},
    MeaningRow{"Sum", Kind::reduce_sum, reduction},
    MeaningRow{"Tan", Kind::other, elementwise},
    MeaningRow{"Tanh", Kind::tanh},
    MeaningRow{"Tile", Kind::tile},
    MeaningRow{"Transpose", Kind::transpose, transpose},
    MeaningRow{"TruncateDiv", Kind::other, elementwise},
    MeaningRow{"TruncatedNormal", Kind::other, random_numbers},
    MeaningRow{"Xdivy", Kind::other, elementwise},
    MeaningRow{"Xlogy", Kind::other, elementwise},
    MeaningRow{"ZerosLike", Kind::other, elementwise},
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
  const std::string type = plain_type(node.type);
  const auto* const row = std::ranges::lower_bound(kMeanings, type, {}, &MeaningRow::type);
  if (row == kMeanings.end() || row->type != type) {
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
