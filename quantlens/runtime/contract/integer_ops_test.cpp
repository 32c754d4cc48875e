// SPDX-License-Identifier: Apache-2.0
// Integer ops. Sums of products agree exactly. Where a result is brought to a scale, the oracle
// rounds sum * scales in double and ONNX Runtime in float32, so a value that lies within float32's
// precision of the middle between two codes may fall to either: one code.
// Weights keep to 7 bits: without VNNI, ONNX Runtime's sums of pairs saturate at 16 bits.
#include <gtest/gtest.h>

#include "quantlens/runtime/contract/differential.h"

namespace quantlens::contract {
namespace {

constexpr Tolerance kExact{};
constexpr Tolerance kOneCode{.relative = 1e-5, .codes = 1};

std::string scalar(Trial& trial, const std::string& name, float value) {
  return trial.net.weight(name, Tensor::scalar(value));
}

/// Between which scales are drawn.
struct Scales {
  double low, high;
};

/// A random scale and zero point as two weights; gives their names.
Names coding(Trial& trial, const std::string& name, DType dtype, Dice& dice,
             Scales scales = {0.02, 0.2}) {
  const Tensor scale = random_floats({}, dice.seed(), scales.low, scales.high);
  trial.net.weight(name + "_scale", scale);
  trial.net.weight(name + "_zero", random_codes({}, dice.seed(), dtype));
  return {name + "_scale", name + "_zero"};
}

/// Zero points near the middle, so that results do not all saturate.
Names centred(Trial& trial, const std::string& name, DType dtype, Dice& dice, Scales scales) {
  const std::int64_t middle = dtype == DType::uint8 ? 128 : 0;
  trial.net.weight(name + "_scale", random_floats({}, dice.seed(), scales.low, scales.high));
  trial.net.weight(name + "_zero",
                   random_integers({}, dice.seed(), middle - 20, middle + 20, dtype));
  return {name + "_scale", name + "_zero"};
}

void append(Names& names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
}

Tensor narrow(const Shape& shape, Dice& dice, DType dtype) {
  return dtype == DType::int8 ? random_integers(shape, dice.seed(), -64, 63, dtype)
                              : random_integers(shape, dice.seed(), 0, 127, dtype);
}

Trial quantize(Dice& dice) {
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  Trial trial;
  trial.feed("x", {2, 3, 40}, dice, -9, 9);
  Names inputs{"x"};
  append(inputs, coding(trial, "x", dtype, dice));
  trial.net.output(trial.net.node("QuantizeLinear", inputs, "codes"));
  inputs[0] = "codes";
  trial.net.output(trial.net.node("DequantizeLinear", inputs, "back"));
  return trial;
}

Trial quantize_by_axis(Dice& dice) {
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  Trial trial;
  trial.feed("x", {2, 3, 4}, dice, -9, 9);
  const std::int64_t axis = dice.between(-2, 2);
  const Shape channels{Shape{2, 3, 4}[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)]};
  trial.net.weight("scale", random_floats(channels, dice.seed(), 0.02, 0.2));
  trial.net.weight("zero", random_codes(channels, dice.seed(), dtype));
  const Attributes attributes{{"axis", axis}};
  trial.net.output(trial.net.node("QuantizeLinear", {"x", "scale", "zero"}, "codes", attributes));
  trial.net.output(
      trial.net.node("DequantizeLinear", {"codes", "scale", "zero"}, "back", attributes));
  return trial;
}

Trial wide_codes(Dice& dice) {
  Trial trial{Net(21), {}};
  trial.feed("x", {2, 50}, dice, -9, 9);
  const DType dtype = dice.one_of<DType>({DType::int16, DType::uint16});
  Names inputs{"x"};
  append(inputs, coding(trial, "x", dtype, dice, {0.0002, 0.0005}));
  trial.net.output(trial.net.node("QuantizeLinear", inputs, "codes"));
  trial.net.weight("sums", random_integers({2, 50}, dice.seed(), -100000, 100000, DType::int32));
  scalar(trial, "sum_scale", 0.0013f);
  trial.net.node("DequantizeLinear", {"sums", "sum_scale"}, "bias");
  trial.net.output(trial.net.node("Add", {"x", "bias"}, "y"));
  return trial;
}

Trial dynamic_quantize(Dice& dice) {
  Trial trial;
  trial.feed("x", {2, 50}, dice, dice.flip() ? -3 : 1, 4);
  trial.net.node("DynamicQuantizeLinear", {"x"}, "codes");
  trial.net.last().outputs = {"codes", "scale", "zero"};
  trial.net.output("codes").output("scale").output("zero");
  return trial;
}

/// Shape of a weight, groups, and attributes of a 2-D convolution of 4 channels.
struct ConvForm {
  Shape weight;
  Attributes attributes;
};

ConvForm conv_form(Dice& dice) {
  const std::int64_t groups = dice.one_of<std::int64_t>({1, 2, 4});
  const std::int64_t out = dice.one_of<std::int64_t>({4, 8});
  return {{out, 4 / groups, dice.between(1, 3), dice.between(1, 3)},
          {{"group", groups}, {"strides", dice.several(2, 1, 2)}, {"pads", dice.several(4, 0, 1)}}};
}

Trial qlinear_conv(Dice& dice) {
  Trial trial;
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  const ConvForm form = conv_form(dice);
  trial.feed("x", random_codes({2, 4, 7, 8}, dice.seed(), dtype));
  Names inputs{"x"};
  append(inputs, centred(trial, "x", dtype, dice, {0.01, 0.03}));
  trial.net.weight("w", narrow(form.weight, dice, DType::int8));
  const Shape channels = dice.flip() ? Shape{form.weight[0]} : Shape{};
  trial.net.weight("w_scale", random_floats(channels, dice.seed(), 0.005, 0.02));
  trial.net.weight("w_zero", random_integers(channels, 0, 0, 0, DType::int8));
  append(inputs, {"w", "w_scale", "w_zero"});
  append(inputs, centred(trial, "y", dtype, dice, {0.02, 0.06}));
  if (dice.flip()) {
    inputs.push_back(trial.net.weight(
        "b", random_integers({form.weight[0]}, dice.seed(), -2000, 2000, DType::int32)));
  }
  trial.net.output(trial.net.node("QLinearConv", inputs, "y", form.attributes));
  return trial;
}

Trial conv_integer(Dice& dice) {
  Trial trial;
  const ConvForm form = conv_form(dice);
  trial.feed("x", random_codes({2, 4, 7, 8}, dice.seed(), DType::uint8));
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  trial.net.weight("w", narrow(form.weight, dice, dtype));
  Names inputs{"x", "w"};
  if (dice.flip()) {
    inputs.push_back(trial.net.weight("x_zero", random_codes({}, dice.seed(), DType::uint8)));
    if (dice.flip()) inputs.push_back(trial.net.weight("w_zero", narrow({}, dice, dtype)));
  }
  trial.net.output(trial.net.node("ConvInteger", inputs, "y", form.attributes));
  return trial;
}

Trial qlinear_matmul(Dice& dice) {
  Trial trial;
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  const auto [a, b] = dice.one_of<std::pair<Shape, Shape>>(
      {{{2, 3, 8}, {8, 5}}, {{2, 3, 8}, {2, 8, 5}}, {{2, 8}, {8, 5}}});
  trial.feed("a", random_codes(a, dice.seed(), dtype));
  Names inputs{"a"};
  append(inputs, centred(trial, "a", dtype, dice, {0.01, 0.03}));
  trial.net.weight("b", narrow(b, dice, DType::int8));
  const Shape columns = b.size() == 2 && dice.flip() ? Shape{5} : Shape{};
  trial.net.weight("b_scale", random_floats(columns, dice.seed(), 0.005, 0.02));
  trial.net.weight("b_zero", random_integers(columns, dice.seed(), -5, 5, DType::int8));
  append(inputs, {"b", "b_scale", "b_zero"});
  append(inputs, centred(trial, "y", dtype, dice, {0.02, 0.06}));
  trial.net.output(trial.net.node("QLinearMatMul", inputs, "y"));
  return trial;
}

Trial matmul_integer(Dice& dice) {
  Trial trial;
  trial.feed("a", random_codes({2, 3, 8}, dice.seed(), DType::uint8));
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  trial.net.weight("b", narrow({8, 5}, dice, dtype));
  Names inputs{"a", "b"};
  if (dice.flip()) {
    inputs.push_back(trial.net.weight("a_zero", random_codes({}, dice.seed(), DType::uint8)));
    const Shape columns = dice.flip() ? Shape{5} : Shape{};
    if (dice.flip()) inputs.push_back(trial.net.weight("b_zero", narrow(columns, dice, dtype)));
  }
  trial.net.output(trial.net.node("MatMulInteger", inputs, "y"));
  return trial;
}

Trial qgemm(Dice& dice) {
  Trial trial;
  const std::int64_t turn_a = dice.between(0, 1), turn_b = dice.between(0, 1);
  trial.feed("a", random_codes(turn_a != 0 ? Shape{8, 3} : Shape{3, 8}, dice.seed(), DType::uint8));
  Names inputs{"a"};
  append(inputs, centred(trial, "a", DType::uint8, dice, {0.01, 0.03}));
  trial.net.weight("b", narrow(turn_b != 0 ? Shape{5, 8} : Shape{8, 5}, dice, DType::int8));
  const Shape columns = dice.flip() ? Shape{5} : Shape{};
  trial.net.weight("b_scale", random_floats(columns, dice.seed(), 0.005, 0.02));
  trial.net.weight("b_zero", random_integers(columns, dice.seed(), -5, 5, DType::int8));
  append(inputs, {"b", "b_scale", "b_zero"});
  inputs.push_back(dice.flip() ? trial.net.weight("c", random_integers({5}, dice.seed(), -999, 999,
                                                                       DType::int32))
                               : "");
  if (dice.flip()) append(inputs, centred(trial, "y", DType::uint8, dice, {0.02, 0.06}));
  trial.net.output(trial.net.microsoft("QGemm", inputs, "y",
                                       {{"transA", turn_a}, {"transB", turn_b}, {"alpha", 0.75f}}));
  return trial;
}

Trial qlinear_elementwise(Dice& dice) {
  Trial trial;
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  const auto [a, b] = dice.one_of<std::pair<Shape, Shape>>(
      {{{2, 3, 40}, {2, 3, 40}}, {{2, 3, 4}, {4}}, {{2, 1, 4}, {3, 1}}});
  trial.feed("a", random_codes(a, dice.seed(), dtype));
  trial.net.weight("b", random_codes(b, dice.seed(), dtype));
  for (const char* type : {"QLinearAdd", "QLinearMul"}) {
    const std::string y = std::string("y") + type;
    Names inputs{"a"};
    append(inputs, centred(trial, y + "_a", dtype, dice, {0.02, 0.1}));
    inputs.emplace_back("b");
    append(inputs, centred(trial, y + "_b", dtype, dice, {0.02, 0.1}));
    append(inputs, centred(trial, y, dtype, dice, {0.05, 0.2}));
    trial.net.output(trial.net.microsoft(type, inputs, y));
  }
  return trial;
}

Trial qlinear_concat(Dice& dice) {
  Trial trial;
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  Names inputs = centred(trial, "y", dtype, dice, {0.05, 0.2});
  trial.feed("a", random_codes({2, 3, 20}, dice.seed(), dtype));
  trial.net.weight("b", random_codes({2, 2, 20}, dice.seed(), dtype));
  for (const char* name : {"a", "b"}) {
    inputs.emplace_back(name);
    append(inputs, centred(trial, name, dtype, dice, {0.05, 0.2}));
  }
  trial.net.output(trial.net.microsoft("QLinearConcat", inputs, "y", {{"axis", std::int64_t{1}}}));
  return trial;
}

Trial qlinear_pool(Dice& dice) {
  Trial trial;
  const DType dtype = dice.one_of<DType>({DType::int8, DType::uint8});
  trial.feed("x", random_codes({2, 3, 7, 8}, dice.seed(), dtype));
  Names inputs{"x"};
  append(inputs, centred(trial, "x", dtype, dice, {0.05, 0.1}));
  append(inputs, centred(trial, "y", dtype, dice, {0.05, 0.1}));
  trial.net.output(trial.net.microsoft("QLinearGlobalAveragePool", inputs, "all"));
  trial.net.output(trial.net.microsoft("QLinearAveragePool", inputs, "y",
                                       {{"kernel_shape", dice.several(2, 2, 3)},
                                        {"strides", dice.several(2, 1, 2)},
                                        {"pads", dice.several(4, 0, 1)},
                                        {"count_include_pad", dice.between(0, 1)}}));
  return trial;
}

Trial max_pool_of_codes(Dice& dice) {
  Trial trial;
  trial.feed("x", random_codes({2, 3, 9}, dice.seed(), dice.flip() ? DType::int8 : DType::uint8));
  trial.net.output(
      trial.net.node("MaxPool", {"x"}, "y",
                     {{"kernel_shape", dice.several(1, 2, 3)}, {"pads", dice.several(2, 0, 1)}}));
  return trial;
}

constexpr OpCase kIntegerCases[] = {
    {"Quantize", quantize, kExact},
    {"QuantizeByAxis", quantize_by_axis, kExact},
    {"WideCodes", wide_codes, kExact},
    {"DynamicQuantize", dynamic_quantize, kExact},
    {"QLinearConv", qlinear_conv, kOneCode},
    {"ConvInteger", conv_integer, kExact},
    {"QLinearMatMul", qlinear_matmul, kOneCode},
    {"MatMulInteger", matmul_integer, kExact},
    {"QGemm", qgemm, kOneCode},
    {"QLinearElementwise", qlinear_elementwise, kOneCode},
    {"QLinearConcat", qlinear_concat, kOneCode},
    {"QLinearPool", qlinear_pool, kOneCode},
    {"MaxPoolOfCodes", max_pool_of_codes, kExact},
};

class IntegerOps : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Oracle, IntegerOps, testing::ValuesIn(kIntegerCases), case_name);

TEST_P(IntegerOps, AgreeWithOnnxRuntime) {
  try_often(GetParam());
}

}  // namespace
}  // namespace quantlens::contract
