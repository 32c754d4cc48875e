// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/kernels.h"

#include <algorithm>

namespace quantlens::oracle {
namespace {

struct Entry {
  std::string_view type;
  Kernel kernel;
};

/// ONNX's own operators.
constexpr Entry kOnnx[] = {
    {"Abs", abs},
    {"Add", add},
    {"And", logical_and},
    {"AveragePool", average_pool},
    {"BatchNormalization", batch_normalization},
    {"Cast", cast},
    {"Clip", clip},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Conv", conv},
    {"ConvInteger", conv_integer},
    {"DequantizeLinear", dequantize_linear},
    {"Div", div},
    {"Dropout", dropout},
    {"DynamicQuantizeLinear", dynamic_quantize_linear},
    {"Equal", equal},
    {"Erf", erf},
    {"Exp", exp},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Gather", gather},
    {"Gelu", gelu},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_average_pool},
    {"GlobalMaxPool", global_max_pool},
    {"Greater", greater},
    {"GreaterOrEqual", greater_or_equal},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"Identity", identity},
    {"LayerNormalization", layer_normalization},
    {"LeakyRelu", leaky_relu},
    {"Less", less},
    {"LessOrEqual", less_or_equal},
    {"Log", log},
    {"MatMul", matmul},
    {"MatMulInteger", matmul_integer},
    {"Max", max},
    {"MaxPool", max_pool},
    {"Min", min},
    {"Mul", mul},
    {"Neg", neg},
    {"Not", logical_not},
    {"Or", logical_or},
    {"Pad", pad},
    {"Pow", pow},
    {"QLinearConv", qlinear_conv},
    {"QLinearMatMul", qlinear_matmul},
    {"QuantizeLinear", quantize_linear},
    {"Reciprocal", reciprocal},
    {"ReduceL2", reduce_l2},
    {"ReduceMax", reduce_max},
    {"ReduceMean", reduce_mean},
    {"ReduceMin", reduce_min},
    {"ReduceSum", reduce_sum},
    {"Relu", relu},
    {"Reshape", reshape},
    {"Shape", shape_of},
    {"Sigmoid", sigmoid},
    {"Slice", slice},
    {"Softmax", softmax},
    {"Split", split},
    {"Sqrt", sqrt},
    {"Squeeze", squeeze},
    {"Sub", sub},
    {"Tanh", tanh},
    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},
    {"Where", where},
};

/// ONNX Runtime's own (domain com.microsoft).
constexpr Entry kMicrosoft[] = {
    {"DequantizeLinear", dequantize_linear},
    {"Gelu", gelu},
    {"QGemm", qgemm},
    {"QLinearAdd", qlinear_add},
    {"QLinearAveragePool", qlinear_average_pool},
    {"QLinearConcat", qlinear_concat},
    {"QLinearGlobalAveragePool", qlinear_global_average_pool},
    {"QLinearMul", qlinear_mul},
    {"QuantizeLinear", quantize_linear},
};

Kernel find(std::span<const Entry> table, std::string_view type) {
  const auto found = std::ranges::find(table, type, &Entry::type);
  return found == table.end() ? nullptr : found->kernel;
}

}  // namespace

Kernel kernel_of(const Node& node) {
  if (!node.subgraphs.empty()) return nullptr;
  if (node.domain.empty() || node.domain == "ai.onnx") return find(kOnnx, node.type);
  if (node.domain == "com.microsoft") return find(kMicrosoft, node.type);
  return nullptr;
}

}  // namespace quantlens::oracle
