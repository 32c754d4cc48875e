// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/check_plan.h"

#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/source.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::flow {
namespace {

using onnxruntime::info;
using onnxruntime::model_of;
using onnxruntime::op;

Node called(const std::string& name, Node node, const std::string& domain = "") {
  node.name = name;
  node.domain = domain;
  return node;
}

constexpr const char* kMicrosoft = "com.microsoft";

/// What our plans say of an op by itself.
OpPlan planned(const std::string& type, const std::string& id, bool integer) {
  return {.op = {.id = id, .name = id + "_node"},
          .type = type,
          .kind = onnx::kind_of("", type),
          .pattern = {type},
          .members = {id},
          .quantized = integer,
          .precision = integer ? Precision::int8 : Precision::fp32,
          .reason = integer ? "" : "kept"};
}

Graph graph_of(std::vector<Node> nodes) {
  Graph graph;
  graph.inputs = {info("x", DType::uint8, {1, 2, 4, 4})};
  graph.outputs = {info("y", DType::float32, {1, 2, 4, 4})};
  graph.weights.emplace("w", Tensor::from<float>({2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.weights.emplace("wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.weights.emplace("s", Tensor::scalar(0.1F));
  graph.weights.emplace("z", Tensor::from<std::uint8_t>({}, {0}));
  graph.weights.emplace("wz", Tensor::from<std::int8_t>({}, {0}));
  graph.nodes = std::move(nodes);
  return model_of(graph).graph;
}

/// DequantizeLinear -> Conv c (float weight) -> QuantizeLinear -> DequantizeLinear.
Graph float_conv() {
  return graph_of({op("DequantizeLinear", {"x", "s", "z"}, "d"), op("Conv", {"d", "w"}, "c"),
                   op("QuantizeLinear", {"c", "s", "z"}, "q"),
                   op("DequantizeLinear", {"q", "s", "z"}, "y")});
}

Graph integer_conv() {
  return graph_of(
      {called("c_node", op("QLinearConv", {"x", "s", "z", "wq", "s", "wz", "s", "z"}, "q")),
       op("DequantizeLinear", {"q", "s", "z"}, "y")});
}

std::vector<Deviation> deviations(const OpPlan& op, const Graph& file, const Graph& run) {
  Plan plan;
  plan.ops = {op};
  return check_plan(plan, file, run, capabilities_of("onnx"));
}

TEST(CheckPlan, FindsNothingWhereWhatIsPlannedRuns) {
  EXPECT_TRUE(deviations(planned("Conv", "c", false), float_conv(), float_conv()).empty());
  EXPECT_TRUE(deviations(planned("Conv", "c", true), float_conv(), integer_conv()).empty());
}

TEST(CheckPlan, FindsAFloatOpWhoseWeightTheRuntimeQuantized) {
  const auto found = deviations(planned("Conv", "c", false), float_conv(), integer_conv());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].runs, Runs::with_codes);
  EXPECT_EQ(found[0].kernel, "QLinearConv");
}

TEST(CheckPlan, FindsAFloatKernelThatMultipliesCodesOfTheRuntimes) {
  const Graph run = graph_of(
      {op("DequantizeLinear", {"x", "s", "z"}, "d"), op("DequantizeLinear", {"wq", "s", "wz"}, "v"),
       op("Conv", {"d", "v"}, "c"), op("QuantizeLinear", {"c", "s", "z"}, "q"),
       op("DequantizeLinear", {"q", "s", "z"}, "y")});
  const auto found = deviations(planned("Conv", "c", false), float_conv(), run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].runs, Runs::with_codes);
}

TEST(CheckPlan, FindsAnIntegerOpThatRunsInFloat) {
  const auto found = deviations(planned("Conv", "c", true), float_conv(), float_conv());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].runs, Runs::in_float);
  EXPECT_EQ(found[0].kernel, "Conv");
}

TEST(CheckPlan, FindsAFloatOpWithoutAWeightThatRunsOnCodes) {
  const Graph file = graph_of(
      {op("DequantizeLinear", {"x", "s", "z"}, "d"), op("Add", {"d", "d"}, "a"),
       op("QuantizeLinear", {"a", "s", "z"}, "q"), op("DequantizeLinear", {"q", "s", "z"}, "y")});
  const Graph run =
      graph_of({called("a_node", op("QLinearAdd", {"x", "s", "z", "x", "s", "z", "s", "z"}, "q"),
                       kMicrosoft),
                op("DequantizeLinear", {"q", "s", "z"}, "y")});
  const auto found = deviations(planned("Add", "a", false), file, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].runs, Runs::on_codes);
}

TEST(CheckPlan, TakesAnIntegerKernelThatGivesFloatsForWhatItIs) {
  const Graph file = graph_of({op("DequantizeLinear", {"x", "s", "z"}, "d"),
                               op("MatMul", {"d", "w"}, "m"), op("Relu", {"m"}, "y")});
  const Graph run =
      graph_of({called("m_node", op("MatMulIntegerToFloat", {"x", "wq", "s", "s", "z", "wz"}, "m"),
                       kMicrosoft),
                op("Relu", {"m"}, "y")});
  EXPECT_TRUE(deviations(planned("MatMul", "m", true), file, run).empty());
  EXPECT_TRUE(deviations(planned("Relu", "y", false), file, run).empty());
}

TEST(TellDeviations, HasThePlanSayWhatRunsAndNamesTheOps) {
  Plan plan;
  plan.ops = {planned("Conv", "c", false), planned("Gemm", "g", true), planned("Add", "a", false)};
  const std::vector<std::string> notes =
      tell_deviations({{.op = 0, .runs = Runs::with_codes, .kernel = "QLinearConv"},
                       {.op = 1, .runs = Runs::in_float, .kernel = "Gemm"},
                       {.op = 2, .runs = Runs::on_codes, .kernel = "QLinearAdd"}},
                      plan);
  EXPECT_EQ(plan.ops[0].precision, Precision::int8);
  EXPECT_EQ(plan.ops[1].precision, Precision::fp32);
  EXPECT_EQ(plan.ops[2].precision, Precision::int8);
  EXPECT_TRUE(plan.ops[0].reason.starts_with("kept; "));
  EXPECT_NE(plan.ops[1].reason.find("Gemm"), std::string::npos);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_NE(notes[0].find("c_node"), std::string::npos);
  EXPECT_NE(notes[1].find("g_node"), std::string::npos);
  EXPECT_NE(notes[2].find("a_node"), std::string::npos);
}

}  // namespace
}  // namespace quantlens::flow
