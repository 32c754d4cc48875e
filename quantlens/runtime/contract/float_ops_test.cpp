// SPDX-License-Identifier: Apache-2.0
// Float ops: the oracle sums in double and rounds once, ONNX Runtime sums in float32, so they may
// lie 1e-5 of the largest magnitude apart.
#include <gtest/gtest.h>

#include "quantlens/runtime/contract/differential.h"

namespace quantlens::contract {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr Tolerance kFloat{.relative = 1e-5};

/// Extents of `rank` spatial axes that any kernel below fits into.
Shape image(std::int64_t batch, std::int64_t channels, std::size_t rank, Dice& dice) {
  Shape shape{batch, channels};
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(dice.between(7, 9));
  return shape;
}

Attributes sliding(std::size_t rank, Dice& dice, bool dilated = true) {
  Attributes attributes{{"strides", dice.several(rank, 1, 2)}};
  if (dilated) attributes.emplace("dilations", dice.several(rank, 1, 2));
  const std::string padding =
      dice.one_of<std::string>({"", "", "SAME_UPPER", "SAME_LOWER", "VALID"});
  if (!padding.empty()) {
    attributes.emplace("auto_pad", padding);
    attributes.erase("dilations");
  } else {
    attributes.emplace("pads", dice.several(2 * rank, 0, 1));
  }
  return attributes;
}

Trial conv(Dice& dice) {
  Trial trial;
  const auto rank = static_cast<std::size_t>(dice.between(1, 3));
  const auto [groups, in, out] =
      dice.one_of<std::array<std::int64_t, 3>>({{1, 3, 5}, {2, 2, 3}, {4, 1, 1}, {4, 1, 2}});
  Shape w{groups * out, in};
  for (std::size_t i = 0; i < rank; ++i) w.push_back(dice.between(1, 3));
  Attributes attributes = sliding(rank, dice);
  attributes.emplace("group", groups);
  trial.feed("x", image(2, groups * in, rank, dice), dice);
  trial.net.weight("w", random_floats(w, dice.seed()));
  Names inputs{"x", "w"};
  if (dice.flip()) inputs.push_back(trial.net.weight("b", random_floats({w[0]}, dice.seed())));
  trial.net.output(trial.net.node("Conv", inputs, "y", attributes));
  return trial;
}

Trial matmul(Dice& dice) {
  Trial trial;
  const auto [a, b] = dice.one_of<std::pair<Shape, Shape>>({{{2, 3, 4}, {4, 5}},
                                                            {{2, 3, 4}, {2, 4, 5}},
                                                            {{2, 1, 3, 4}, {5, 4, 2}},
                                                            {{2, 4}, {4}},
                                                            {{2, 4}, {4, 6}}});
  trial.feed("a", a, dice);
  trial.net.weight("b", random_floats(b, dice.seed()));
  trial.net.output(trial.net.node("MatMul", {"a", "b"}, "y"));
  return trial;
}

Trial gemm(Dice& dice) {
  Trial trial;
  const std::int64_t turn_a = dice.between(0, 1), turn_b = dice.between(0, 1);
  trial.feed("a", turn_a != 0 ? Shape{4, 3} : Shape{3, 4}, dice);
  trial.net.weight("b", random_floats(turn_b != 0 ? Shape{5, 4} : Shape{4, 5}, dice.seed()));
  Names inputs{"a", "b"};
  const Shape c = dice.one_of<Shape>({{5}, {3, 1}, {3, 5}, {}});
  if (dice.flip()) inputs.push_back(trial.net.weight("c", random_floats(c, dice.seed())));
  trial.net.output(
      trial.net.node("Gemm", inputs, "y",
                     {{"transA", turn_a}, {"transB", turn_b}, {"alpha", 0.75f}, {"beta", 1.5f}}));
  return trial;
}

Trial binary(Dice& dice) {
  Trial trial;
  const auto [a, b] = dice.one_of<std::pair<Shape, Shape>>(
      {{{2, 3, 4}, {2, 3, 4}}, {{2, 3, 4}, {4}}, {{2, 1, 4}, {3, 1}}, {{2}, {3, 2, 1}}});
  const std::string type = dice.one_of<std::string>({"Add", "Sub", "Mul", "Div", "Pow"});
  trial.feed("a", a, dice, type == "Pow" ? 0.1 : -2, 2);
  trial.net.weight("b", random_floats(b, dice.seed(), type == "Div" ? 0.5 : -2, 2));
  trial.net.output(trial.net.node(type, {"a", "b"}, "y"));
  return trial;
}

Trial min_max(Dice& dice) {
  Trial trial;
  trial.feed("a", {2, 3}, dice);
  trial.net.weight("b", random_floats({3}, dice.seed()));
  trial.net.weight("c", random_floats({2, 1}, dice.seed()));
  const std::string type = dice.flip() ? "Min" : "Max";
  trial.net.output(trial.net.node(type, {"a", "b", "c"}, "y"));
  return trial;
}

Trial unary(Dice& dice) {
  Trial trial{Net(14), {}};
  const std::string type = dice.one_of<std::string>(
      {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Erf", "Sqrt", "Exp",
       "Log", "Neg", "Abs", "Reciprocal", "Identity", "Dropout"});
  const bool positive = type == "Sqrt" || type == "Log" || type == "Reciprocal";
  trial.feed("x", {2, 3, 50}, dice, positive ? 0.2 : -5, 5);
  Attributes attributes;
  if (type == "LeakyRelu" || type == "HardSigmoid") attributes.emplace("alpha", 0.15f);
  if (type == "HardSigmoid") attributes.emplace("beta", 0.4f);
  trial.net.output(trial.net.node(type, {"x"}, "y", attributes));
  return trial;
}

Trial gelu(Dice& dice) {
  Trial trial{Net(20), {}};
  trial.feed("x", {2, 50}, dice, -5, 5);
  const std::string form = dice.flip() ? "none" : "tanh";
  trial.net.output(trial.net.node("Gelu", {"x"}, "y", {{"approximate", form}}));
  trial.net.output(trial.net.microsoft("Gelu", {"x"}, "z"));
  return trial;
}

Trial clip(Dice& dice) {
  const bool old = dice.flip();
  Trial trial{Net(old ? 10 : 13), {}};
  trial.feed("x", {2, 40}, dice);
  if (old) {
    trial.net.node("Clip", {"x"}, "y", {{"min", -0.5f}, {"max", 1.25f}});
  } else {
    const std::string low = trial.net.weight("low", Tensor::scalar(-0.5f));
    const std::string high = trial.net.weight("high", Tensor::scalar(1.25f));
    trial.net.node("Clip", {"x", dice.flip() ? low : "", dice.flip() ? high : ""}, "y");
  }
  trial.net.output("y");
  return trial;
}

Trial pool(Dice& dice) {
  const std::string type = dice.flip() ? "MaxPool" : "AveragePool";
  const std::int64_t opset = dice.one_of<std::int64_t>({11, 13, 19});
  Trial trial{Net(opset), {}};
  const auto rank = static_cast<std::size_t>(dice.between(1, 3));
  Attributes attributes = sliding(rank, dice, type == "MaxPool" || opset >= 19);
  attributes.emplace("kernel_shape", dice.several(rank, 2, 3));
  if (type == "AveragePool") attributes.emplace("count_include_pad", dice.between(0, 1));
  attributes.emplace("ceil_mode", dice.between(0, 1));
  trial.feed("x", image(2, 3, rank, dice), dice);
  trial.net.output(trial.net.node(type, {"x"}, "y", attributes));
  return trial;
}

Trial global_pool(Dice& dice) {
  Trial trial;
  trial.feed("x", image(2, 3, static_cast<std::size_t>(dice.between(1, 3)), dice), dice);
  trial.net.output(trial.net.node(dice.flip() ? "GlobalAveragePool" : "GlobalMaxPool", {"x"}, "y"));
  return trial;
}

Trial softmax(Dice& dice) {
  Trial trial{Net(dice.one_of<std::int64_t>({11, 13})), {}};
  trial.feed("x", {2, 3, 4}, dice, -8, 8);
  trial.net.output(trial.net.node("Softmax", {"x"}, "y", {{"axis", dice.between(-3, 2)}}));
  return trial;
}

Trial batch_norm(Dice& dice) {
  Trial trial;
  trial.feed("x", image(2, 3, 2, dice), dice);
  for (const char* name : {"scale", "bias", "mean", "variance"}) {
    trial.net.weight(name, random_floats({3}, dice.seed(), 0.5, 2));
  }
  trial.net.output(trial.net.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"},
                                  "y", {{"epsilon", 0.001f}}));
  return trial;
}

Trial layer_norm(Dice& dice) {
  Trial trial{Net(17), {}};
  const std::int64_t axis = dice.one_of<std::int64_t>({-1, -2, 1});
  trial.feed("x", {2, 3, 8}, dice);
  const Shape inner = axis == -1 ? Shape{8} : Shape{3, 8};
  trial.net.weight("scale", random_floats(inner, dice.seed()));
  trial.net.weight("bias", random_floats(inner, dice.seed()));
  Names inputs{"x", "scale"};
  if (dice.flip()) inputs.push_back("bias");
  trial.net.output(trial.net.node("LayerNormalization", inputs, "y", {{"axis", axis}}));
  return trial;
}

Trial reduce(Dice& dice) {
  const std::string type =
      dice.one_of<std::string>({"ReduceMean", "ReduceSum", "ReduceL2", "ReduceMax", "ReduceMin"});
  const std::int64_t opset = dice.one_of<std::int64_t>({11, 13, 18});
  Trial trial{Net(opset), {}};
  trial.feed("x", {2, 3, 4}, dice);
  const Ints axes = dice.one_of<Ints>({{1}, {-1}, {1, 2}, {0, 2}, {-3, -2, -1}});
  Attributes attributes{{"keepdims", dice.between(0, 1)}};
  Names inputs{"x"};
  if (opset >= (type == "ReduceSum" ? 13 : 18)) {
    const auto count = static_cast<std::int64_t>(axes.size());
    if (dice.flip())
      inputs.push_back(trial.net.weight("axes", Tensor::from<std::int64_t>({count}, axes)));
  } else {
    attributes.emplace("axes", axes);
  }
  trial.net.output(trial.net.node(type, inputs, "y", attributes));
  return trial;
}

constexpr OpCase kCases[] = {
    {"Conv", conv, kFloat},
    {"MatMul", matmul, kFloat},
    {"Gemm", gemm, kFloat},
    {"Binary", binary, kFloat},
    {"MinMax", min_max, {}},
    {"Unary", unary, kFloat},
    {"Gelu", gelu, kFloat},
    {"Clip", clip, {}},
    {"Pool", pool, kFloat},
    {"GlobalPool", global_pool, kFloat},
    {"Softmax", softmax, kFloat},
    {"BatchNormalization", batch_norm, kFloat},
    {"LayerNormalization", layer_norm, kFloat},
    {"Reduce", reduce, kFloat},
};

class FloatOps : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Oracle, FloatOps, testing::ValuesIn(kCases), case_name);

TEST_P(FloatOps, AgreeWithOnnxRuntime) {
  try_often(GetParam());
}

}  // namespace
}  // namespace quantlens::contract
