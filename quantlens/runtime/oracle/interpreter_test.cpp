// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/interpreter.h"

#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens::oracle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Node node(const std::string& type, std::vector<std::string> inputs,
          std::vector<std::string> outputs) {
  Node result;
  result.type = type;
  result.inputs = std::move(inputs);
  result.outputs = std::move(outputs);
  return result;
}

/// x -> Relu -> a -> Neg -> b -> Add(a, b) -> y
Model chain() {
  Model model;
  model.format = "onnx";
  model.opsets = {{"", 13}};
  model.graph.inputs = {{.name = "x"}};
  model.graph.outputs = {{.name = "y"}};
  model.graph.nodes = {node("Relu", {"x"}, {"a"}), node("Neg", {"a"}, {"b"}),
                       node("Add", {"a", "b"}, {"y"})};
  return model;
}

std::string refusal(const Model& model, Errc code) {
  try {
    const Interpreter interpreter(model);
    const std::vector<Tensor> inputs{Tensor::from<float>({2}, {1, -1})};
    interpreter.run(inputs, [](const std::string&, const Tensor&) {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "it was accepted";
}

TEST(Interpreter, ShowsEveryValueOnceAndFreesItAfterItsLastUse) {
  const Model model = chain();
  const Interpreter interpreter(model);
  std::vector<std::string> seen;
  std::map<std::string, std::weak_ptr<const void>> buffers;
  const std::vector<Tensor> inputs{Tensor::from<float>({2}, {1, -1})};
  const TensorMap outputs = interpreter.run(inputs, [&](const std::string& value, const Tensor& t) {
    seen.push_back(value);
    if (value != "x") buffers[value] = t.owner();
    if (value == "b") {
      EXPECT_FALSE(buffers.at("a").expired()) << "Add still reads it";
    }
  });
  EXPECT_THAT(seen, ElementsAre("x", "a", "b", "y"));
  EXPECT_THAT(outputs.at("y").data<float>(), ElementsAre(0, 0));
  EXPECT_TRUE(buffers.at("a").expired());
  EXPECT_TRUE(buffers.at("b").expired());
  EXPECT_FALSE(buffers.at("y").expired());
}

TEST(Interpreter, FreesAValueBeforeTheRunEnds) {
  Model model = chain();
  model.graph.nodes.push_back(node("Neg", {"y"}, {"z"}));
  model.graph.nodes.push_back(node("Neg", {"z"}, {"last"}));
  model.graph.outputs = {{.name = "last"}};
  const Interpreter interpreter(model);
  std::weak_ptr<const void> a;
  bool freed = false;
  const std::vector<Tensor> inputs{Tensor::from<float>({2}, {1, -1})};
  interpreter.run(inputs, [&](const std::string& value, const Tensor& tensor) {
    if (value == "a") a = tensor.owner();
    if (value == "z") freed = a.expired();
  });
  EXPECT_TRUE(freed);
}

TEST(Interpreter, NamesTheOpThatItDoesNotKnow) {
  Model model = chain();
  model.graph.nodes[1].type = "NonMaxSuppression";
  model.graph.nodes[1].name = "nms";
  EXPECT_THAT(refusal(model, Errc::unsupported), HasSubstr("node 'nms' (NonMaxSuppression)"));
  model.graph.nodes[1].type = "If";
  model.graph.nodes[1].subgraphs.emplace("then_branch", std::make_shared<Graph>());
  EXPECT_THAT(refusal(model, Errc::unsupported), HasSubstr("If"));
  EXPECT_FALSE(supports(model.graph.nodes[1]));
  EXPECT_TRUE(supports(model.graph.nodes[0]));
}

TEST(Interpreter, NamesTheNodeThatFails) {
  Model model = chain();
  model.graph.weights.emplace("w", Tensor::from<float>({3}, {1, 2, 3}));
  model.graph.nodes[2].inputs[1] = "w";
  EXPECT_THAT(refusal(model, Errc::bad_input), HasSubstr("node 'Add:y' (Add)"));
  model.graph.nodes[2].inputs.pop_back();
  EXPECT_THAT(refusal(model, Errc::bad_input), HasSubstr("input number 1 is missing"));
  model.graph.nodes[0].outputs.push_back("mask");
  EXPECT_THAT(refusal(model, Errc::unsupported), HasSubstr("output number 1"));
}

TEST(Interpreter, RefusesValuesThatNothingMakes) {
  Model model = chain();
  model.graph.nodes[1].inputs[0] = "nothing";
  EXPECT_THAT(refusal(model, Errc::bad_input), HasSubstr("'nothing'"));
  model = chain();
  model.graph.outputs = {{.name = "nothing"}};
  EXPECT_THAT(refusal(model, Errc::bad_input), HasSubstr("'nothing'"));
  model = chain();
  model.graph.nodes[1].inputs[0] = "sparse";
  model.graph.opaque_weights = {"sparse"};
  EXPECT_THAT(refusal(model, Errc::unsupported), HasSubstr("'sparse'"));
}

TEST(Interpreter, WeightsAndInputsMayBeOutputs) {
  Model model = chain();
  model.graph.weights.emplace("w", Tensor::from<float>({1}, {5}));
  model.graph.outputs = {{.name = "w"}, {.name = "x"}};
  const Interpreter interpreter(model);
  const std::vector<Tensor> inputs{Tensor::from<float>({2}, {1, -1})};
  const auto ignore = [](const std::string&, const Tensor&) {};
  for (int again = 0; again < 2; ++again) {
    const TensorMap outputs = interpreter.run(inputs, ignore);
    EXPECT_THAT(outputs.at("w").data<float>(), ElementsAre(5));
    EXPECT_THAT(outputs.at("x").data<float>(), ElementsAre(1, -1));
  }
}

}  // namespace
}  // namespace quantlens::oracle
