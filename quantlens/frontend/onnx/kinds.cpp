// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

struct Row {
  std::string_view type;
  Kind kind;
};

// Sorted by type. An operator whose inputs mean something else than its Kind says
// is not here: it stays Kind::other.
constexpr Row kOnnx[] = {
    {"Abs", Kind::abs},
    {"Add", Kind::add},
    {"ArgMax", Kind::arg_max},
    {"AveragePool", Kind::average_pool},
    {"BatchNormalization", Kind::batch_norm},
    {"Cast", Kind::cast},
    {"Clip", Kind::clip},
    {"Concat", Kind::concat},
    {"Constant", Kind::constant},
    {"Conv", Kind::conv},
    {"ConvInteger", Kind::conv_integer},
    {"ConvTranspose", Kind::conv_transpose},
    {"DepthToSpace", Kind::depth_to_space},
    {"DequantizeLinear", Kind::dequantize},
    {"Div", Kind::div},
    {"Dropout", Kind::dropout},
    {"DynamicQuantizeLinear", Kind::dynamic_quantize},
    {"Elu", Kind::elu},
    {"Erf", Kind::erf},
    {"Exp", Kind::exp},
    {"Expand", Kind::expand},
    {"Flatten", Kind::flatten},
    {"GRU", Kind::recurrent},
    {"Gather", Kind::gather},
    {"GatherElements", Kind::gather_elements},
    {"Gelu", Kind::gelu},
    {"Gemm", Kind::gemm},
    {"GlobalAveragePool", Kind::global_average_pool},
    {"HardSigmoid", Kind::hard_sigmoid},
    {"HardSwish", Kind::hard_swish},
    {"Identity", Kind::identity},
    {"If", Kind::control_flow},
    {"InstanceNormalization", Kind::instance_norm},
    {"LSTM", Kind::recurrent},
    {"LayerNormalization", Kind::layer_norm},
    {"LeakyRelu", Kind::leaky_relu},
    {"Log", Kind::log},
    {"Loop", Kind::control_flow},
    {"MatMul", Kind::matmul},
    {"MatMulInteger", Kind::matmul_integer},
    {"Max", Kind::max},
    {"MaxPool", Kind::max_pool},
    {"Min", Kind::min},
    {"Mul", Kind::mul},
    {"Neg", Kind::neg},
    {"PRelu", Kind::prelu},
    {"Pad", Kind::pad},
    {"Pow", Kind::pow},
    {"QLinearConv", Kind::qconv},
    {"QLinearMatMul", Kind::qmatmul},
    {"QuantizeLinear", Kind::quantize},
    {"RNN", Kind::recurrent},
    {"Reciprocal", Kind::reciprocal},
    {"ReduceMax", Kind::reduce_max},
    {"ReduceMean", Kind::reduce_mean},
    {"ReduceMin", Kind::reduce_min},
    {"ReduceSum", Kind::reduce_sum},
    {"Relu", Kind::relu},
    {"Reshape", Kind::reshape},
    {"Resize", Kind::resize},
    {"Scan", Kind::control_flow},
    {"Shape", Kind::shape_of},
    {"Sigmoid", Kind::sigmoid},
    {"Slice", Kind::slice},
    {"Softmax", Kind::softmax},
    {"SpaceToDepth", Kind::space_to_depth},
    {"Split", Kind::split},
    {"Sqrt", Kind::sqrt},
    {"Squeeze", Kind::squeeze},
    {"Sub", Kind::sub},
    {"Tanh", Kind::tanh},
    {"Tile", Kind::tile},
    {"Transpose", Kind::transpose},
    {"Unsqueeze", Kind::unsqueeze},
    {"Where", Kind::where},
};

constexpr Row kMicrosoft[] = {
    {"DequantizeLinear", Kind::dequantize},
    {"DynamicQuantizeLSTM", Kind::recurrent},
    {"DynamicQuantizeMatMul", Kind::dynamic_quantize_matmul},
    {"GatherBlockQuantized", Kind::gather_blocks},
    {"Gelu", Kind::gelu},
    {"MatMulIntegerToFloat", Kind::matmul_integer_to_float},
    {"MatMulNBits", Kind::matmul_blocks},
    {"QGemm", Kind::qgemm},
    {"QLinearAdd", Kind::qadd},
    {"QLinearAveragePool", Kind::qaverage_pool},
    {"QLinearConcat", Kind::qconcat},
    {"QLinearConv", Kind::qconv},
    {"QLinearGlobalAveragePool", Kind::qglobal_average_pool},
    {"QLinearLeakyRelu", Kind::qleaky_relu},
    {"QLinearMul", Kind::qmul},
    {"QLinearSigmoid", Kind::qsigmoid},
    {"QLinearSoftmax", Kind::qsoftmax},
    {"QLinearWhere", Kind::qwhere},
    {"QuantizeLinear", Kind::quantize},
};

constexpr bool by_type(const Row& a, const Row& b) {
  return a.type < b.type;
}
static_assert(std::is_sorted(std::begin(kOnnx), std::end(kOnnx), by_type));
static_assert(std::is_sorted(std::begin(kMicrosoft), std::end(kMicrosoft), by_type));

template <std::size_t N>
Kind find(const Row (&table)[N], std::string_view type) {
  const Row* const found = std::ranges::lower_bound(table, type, {}, &Row::type);
  return found != std::end(table) && found->type == type ? found->kind : Kind::other;
}

}  // namespace

Kind kind_of(std::string_view domain, std::string_view type) {
  if (domain.empty()) return find(kOnnx, type);
  if (domain == kMicrosoftDomain) return find(kMicrosoft, type);
  return Kind::other;
}

}  // namespace quantlens::onnx
