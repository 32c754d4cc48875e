// SPDX-License-Identifier: Apache-2.0
// Kernels against numbers worked out by hand; contract/ compares them with ONNX Runtime at large.
#include "quantlens/runtime/oracle/kernels.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

using testing::ElementsAre;

using Attributes = std::map<std::string, Attribute>;
using Ints = std::vector<std::int64_t>;

Tensor floats(Shape shape, std::vector<float> values) {
  return Tensor::from<float>(std::move(shape), std::move(values));
}

Tensor ints(Shape shape, Ints values, DType dtype = DType::int64) {
  return from_integers(dtype, std::move(shape), values);
}

struct Case {
  std::string type;
  std::vector<Tensor> inputs;  ///< one of shape [0] and type string stands for an absent one
  Attributes attributes = {};
  std::int64_t opset = 17;
  std::string domain = {};
};

Tensor absent() {
  return Tensor::from_strings({0}, {});
}

Results all_of(const Case& test, std::size_t outputs = 1) {
  Node node;
  node.type = test.type;
  node.domain = test.domain;
  node.attributes = test.attributes;
  node.outputs.assign(outputs, "y");
  Call call{node, test.opset, {}};
  for (const Tensor& input : test.inputs) {
    call.inputs.push_back(input.dtype() == DType::string ? nullptr : &input);
  }
  const Kernel kernel = kernel_of(node);
  if (kernel == nullptr) throw std::runtime_error("no kernel for " + test.type);
  return kernel(call);
}

Tensor one_of(const Case& test) {
  return all_of(test).at(0);
}

std::vector<float> values(const Case& test) {
  const Tensor result = one_of(test);
  return {result.data<float>().begin(), result.data<float>().end()};
}

Ints codes(const Case& test) {
  return to_int64(one_of(test));
}

Errc refusal(const Case& test) {
  try {
    one_of(test);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << test.type << " was evaluated";
  return Errc::usage;
}

TEST(OracleConv, SlidesPadsAndStrides) {
  const Tensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor w = floats({1, 1, 2, 2}, {1, 0, 0, -1});
  EXPECT_THAT(values({"Conv", {x, w}}), ElementsAre(-4, -4, -4, -4));
  EXPECT_THAT(values({"Conv", {x, w, floats({1}, {10})}}), ElementsAre(6, 6, 6, 6));
  EXPECT_THAT(values({"Conv", {x, w}, {{"pads", Ints{1, 1, 0, 0}}, {"strides", Ints{2, 2}}}}),
              ElementsAre(-1, -3, -7, -4));
  EXPECT_THAT(values({"Conv", {x, w}, {{"dilations", Ints{2, 2}}}}), ElementsAre(-8));
  EXPECT_EQ(one_of({"Conv", {x, w}, {{"auto_pad", "SAME_UPPER"}}}).shape(), (Shape{1, 1, 3, 3}));
}

TEST(OracleConv, KeepsGroupsApartAndKnowsOneAndThreeAxes) {
  const Tensor x = floats({1, 2, 3}, {1, 2, 3, 10, 20, 30});
  const Tensor w = floats({2, 1, 2}, {1, 1, 1, -1});
  EXPECT_THAT(values({"Conv", {x, w}, {{"group", std::int64_t{2}}}}), ElementsAre(3, 5, -10, -10));
  const Tensor cube = floats({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(values({"Conv", {cube, floats({1, 1, 2, 2, 2}, std::vector<float>(8, 1))}}),
              ElementsAre(36));
}

TEST(OracleConv, SumsInDoubleAndRoundsOnce) {
  // 2^24 + 1 + 1 loses both ones when summed in float32.
  const Tensor x = floats({1, 3, 1}, {16777216, 1, 1});
  EXPECT_THAT(values({"Conv", {x, floats({1, 3, 1}, {1, 1, 1})}}), ElementsAre(16777218));
}

TEST(OracleMatMul, BroadcastsBatchesAndVectors) {
  const Tensor a = floats({2, 1, 2}, {1, 2, 3, 4});
  const Tensor b = floats({2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(values({"MatMul", {a, b}}), ElementsAre(201, 2010, 403, 4030));
  EXPECT_EQ(one_of({"MatMul", {floats({2}, {1, 2}), b}}).shape(), (Shape{2}));
  EXPECT_EQ(one_of({"MatMul", {floats({2}, {1, 2}), floats({2}, {3, 4})}}).shape(), Shape{});
  EXPECT_EQ(refusal({"MatMul", {a, floats({3, 2}, std::vector<float>(6))}}), Errc::bad_input);
}

TEST(OracleMatMul, GemmTurnsScalesAndAdds) {
  const Tensor a = floats({2, 1}, {1, 2});
  const Tensor b = floats({2, 2}, {1, 2, 3, 4});
  const Attributes both{
      {"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 2.0f}, {"beta", 3.0f}};
  EXPECT_THAT(values({"Gemm", {a, b, floats({2}, {1, 10})}, both}), ElementsAre(13, 52));
}

TEST(OracleElementwise, BroadcastsAndComputesIntegersExactly) {
  const Tensor a = floats({2, 1}, {1, 2});
  EXPECT_THAT(values({"Add", {a, floats({3}, {10, 20, 30})}}), ElementsAre(11, 21, 31, 12, 22, 32));
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(codes({"Mul", {ints({1}, {large}), ints({1}, {3})}}), ElementsAre(3 * large));
  EXPECT_THAT(codes({"Div", {ints({2}, {7, -7}), ints({1}, {2})}}), ElementsAre(3, -3));
  EXPECT_EQ(refusal({"Div", {ints({1}, {1}), ints({1}, {0})}}), Errc::bad_input);
  EXPECT_THAT(values({"Max", {a, floats({1}, {1.5f}), floats({1}, {0})}}), ElementsAre(1.5f, 2));
  EXPECT_THAT(values({"Pow", {a, floats({1}, {3})}}), ElementsAre(1, 8));
}

TEST(OracleElementwise, ClipReadsAttributesThenInputs) {
  const Tensor x = floats({4}, {-9, -1, 1, 9});
  EXPECT_THAT(values({"Clip", {x}, {{"min", -2.0f}, {"max", 3.0f}}, 6}), ElementsAre(-2, -1, 1, 3));
  EXPECT_THAT(values({"Clip", {x, absent(), Tensor::scalar(0.5f)}, {}, 13}),
              ElementsAre(-9, -1, 0.5f, 0.5f));
  EXPECT_THAT(codes({"Clip", {ints({3}, {-5, 0, 5}, DType::int8), ints({}, {-1}, DType::int8)}}),
              ElementsAre(-1, 0, 5));
}

TEST(OracleElementwise, ActivationsTakeTheirParameters) {
  const Tensor x = floats({3}, {-4, 0, 4});
  EXPECT_THAT(values({"LeakyRelu", {x}, {{"alpha", 0.25f}}}), ElementsAre(-1, 0, 4));
  EXPECT_THAT(values({"HardSigmoid", {x}, {{"alpha", 0.25f}, {"beta", 0.5f}}}),
              ElementsAre(0, 0.5f, 1));
  EXPECT_THAT(values({"HardSwish", {floats({3}, {-3, 0, 3})}}), ElementsAre(0, 0, 3));
  EXPECT_THAT(values({"Sigmoid", {floats({1}, {0})}}), ElementsAre(0.5f));
}

TEST(OraclePools, CountPaddingOnlyWhenAsked) {
  const Tensor x = floats({1, 1, 2, 2}, {4, 8, 12, 16});
  const Attributes padded{{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 0, 0}}};
  EXPECT_THAT(values({"AveragePool", {x}, padded}), ElementsAre(4, 6, 8, 10));
  Attributes counted = padded;
  counted["count_include_pad"] = std::int64_t{1};
  EXPECT_THAT(values({"AveragePool", {x}, counted}), ElementsAre(1, 3, 4, 10));
  EXPECT_THAT(values({"MaxPool", {x}, padded}), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(values({"GlobalAveragePool", {x}}), ElementsAre(10));
}

TEST(OraclePools, CeilModeAddsAWindowThatBeginsInside) {
  const Tensor x = floats({1, 1, 5}, {1, 2, 3, 4, 5});
  const Attributes floor{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}};
  EXPECT_THAT(values({"MaxPool", {x}, floor}), ElementsAre(2, 4));
  Attributes ceil = floor;
  ceil["ceil_mode"] = std::int64_t{1};
  EXPECT_THAT(values({"MaxPool", {x}, ceil}), ElementsAre(2, 4, 5));
}

TEST(OracleRows, SoftmaxMeansOneAxisSinceOpset13) {
  const Tensor x = floats({2, 2, 1}, {0, 0, 0, 0});
  EXPECT_THAT(values({"Softmax", {x}, {{"axis", std::int64_t{0}}}, 13}),
              ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(values({"Softmax", {x}, {{"axis", std::int64_t{0}}}, 11}),
              ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
}

TEST(OracleRows, NormalizationsUseTheirStatistics) {
  const Tensor x = floats({1, 2, 2}, {1, 3, 5, 5});
  const auto of = [](float a, float b) { return floats({2}, {a, b}); };
  EXPECT_THAT(
      values(
          {"BatchNormalization", {x, of(2, 1), of(1, 0), of(1, 5), of(4, 1)}, {{"epsilon", 0.0f}}}),
      ElementsAre(1, 3, 0, 0));
  EXPECT_THAT(values({"LayerNormalization", {x, of(1, 2), of(0, 1)}, {{"epsilon", 0.0f}}})[0], -1);
  EXPECT_THAT(values({"ReduceMean", {x}, {{"axes", Ints{2}}, {"keepdims", std::int64_t{0}}}}),
              ElementsAre(2, 5));
  EXPECT_THAT(values({"ReduceSum", {x, ints({1}, {-2})}}), ElementsAre(6, 8));
  EXPECT_THAT(codes({"ReduceSum", {ints({2}, {3, 4})}}), ElementsAre(7));
}

TEST(OracleShapes, FollowBothFormsOfTheirAxes) {
  const Tensor x = floats({1, 2, 1, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(one_of({"Reshape", {x, ints({3}, {0, -1, 2})}}).shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(one_of({"Squeeze", {x}, {{"axes", Ints{0}}}, 11}).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(one_of({"Squeeze", {x, ints({1}, {-2})}}).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(one_of({"Squeeze", {x}}).shape(), (Shape{2, 3}));
  EXPECT_EQ(one_of({"Unsqueeze", {x, ints({2}, {0, -1})}}).shape(), (Shape{1, 1, 2, 1, 3, 1}));
  EXPECT_EQ(one_of({"Flatten", {x}, {{"axis", std::int64_t{2}}}}).shape(), (Shape{2, 3}));
  EXPECT_THAT(codes({"Shape", {x}, {{"start", std::int64_t{1}}, {"end", std::int64_t{-1}}}}),
              ElementsAre(2, 1));
  EXPECT_EQ(refusal({"Reshape", {x, ints({1}, {4})}}), Errc::bad_input);
  EXPECT_EQ(refusal({"Squeeze", {x, ints({1}, {1})}}), Errc::bad_input);
}

TEST(OracleShapes, CastCutsTowardsZero) {
  EXPECT_THAT(codes({"Cast", {floats({3}, {-1.9f, 1.9f, 0})}, {{"to", std::int64_t{6}}}}),
              ElementsAre(-1, 1, 0));
  EXPECT_THAT(codes({"Cast", {floats({3}, {-1.9f, 0.1f, 0})}, {{"to", std::int64_t{9}}}}),
              ElementsAre(1, 1, 0));
  EXPECT_EQ(one_of({"Cast", {ints({1}, {3})}, {{"to", std::int64_t{10}}}}).dtype(), DType::float16);
}

TEST(OracleMoves, TransposeConcatSplitAndGather) {
  const Tensor x = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(values({"Transpose", {x}}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(values({"Concat", {x, floats({2, 1}, {9, 9})}, {{"axis", std::int64_t{1}}}}),
              ElementsAre(0, 1, 2, 9, 3, 4, 5, 9));
  const Results parts = all_of({"Split", {x, ints({2}, {1, 2})}, {{"axis", std::int64_t{-1}}}}, 2);
  EXPECT_THAT(to_int64(one_of({"Cast", {parts.at(1)}, {{"to", std::int64_t{7}}}})),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(values({"Gather", {x, ints({2}, {-1, 0})}, {{"axis", std::int64_t{1}}}}),
              ElementsAre(2, 0, 5, 3));
  EXPECT_EQ(refusal({"Gather", {x, ints({1}, {2})}}), Errc::bad_input);
}

TEST(OracleMoves, SliceRunsBackwardsAndClampsItsEnds) {
  const Tensor x = floats({5}, {0, 1, 2, 3, 4});
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto cut = [&](std::int64_t begin, std::int64_t end, std::int64_t step) {
    return values(
        {"Slice", {x, ints({1}, {begin}), ints({1}, {end}), ints({1}, {0}), ints({1}, {step})}});
  };
  EXPECT_THAT(cut(1, most, 2), ElementsAre(1, 3));
  EXPECT_THAT(cut(-1, least, -2), ElementsAre(4, 2, 0));
  EXPECT_THAT(cut(most, least, least), ElementsAre(4));
  EXPECT_THAT(cut(3, 1, 1), ElementsAre());
  EXPECT_EQ(refusal({"Slice", {x, ints({1}, {0}), ints({1}, {1}), ints({1}, {0}), ints({1}, {0})}}),
            Errc::bad_input);
  EXPECT_THAT(values({"Slice", {x}, {{"starts", Ints{-2}}, {"ends", Ints{5}}}, 9}),
              ElementsAre(3, 4));
}

TEST(OracleMoves, PadAddsAndRemoves) {
  const Tensor x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(values({"Pad", {x, ints({4}, {1, 0, 0, 1}), Tensor::scalar(7.0f)}}),
              ElementsAre(7, 7, 7, 1, 2, 7, 3, 4, 7));
  EXPECT_THAT(values({"Pad", {x, ints({4}, {-1, 0, 0, 0})}}), ElementsAre(3, 4));
  EXPECT_THAT(values({"Pad", {x}, {{"pads", Ints{0, 0, 0, 1}}, {"value", 5.0f}}, 10}),
              ElementsAre(1, 2, 5, 3, 4, 5));
}

TEST(OracleMoves, WhereAndExpandBroadcast) {
  const Tensor which = ints({2, 1}, {1, 0}, DType::boolean);
  EXPECT_THAT(values({"Where", {which, floats({2}, {1, 2}), Tensor::scalar(9.0f)}}),
              ElementsAre(1, 2, 9, 9));
  EXPECT_THAT(values({"Expand", {floats({2, 1}, {1, 2}), ints({2}, {1, 2})}}),
              ElementsAre(1, 1, 2, 2));
}

TEST(OracleCodes, QuantizeRoundsHalfToEvenAndSaturates) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = floats({7}, {0.25f, 0.75f, -0.25f, 1000, -1000, inf, -0.75f});
  const Tensor scale = Tensor::scalar(0.5f);
  EXPECT_THAT(codes({"QuantizeLinear", {x, scale, ints({}, {10}, DType::uint8)}}),
              ElementsAre(10, 12, 10, 255, 0, 255, 8));
  EXPECT_THAT(codes({"QuantizeLinear", {x, scale, ints({}, {-1}, DType::int8)}}),
              ElementsAre(-1, 1, -1, 127, -128, 127, -3));
}

TEST(OracleCodes, QuantizeAndDequantizeGoByAxis) {
  const Tensor x = floats({2, 2}, {1, 1, 2, 2});
  const Tensor scale = floats({2}, {1, 0.5f});
  const Tensor zero = ints({2}, {0, 4}, DType::int8);
  EXPECT_THAT(codes({"QuantizeLinear", {x, scale, zero}}), ElementsAre(1, 6, 2, 8));
  const Tensor codes_in = ints({2, 2}, {1, 6, 2, 8}, DType::int8);
  EXPECT_THAT(values({"DequantizeLinear", {codes_in, scale, zero}, {{"axis", std::int64_t{0}}}}),
              ElementsAre(1, 6, -1, 2));
  EXPECT_THAT(values({"DequantizeLinear", {ints({1}, {-7}, DType::int32), Tensor::scalar(0.5f)}}),
              ElementsAre(-3.5f));
}

TEST(OracleCodes, IntegerConvAddsBiasAndRequantizesPerChannel) {
  const Tensor x = ints({1, 1, 2}, {130, 126}, DType::uint8);  // 2, -2
  const Tensor w = ints({2, 1, 1}, {3, -5}, DType::int8);
  const auto scalar = [](float value) { return Tensor::scalar(value); };
  const auto code = [](std::int64_t value, DType dtype) { return ints({}, {value}, dtype); };
  // sums 6+1, -6+1 and -10+0, 10+0; times 0.5 * (0.25 | 1) / 0.25
  EXPECT_THAT(codes({"QLinearConv",
                     {x, scalar(0.5f), code(128, DType::uint8), w, floats({2}, {0.25f, 1}),
                      ints({2}, {0, 0}, DType::int8), scalar(0.25f), code(100, DType::uint8),
                      ints({2}, {1, 0}, DType::int32)}}),
              ElementsAre(104, 98, 80, 120));
  EXPECT_THAT(codes({"ConvInteger", {x, w, code(128, DType::uint8)}}), ElementsAre(6, -6, -10, 10));
}

TEST(OracleCodes, IntegerProductsRequantize) {
  const Tensor a = ints({1, 2}, {3, 1}, DType::uint8);
  const Tensor b = ints({2, 2}, {1, 2, 3, 4}, DType::int8);
  const Tensor one = Tensor::scalar(1.0f);
  const Tensor zero = ints({}, {0}, DType::uint8);
  const Tensor zero_b = ints({}, {0}, DType::int8);
  EXPECT_THAT(codes({"QLinearMatMul", {a, one, zero, b, one, zero_b, Tensor::scalar(4.0f), zero}}),
              ElementsAre(2, 2));  // 6 / 4 and 10 / 4, both halves
  EXPECT_THAT(codes({"MatMulInteger", {a, b, ints({}, {1}, DType::uint8)}}), ElementsAre(2, 4));
  EXPECT_THAT(values({"QGemm",
                      {a, one, zero, b, one, zero_b, ints({2}, {1, 1}, DType::int32)},
                      {{"alpha", 0.5f}},
                      1,
                      "com.microsoft"}),
              ElementsAre(3.5f, 5.5f));
}

TEST(OracleCodes, ElementwiseCodesAreRoundedOnce) {
  const auto code = [](const Ints& values) {
    return ints({static_cast<std::int64_t>(values.size())}, values, DType::uint8);
  };
  const Tensor half = Tensor::scalar(0.5f);
  const Tensor one = Tensor::scalar(1.0f);
  const Tensor zero = ints({}, {0}, DType::uint8);
  const Case add{"QLinearAdd",
                 {code({3, 4}), half, zero, code({1, 2}), one, zero, one, zero},
                 {},
                 1,
                 "com.microsoft"};
  EXPECT_THAT(codes(add), ElementsAre(2, 4));
  Case mul = add;
  mul.type = "QLinearMul";
  EXPECT_THAT(codes(mul), ElementsAre(2, 4));
  EXPECT_THAT(codes({"QLinearConcat",
                     {one, zero, code({3}), half, zero, code({7}), one, zero},
                     {{"axis", std::int64_t{0}}},
                     1,
                     "com.microsoft"}),
              ElementsAre(2, 7));
}

TEST(OracleKernels, WhatIsNotKnownIsRefusedNotGuessed) {
  Node node;
  node.type = "NonMaxSuppression";
  EXPECT_EQ(kernel_of(node), nullptr);
  node.type = "Conv";
  node.domain = "elsewhere";
  EXPECT_EQ(kernel_of(node), nullptr);
  EXPECT_EQ(refusal({"Pad", {floats({1}, {1}), ints({2}, {1, 1})}, {{"mode", "reflect"}}}),
            Errc::unsupported);
  EXPECT_EQ(refusal({"Expand", {floats({1}, {1}), ints({2}, {1 << 20, 1 << 20})}}),
            Errc::unsupported);
  EXPECT_EQ(refusal({"ConstantOfShape", {ints({2}, {std::int64_t{1} << 62, 8})}}), Errc::bad_input);
}

}  // namespace
}  // namespace quantlens::oracle
