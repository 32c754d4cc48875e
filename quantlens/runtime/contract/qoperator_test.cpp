// SPDX-License-Identifier: Apache-2.0
// The two forms of one plan: integer operators give in ONNX Runtime what QuantizeLinear and
// DequantizeLinear around the float ops give there, and what these mean by the oracle's arithmetic.
// Weights keep to 7 bits: without VNNI, ONNX Runtime's sums of pairs saturate at 16 bits.
#include <algorithm>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/contract/differential.h"
#include "quantlens/runtime/contract/run_kinds.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens::contract {
namespace {

constexpr unsigned kOperatorTrials = 6;

/// A float net, and a plan that makes codes of its values.
struct Planned {
  Net net;
  DType dtype = DType::uint8;
  Dice dice;
  Plan plan = {};
  TensorMap inputs = {};
  std::map<std::string, QParams> params = {};

  Planned(unsigned seed, DType codes, std::int64_t opset = 13)
      : net(opset), dtype(codes), dice(seed) {}

  /// `value` becomes codes for this range.
  std::string codes(const std::string& value, Range range, bool symmetric = false) {
    const Scheme scheme{.dtype = dtype, .symmetric = symmetric, .axis = {}, .bits = 8};
    params[value] = choose_params(range, scheme);
    plan.activations.push_back({.value = value,
                                .scheme = scheme,
                                .params = params[value],
                                .min = range.min,
                                .max = range.max,
                                .all_uses = true,
                                .uses = {}});
    return value;
  }

  std::string feed(const std::string& name, const Shape& shape) {
    inputs.emplace(name, random_floats(shape, dice.seed(), -2, 2));
    return codes(net.input(name, shape), {-2, 2});
  }

  /// A node whose result becomes codes for this range.
  std::string coded(const std::string& type, const Names& from, const std::string& value,
                    Range range, const Attributes& attributes = {}) {
    return codes(net.node(type, from, value, attributes), range);
  }

  /// A float weight that op `op` reads as int8.
  std::string weight(const std::string& op, std::uint64_t input, const Shape& shape,
                     std::optional<int> axis) {
    const std::string name = op + "_weight";
    const Tensor tensor = random_floats(shape, dice.seed());
    const Scheme scheme{.dtype = DType::int8, .symmetric = true, .axis = axis, .bits = 7};
    std::vector<QParams> scales;
    for (const Range& range : extremes(tensor, axis))
      scales.push_back(choose_params(range, scheme));
    plan.weights_quantized.push_back(
        {.weight = name, .scheme = scheme, .params = scales, .uses = {{op, input}}});
    return net.weight(name, tensor);
  }

  /// The bias of that op in the steps of its products. REQUIRES: its weight is the last one added.
  std::string bias(const std::string& op, const std::string& x, const Shape& shape) {
    const std::string name = op + "_bias";
    WeightPlan bias = plan.weights_quantized.back();
    bias.weight = name;
    bias.uses = {{op, 2}};
    bias.scheme.dtype = DType::int32;
    if (bias.scheme.axis) bias.scheme.axis = 0;
    for (QParams& one : bias.params) one.scale *= params.at(x).scale;
    plan.weights_quantized.push_back(bias);
    return net.weight(name, random_floats(shape, dice.seed()));
  }

  /// A constant operand, as codes of the activations' type.
  std::string operand(const std::string& op, std::uint64_t input, const Tensor& tensor) {
    const std::string name = op + "_operand";
    const Scheme scheme{.dtype = dtype, .symmetric = false, .axis = {}, .bits = 8};
    plan.weights_quantized.push_back({.weight = name,
                                      .scheme = scheme,
                                      .params = {choose_params({-1, 1}, scheme)},
                                      .uses = {{op, input}}});
    return net.weight(name, tensor);
  }

  Model written(QuantFormat format) {
    plan.quant_format = format;
    const Model model = net.model();
    std::string bytes;
    onnx::write(model, onnx::edit_for(model, plan), {}, [&](Bytes part) {
      bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
    return onnx::read("planned.onnx", MappedFile::from_bytes(bytes));
  }
};

std::string ints(Planned& p, const std::string& name, std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return p.net.weight(name, Tensor::from<std::int64_t>({count}, std::move(values)));
}

// Convolutions

void conv(Planned& p) {
  const std::string x = p.feed("x", {2, 4, 7, 7});
  const Names from{x, p.weight("y", 1, {6, 2, 3, 3}, 0), p.bias("y", x, {6})};
  p.net.output(p.coded("Conv", from, "y", {-3, 3},
                       {{"group", std::int64_t{2}}, {"pads", std::vector<std::int64_t>(4, 1)}}));
}

void conv_of_one_scale(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 9});
  p.net.output(p.coded("Conv", {x, p.weight("y", 1, {5, 3, 2}, {})}, "y", {-3, 3},
                       {{"strides", std::vector<std::int64_t>{2}}}));
}

/// The range begins at 0: saturation does the work.
void conv_relu(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 6, 6});
  const Names from{x, p.weight("c", 1, {4, 3, 3, 3}, 0), p.bias("c", x, {4})};
  p.net.node("Conv", from, "c");
  p.net.output(p.coded("Relu", {"c"}, "y", {0, 3}));
}

/// Codes below the zero point and above 1 exist, and never come out.
void conv_clip(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 6, 6});
  p.net.node("Conv", {x, p.weight("c", 1, {4, 3, 3, 3}, 0), p.bias("c", x, {4})}, "c");
  p.net.weight("zero", Tensor::scalar(0.0F));
  p.net.weight("one", Tensor::scalar(1.0F));
  p.net.output(p.coded("Clip", {"c", "zero", "one"}, "y", {-2, 2}));
}

// Products

void matmul(Planned& p) {
  const std::string a = p.feed("a", {2, 5, 8});
  const std::string b = p.feed("b", {2, 8, 3});
  p.net.output(p.coded("MatMul", {a, b}, "y", {-8, 8}));
}

void matmul_columns(Planned& p) {
  const std::string x = p.feed("x", {2, 5, 8});
  p.net.output(p.coded("MatMul", {x, p.weight("y", 1, {8, 6}, 1)}, "y", {-4, 4}));
}

void matmul_to_float(Planned& p) {
  const std::string x = p.feed("x", {2, 5, 8});
  p.net.output(p.net.node("MatMul", {x, p.weight("y", 1, {8, 6}, 1)}, "y"));
}

void matmul_bias(Planned& p) {
  const std::string x = p.feed("x", {2, 5, 8});
  p.net.node("MatMul", {x, p.weight("m", 1, {8, 6}, 1)}, "m");
  p.net.weight("bias", random_floats({6}, p.dice.seed()));
  p.net.output(p.coded("Add", {"m", "bias"}, "y", {-4, 4}));
}

void matrices_bias(Planned& p) {
  const std::string x = p.feed("x", {3, 8});
  p.net.node("MatMul", {x, p.weight("m", 1, {8, 6}, 1)}, "m");
  const std::string bias = p.bias("y", x, {6});
  p.plan.weights_quantized.back().uses = {{"y", 1}};
  p.net.output(p.coded("Add", {"m", bias}, "y", {-4, 4}));
}

/// The bias stands first, and is a row of a matrix.
void matrices_row(Planned& p) {
  const std::string x = p.feed("x", {3, 8});
  p.net.node("MatMul", {x, p.weight("m", 1, {8, 6}, {})}, "m");
  const std::string bias = p.bias("y", x, {1, 6});
  p.plan.weights_quantized.back().uses = {{"y", 0}};
  p.net.output(p.coded("Add", {bias, "m"}, "y", {-4, 4}));
}

/// One number for all columns is no bias that the kernel takes.
void matmul_plus_number(Planned& p) {
  const std::string x = p.feed("x", {2, 5, 8});
  p.net.node("MatMul", {x, p.weight("m", 1, {8, 6}, {})}, "m");
  p.net.weight("number", Tensor::from<float>({1}, {0.5F}));
  p.net.output(p.coded("Add", {"m", "number"}, "y", {-4, 4}));
}

void gemm(Planned& p) {
  const std::string x = p.feed("x", {3, 8});
  const Names from{x, p.weight("y", 1, {6, 8}, 0), p.bias("y", x, {6})};
  p.net.output(p.coded("Gemm", from, "y", {-4, 4}, {{"transB", std::int64_t{1}}}));
}

void gemm_without_bias(Planned& p) {
  const std::string x = p.feed("x", {3, 8});
  p.net.output(p.coded("Gemm", {x, p.weight("y", 1, {8, 6}, {})}, "y", {-4, 4}));
}

void gemm_to_float(Planned& p) {
  const std::string x = p.feed("x", {3, 8});
  const Names from{x, p.weight("g", 1, {8, 6}, 1), p.bias("g", x, {6})};
  p.net.node("Gemm", from, "g");
  p.net.output(p.net.node("Relu", {"g"}, "y"));
}

// Element by element

void add_relu(Planned& p) {
  p.net.node("Add", {p.feed("a", {2, 3, 4}), p.feed("b", {2, 1, 4})}, "s");
  p.net.output(p.coded("Relu", {"s"}, "y", {0, 4}));
}

void add_number(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 4});
  p.net.output(p.coded("Add", {x, p.operand("y", 1, Tensor::scalar(0.7F))}, "y", {-3, 3}));
}

void mul(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 4});
  const Tensor factors = random_floats({3, 1}, p.dice.seed());
  p.net.output(p.coded("Mul", {x, p.operand("y", 1, factors)}, "y", {-2, 2}));
}

void concat(Planned& p) {
  const std::string a = p.feed("a", {2, 3, 4});
  const std::string b = p.codes(p.net.node("Sigmoid", {a}, "b"), {0, 1});
  p.net.output(p.coded("Concat", {a, b, a}, "y", {-2, 2}, {{"axis", std::int64_t{-2}}}));
}

void average_pool(Planned& p) {
  const std::string x = p.feed("x", {2, 3, 8, 8});
  p.net.output(p.coded("AveragePool", {x}, "y", {-2, 2},
                       {{"kernel_shape", std::vector<std::int64_t>{3, 3}},
                        {"strides", std::vector<std::int64_t>{2, 2}},
                        {"pads", std::vector<std::int64_t>{1, 1, 0, 0}},
                        {"count_include_pad", std::int64_t{p.dice.flip()}}}));
}

void global_average_pool(Planned& p) {
  p.net.output(p.coded("GlobalAveragePool", {p.feed("x", {2, 3, 8, 8})}, "y", {-1, 1}));
}

void leaky_relu(Planned& p) {
  p.net.output(p.coded("LeakyRelu", {p.feed("x", {2, 50})}, "y", {-1, 2}, {{"alpha", 0.2F}}));
}

void sigmoid(Planned& p) {
  p.net.output(p.coded("Sigmoid", {p.feed("x", {2, 50})}, "y", {0, 1}));
}

void where(Planned& p) {
  p.inputs.emplace("which", random_integers({2, 3, 4}, p.dice.seed(), 0, 1, DType::boolean));
  p.net.input("which", {2, 3, 4}, DType::boolean);
  const Names from{"which", p.feed("a", {2, 3, 4}), p.feed("b", {2, 1, 4})};
  p.net.output(p.coded("Where", from, "y", {-3, 3}));
}

/// Between codes that mean the same numbers, the codes are clipped.
void relu_alone(Planned& p) {
  p.net.output(p.coded("Relu", {p.feed("x", {2, 50})}, "y", {-2, 2}));
}

/// There is no integer op that gives codes with other parameters.
void relu_to_another_range(Planned& p) {
  const std::string x = p.feed("x", {2, 50});
  p.net.output(p.codes(p.net.node("Relu", {x}, "y"), {0, 1.5F}, true));
}

// What moves codes

void shapes(Planned& p) {
  const Range range{-2, 2};
  std::string x = p.feed("x", {2, 4, 6, 6});
  x = p.coded("Transpose", {x}, "transposed", range,
              {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  x = p.coded("Reshape", {x, ints(p, "shape", {2, 1, 24, 6})}, "reshaped", range);
  x = p.coded("Squeeze", {x, ints(p, "axes", {1})}, "squeezed", range);
  x = p.coded("Unsqueeze", {x, ints(p, "new_axes", {3})}, "unsqueezed", range);
  p.net.output(p.coded("Flatten", {x}, "y", range));
}

void picks(Planned& p) {
  const Range range{-2, 2};
  std::string x = p.feed("x", {2, 4, 6, 6});
  x = p.coded("MaxPool", {x}, "pooled", range, {{"kernel_shape", std::vector<std::int64_t>{2, 2}}});
  x = p.coded("Slice", {x, ints(p, "from", {1}), ints(p, "to", {4}), ints(p, "axis", {2})},
              "sliced", range);
  x = p.coded("Gather", {x, ints(p, "which", {3, 0, 0, 2})}, "gathered", range,
              {{"axis", std::int64_t{1}}});
  x = p.coded("ReduceMax", {x}, "greatest", range, {{"axes", std::vector<std::int64_t>{2}}});
  p.net.output(p.coded("ReduceMin", {x}, "y", range, {{"axes", std::vector<std::int64_t>{3}}}));
}

void spreads(Planned& p) {
  const Range range{-2, 2};
  std::string x = p.feed("x", {2, 4, 2, 3});
  x = p.coded("DepthToSpace", {x}, "wide", range, {{"blocksize", std::int64_t{2}}});
  x = p.coded("SpaceToDepth", {x}, "deep", range, {{"blocksize", std::int64_t{2}}});
  x = p.coded("Tile", {x, ints(p, "times", {1, 1, 3, 1})}, "tiled", range);
  x = p.coded("Expand", {x, ints(p, "extents", {2, 2, 4, 6, 3})}, "expanded", range);
  x = p.coded("Reshape", {x, ints(p, "shape", {2, 8, 6, 3})}, "reshaped", range);
  p.net.weight("scales", Tensor::from<float>({4}, {1, 1, 2, 2}));
  p.net.output(p.coded("Resize", {x, "", "scales"}, "y", range));
}

void split(Planned& p) {
  const std::string x = p.feed("x", {2, 6, 3});
  p.net.node("Split", {x, ints(p, "parts", {1, 3, 2})}, "a", {{"axis", std::int64_t{1}}});
  p.net.last().outputs = {"a", "b", "unread"};
  p.net.output(p.codes("a", {-2, 2})).output(p.codes("b", {-2, 2}));
}

/// Interpolation of codes would round down.
void resize_between(Planned& p) {
  const std::string x = p.feed("x", {2, 2, 4, 4});
  p.net.weight("scales", Tensor::from<float>({4}, {1, 1, 2, 2}));
  p.net.output(
      p.coded("Resize", {x, "", "scales"}, "y", {-2, 2}, {{"mode", std::string("linear")}}));
}

struct Family {
  const char* name;
  void (*make)(Planned& planned);
  Names types;      ///< of all ops but those between floats and codes
  float steps = 0;  ///< of the outputs, that the two forms may differ by in ONNX Runtime
};

std::ostream& operator<<(std::ostream& out, const Family& family) {
  return out << family.name;
}

std::string family_name(const testing::TestParamInfo<Family>& info) {
  return info.param.name;
}

Names types_of(const Model& model) {
  Names types;
  for (const Node& node : model.graph.nodes) {
    if (node.kind != Kind::quantize && node.kind != Kind::dequantize) types.push_back(node.type);
  }
  return types;
}

/// The largest step between codes that a plan knows.
float largest_step(const Plan& plan) {
  float step = 0;
  for (const ActivationPlan& activation : plan.activations) {
    step = std::max(step, activation.params.scale);
  }
  return step;
}

void expect_near(const TensorMap& expected, const TensorMap& actual, float bound) {
  ASSERT_EQ(expected.size(), actual.size());
  for (const auto& [name, tensor] : expected) {
    const Tensor& other = actual.at(name);
    ASSERT_EQ(tensor.shape(), other.shape()) << name;
    const Tensor one = aligned(tensor), two = aligned(other);
    for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
      ASSERT_NEAR(one.data<float>()[i], two.data<float>()[i], bound) << name << " at " << i;
    }
  }
}

TensorMap run(const Model& model, const Batch& data) {
  return onnxruntime::open(model, nullptr, {}, {})->step(data).reference;
}

/// What the plan means, by the oracle's arithmetic; where it does not know an op, the float net.
TensorMap meant(const Model& qdq, const Model& reference, const Batch& data) {
  try {
    return oracle::open(qdq, nullptr, {}, {})->step(data).reference;
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(Errc::unsupported)) << error.what();
    return run(reference, data);
  }
}

void expect_same_results(Planned& planned, float steps) {
  const Model qdq = planned.written(QuantFormat::qdq);
  const Batch data = batch(0, planned.inputs);
  const TensorMap outputs = run(planned.written(QuantFormat::qoperator), data);
  const float step = largest_step(planned.plan);
  expect_near(run(qdq, data), outputs, steps * step);
  expect_near(meant(qdq, planned.net.model(), data), outputs, 1.01F * step);
}

class QOperator : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    const std::string missing = onnxruntime_missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }

  static void try_often(DType dtype) {
    for (unsigned seed = 0; seed < kOperatorTrials; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Planned planned(seed, dtype);
      GetParam().make(planned);
      EXPECT_EQ(types_of(planned.written(QuantFormat::qoperator)), GetParam().types);
      expect_same_results(planned, GetParam().steps);
      if (HasFailure()) return;
    }
  }
};

TEST_P(QOperator, GivesWhatPairsGiveOnUint8) {
  try_often(DType::uint8);
}

TEST_P(QOperator, GivesWhatPairsGiveOnInt8) {
  try_often(DType::int8);
}

// The runtime makes the same kernels of both forms, but where `steps` is not 0: there it computes
// the pairs in float.
constexpr float kRounding = 1e-4F;  // of float sums
constexpr float kOneStep = 1.01F;
INSTANTIATE_TEST_SUITE_P(
    Families, QOperator,
    testing::Values(
        Family{"conv", conv, {"QLinearConv"}},
        Family{"conv_of_one_scale", conv_of_one_scale, {"QLinearConv"}},
        Family{"conv_relu", conv_relu, {"QLinearConv"}},
        Family{"conv_clip", conv_clip, {"QLinearConv", "Clip"}, kOneStep},
        Family{"matmul", matmul, {"QLinearMatMul"}},
        Family{"matmul_columns", matmul_columns, {"QLinearMatMul"}},
        Family{"matmul_to_float", matmul_to_float, {"MatMulIntegerToFloat"}},
        Family{"matmul_bias", matmul_bias, {"MatMulIntegerToFloat"}, kOneStep},
        Family{"matrices_bias", matrices_bias, {"QGemm"}, kOneStep},
        Family{"matrices_row", matrices_row, {"QGemm"}, kOneStep},
        Family{"matmul_plus_number", matmul_plus_number, {"MatMulIntegerToFloat", "Add"}, kOneStep},
        Family{"gemm", gemm, {"QGemm"}},  //
        Family{"gemm_without_bias", gemm_without_bias, {"QGemm"}},
        Family{"gemm_to_float", gemm_to_float, {"QGemm", "Relu"}, kRounding},
        Family{"add_relu", add_relu, {"QLinearAdd"}},
        Family{"add_number", add_number, {"QLinearAdd"}},  //
        Family{"mul", mul, {"QLinearMul"}},
        Family{"concat", concat, {"QLinearSigmoid", "QLinearConcat"}},
        Family{"average_pool", average_pool, {"QLinearAveragePool"}, kOneStep},
        Family{"global_average_pool", global_average_pool, {"QLinearGlobalAveragePool"}},
        Family{"leaky_relu", leaky_relu, {"QLinearLeakyRelu"}},
        Family{"sigmoid", sigmoid, {"QLinearSigmoid"}}, Family{"where", where, {"QLinearWhere"}},
        Family{"relu_alone", relu_alone, {"Clip"}},
        Family{"relu_to_another_range", relu_to_another_range, {"Relu"}},
        Family{"shapes", shapes, {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten"}},
        Family{"picks", picks, {"MaxPool", "Slice", "Gather", "ReduceMax", "ReduceMin"}},
        Family{"spreads",
               spreads,
               {"DepthToSpace", "SpaceToDepth", "Tile", "Expand", "Reshape", "Resize"}},
        Family{"split", split, {"Split"}}, Family{"resize_between", resize_between, {"Resize"}}),
    family_name);

/// MaxPool and Clip take integers from opset 12 on.
TEST(QOperatorOnOldOperators, KeepsInFloatWhatTheyHaveNoIntegerFormOf) {
  const std::string missing = onnxruntime_missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  Planned planned(0, DType::uint8, 11);
  Net& net = planned.net;
  const std::string x = planned.feed("x", {2, 3, 6, 6});
  net.node("Conv", {x, planned.weight("c", 1, {4, 3, 3, 3}, {})}, "c");
  net.weight("zero", Tensor::scalar(0.0F));
  planned.coded("Clip", {"c", "zero"}, "clipped", {-2, 2});
  const Attributes square{{"kernel_shape", std::vector<std::int64_t>{2, 2}}};
  planned.coded("MaxPool", {"clipped"}, "pooled", {-2, 2}, square);
  net.output(planned.coded("GlobalAveragePool", {"pooled"}, "y", {-2, 2}));
  EXPECT_EQ(types_of(planned.written(QuantFormat::qoperator)),
            (Names{"Conv", "Clip", "MaxPool", "QLinearGlobalAveragePool"}));
  expect_same_results(planned, kOneStep);
}

}  // namespace
}  // namespace quantlens::contract
