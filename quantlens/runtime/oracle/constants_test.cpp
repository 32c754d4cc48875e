// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/constants.h"

#include <gmock/gmock.h>

namespace quantlens::oracle {
namespace {

using testing::ElementsAre;

Node node(const std::string& type, Kind kind, std::vector<std::string> inputs,
          const std::string& output, std::map<std::string, Attribute> attributes = {}) {
  return {.name = {},
          .type = type,
          .domain = {},
          .kind = kind,
          .inputs = std::move(inputs),
          .outputs = {output},
          .attributes = std::move(attributes),
          .subgraphs = {}};
}

Model model() {
  Model model{.format = "onnx"};
  model.opsets[""] = 13;
  model.graph.inputs = {{.name = "x", .dtype = DType::float32, .shape = {}}};
  model.graph.weights["w"] = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  return model;
}

std::vector<std::string> names(const TensorMap& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

TEST(ConstantValues, AreThoseThatReadersOfDataSee) {
  Model m = model();
  m.graph.nodes = {
      node("Transpose", Kind::transpose, {"w"}, "t"), node("Identity", Kind::identity, {"t"}, "i"),
      node("MatMul", Kind::matmul, {"x", "i"}, "y"), node("Identity", Kind::identity, {"y"}, "z")};
  const TensorMap constants = constant_values(m);
  ASSERT_THAT(names(constants), ElementsAre("i"));  // t is only read on the way
  EXPECT_THAT(constants.at("i").shape(), ElementsAre(3, 2));
  EXPECT_THAT(constants.at("i").data<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ConstantValues, OfAShapeAreFilled) {
  Model m = model();
  m.graph.weights["shape"] = Tensor::from<std::int64_t>({2}, {2, 2});
  m.graph.nodes = {node("ConstantOfShape", Kind::other, {"shape"}, "c",
                        {{"value", Tensor::from<float>({1}, {0.5F})}}),
                   node("MatMul", Kind::matmul, {"x", "c"}, "y")};
  const TensorMap constants = constant_values(m);
  EXPECT_THAT(constants.at("c").data<float>(), ElementsAre(0.5F, 0.5F, 0.5F, 0.5F));
}

TEST(ConstantValues, AreWhatNormalizationsOfWeightsCompute) {
  Model m = model();
  m.graph.weights["half"] = Tensor::scalar(-0.5F);
  m.graph.weights["floor"] = Tensor::scalar(0.25F);
  m.graph.weights["first"] = Tensor::from<std::int64_t>({1}, {0});
  const std::map<std::string, Attribute> rows{{"axes", std::vector<std::int64_t>{1}}};
  m.graph.nodes = {node("ReduceMean", Kind::reduce_mean, {"w"}, "mean", rows),
                   node("Max", Kind::max, {"mean", "floor"}, "bounded"),
                   node("Log", Kind::log, {"bounded"}, "log"),
                   node("Mul", Kind::mul, {"log", "half"}, "halved"),
                   node("Exp", Kind::exp, {"halved"}, "rsqrt"),
                   node("Gather", Kind::gather, {"rsqrt", "first"}, "row"),
                   node("Shape", Kind::shape_of, {"row"}, "shape"),
                   node("Expand", Kind::expand, {"mean", "shape"}, "same"),
                   node("Concat", Kind::concat, {"x", "rsqrt", "row", "same"}, "y")};
  const TensorMap constants = constant_values(m);
  ASSERT_THAT(names(constants), ElementsAre("row", "rsqrt", "same"));
  EXPECT_THAT(
      constants.at("rsqrt").data<float>(),
      ElementsAre(testing::FloatNear(0.70711F, 1e-5F), testing::FloatNear(0.44721F, 1e-5F)));
  EXPECT_THAT(constants.at("row").shape(), ElementsAre(1, 1));
}

TEST(ConstantValues, ThatWouldTakeTooMuchMemoryAreNotMade) {
  Model m = model();
  m.graph.weights["shape"] = Tensor::from<std::int64_t>({3}, {1 << 30, 1 << 30, 1 << 30});
  m.graph.weights["long"] = Tensor::from<float>({4}, {1, 2, 3, 4});
  m.graph.weights["high"] = Tensor::from<float>({4, 1}, {1, 2, 3, 4});
  m.graph.nodes = {node("ConstantOfShape", Kind::other, {"shape"}, "c"),
                   node("Expand", Kind::expand, {"w", "shape"}, "e"),
                   node("Add", Kind::add, {"long", "high"}, "a"),
                   node("Neg", Kind::neg, {"w"}, "n"),
                   node("Concat", Kind::concat, {"x", "c", "e", "a", "n"}, "y")};
  EXPECT_THAT(names(constant_values(m, 100)), ElementsAre("n"));
  EXPECT_THAT(names(constant_values(m)), ElementsAre("a", "n"));
}

TEST(ConstantValues, LeaveBrokenNodesAndCodesToTheRuntime) {
  Model m = model();
  m.graph.weights["codes"] = Tensor::from<std::int8_t>({2}, {1, 2});
  m.graph.weights["scale"] = Tensor::scalar(0.5F);
  m.graph.nodes = {
      node("Transpose", Kind::transpose, {"w"}, "t", {{"perm", std::vector<std::int64_t>{7, 9}}}),
      node("DequantizeLinear", Kind::dequantize, {"codes", "scale"}, "d"),
      node("Add", Kind::add, {"t", "d"}, "y")};
  EXPECT_THAT(names(constant_values(m)), ElementsAre());
}

}  // namespace
}  // namespace quantlens::oracle
