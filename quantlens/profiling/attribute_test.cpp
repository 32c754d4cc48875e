// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/attribute.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/frontend/frontend.h"
#include "quantlens/profiling/testing/profiled.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/testing_nets.h"

namespace quantlens {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(Attribute, AFusedNodeComputesAllOpsUpToItsResult) {
  const Graph file =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::relu, {"c"}, "r"),
                       node_of(Kind::max_pool, {"r"}, "y")});
  const Graph run =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "r"), node_of(Kind::max_pool, {"r"}, "y")});
  const auto attributed = attribute(run, file);
  EXPECT_EQ(attributed[0].ops, (Numbers{0, 1}));
  EXPECT_EQ(attributed[1].ops, (Numbers{2}));
}

TEST(Attribute, AnActivationGoesToItsProducerWhereTheReaderIsAnOpOfItsOwn) {
  const Graph file =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::relu, {"c"}, "r"),
                       node_of(Kind::max_pool, {"r"}, "y")});
  const Graph run = graph_of({"x"}, {named(node_of(Kind::conv, {"x", "w"}, "k"), "c_op_nchwc"),
                                     node_of(Kind::max_pool, {"k"}, "y")});
  EXPECT_EQ(attribute(run, file)[0].ops, (Numbers{0, 1}));
}

TEST(Attribute, AnIntegerKernelComputesTheOpBetweenItsQuantizers) {
  const Graph file =
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s", "z"}, "xq"),
                       node_of(Kind::dequantize, {"xq", "s", "z"}, "xd"),
                       node_of(Kind::dequantize, {"wq", "s", "z"}, "wd"),
                       node_of(Kind::conv, {"xd", "wd"}, "c"), node_of(Kind::relu, {"c"}, "r"),
                       node_of(Kind::quantize, {"r", "s", "z"}, "rq"),
                       node_of(Kind::dequantize, {"rq", "s", "z"}, "rd")});
  const Graph run = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s", "z"}, "xq"), node_of(Kind::qconv, {"xq"}, "rq"),
              node_of(Kind::dequantize, {"rq", "s", "z"}, "rd")});
  const auto attributed = attribute(run, file);
  EXPECT_EQ(attributed[0].role, NodeRole::quantize);
  EXPECT_EQ(attributed[1].ops, (Numbers{1, 3, 4, 5})) << "the weight's was computed while loading";
  EXPECT_EQ(attributed[2].role, NodeRole::dequantize);
  EXPECT_EQ(attributed[2].ops, (Numbers{6}));
}

TEST(Attribute, ANameEndsWhereAWordDoes) {
  const auto matmul = [](const std::string& name) {
    return named(node_of(Kind::matmul, {"x", "w"}, name + "_out"), name);
  };
  const Graph file = graph_of({"x"}, {matmul("MatMul_2"), matmul("MatMul_21")});
  const auto of = [&](const std::string& name) {
    return attribute(graph_of({"x"}, {named(node_of(Kind::matmul, {"x"}, "new"), name)}), file)[0]
        .ops;
  };
  EXPECT_EQ(of("MatMul_2_token_7"), (Numbers{0}));
  EXPECT_EQ(of("MatMul_21/MatMulAddFusion"), (Numbers{1}));
  EXPECT_EQ(of("MatMul_21_out_nchwc"), (Numbers{1})) << "by its result's name";
  EXPECT_EQ(of("MatMul_210"), Numbers());
  EXPECT_EQ(of("_"), Numbers());
  EXPECT_EQ(of(""), Numbers());
}

TEST(Attribute, WhatTheRuntimePutsInIsNoOp) {
  const Graph file =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::transpose, {"c"}, "t"),
                       node_of(Kind::cast, {"t"}, "y")});
  const Graph run = graph_of(
      {"x"},
      {typed(node_of(Kind::other, {"x"}, "reordered"), "ReorderInput",
             roles::Reorder{.into_blocks = true}),
       named(node_of(Kind::conv, {"reordered"}, "k"), "c_op_nchwc"),
       typed(node_of(Kind::other, {"k"}, "c"), "ReorderOutput", roles::Reorder{}),
       node_of(Kind::transpose, {"c"}, "t"), named(node_of(Kind::transpose, {"t"}, "t2"), ""),
       node_of(Kind::cast, {"t2"}, "y"), named(node_of(Kind::cast, {"y"}, "z"), "Inserted")});
  const auto attributed = attribute(run, file);
  std::vector<NodeRole> roles;
  for (const Attributed& node : attributed) roles.push_back(node.role);
  EXPECT_EQ(roles, (std::vector{NodeRole::reorder, NodeRole::op, NodeRole::reorder, NodeRole::op,
                                NodeRole::transpose, NodeRole::op, NodeRole::cast}));
  for (const std::size_t i : {0u, 2u, 4u, 6u}) EXPECT_EQ(attributed[i].ops, Numbers()) << i;
}

TEST(Attribute, AReorderIsNotTheOpWhoseResultItGivesOfWhateverKind) {
  const Graph file = graph_of({"x"}, {typed(node_of(Kind::other, {"x"}, "y"), "GlobalMaxPool")});
  const Graph run = graph_of(
      {"x"}, {named(typed(node_of(Kind::other, {"x"}, "k"), "GlobalMaxPool"), "y_op_nchwc"),
              typed(node_of(Kind::other, {"k"}, "y"), "ReorderOutput", roles::Reorder{})});
  const auto attributed = attribute(run, file);
  EXPECT_EQ(attributed[0].ops, (Numbers{0}));
  EXPECT_EQ(attributed[1].ops, Numbers());
}

TEST(Attribute, ANodeWithoutANameOfOursGetsTheOpsOfItsReader) {
  const Graph file = graph_of({"x"}, {node_of(Kind::gelu, {"x"}, "y")});
  const Graph run = graph_of(
      {"x"},
      {named(node_of(Kind::reshape, {"x"}, "a"), ""), named(node_of(Kind::reshape, {"a"}, "b"), ""),
       node_of(Kind::gelu, {"b"}, "y"), named(node_of(Kind::reshape, {"y"}, "c"), "")});
  for (const Attributed& node : attribute(run, file)) EXPECT_EQ(node.ops, (Numbers{0}));
}

TEST(Attribute, ABodyThatReadsWhatVariesVaries) {
  const Graph file = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "a"), control_flow("a", "b"),
                                      node_of(Kind::relu, {"b"}, "y")});
  const Graph run = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "y")});
  EXPECT_EQ(attribute(run, file)[0].ops, (Numbers{0, 1, 2}));
}

TEST(Attribute, WithoutInputsOnlyWhatRunsBelongsToANode) {
  const Graph file = graph_of({}, {node_of(Kind::other, {}, "a"), node_of(Kind::relu, {"a"}, "b"),
                                   node_of(Kind::relu, {"b"}, "y")});
  const Graph run = graph_of({}, {node_of(Kind::relu, {"a"}, "y")});
  EXPECT_EQ(attribute(run, file)[0].ops, (Numbers{2}));
  EXPECT_TRUE(attribute(Graph(), Graph()).empty());
  EXPECT_EQ(attribute(run, Graph())[0].ops, Numbers());
}

TEST(Attribute, NodesWithoutInputsOutputsOrNamesDoNoHarm) {
  Node nothing;
  Node absent = named(node_of(Kind::quantize, {"", ""}, ""), "");
  Node relu = node_of(Kind::relu, {}, "");
  relu.outputs = {"", "y"};
  const Graph graph = graph_of({"x", "x", ""}, {nothing, absent, relu, nothing, relu});
  EXPECT_EQ(attribute(graph, graph).size(), 5u);
  EXPECT_EQ(absorb(graph, std::vector<bool>(5)).size(), 5u);
}

/// (Two of one name are refused by the runtime.)
TEST(Attribute, OpsWithoutNamesKeepTheirOwnNodes) {
  if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  for (Graph graph : {onnxruntime::small_net(), onnxruntime::branching_net(),
                      onnxruntime::small_net_quantized()}) {
    for (Node& node : graph.nodes) node.name.clear();
    const Model model = onnxruntime::model_of(graph);
    const auto timed = open_timed(model, {.nodes = true});
    const auto attributed = attribute(timed->graph(), model.graph);
    std::set<std::size_t> convolutions;
    for (std::size_t i = 0; i < attributed.size(); ++i) {
      const Node& node = timed->graph().nodes[i];
      if (attributed[i].role != NodeRole::op) continue;
      EXPECT_FALSE(attributed[i].ops.empty()) << op_name(node);
      if (node.type != "Conv" && node.type != "QLinearConv") continue;
      for (const std::size_t op : attributed[i].ops) {
        if (model.graph.nodes[op].kind != Kind::conv) continue;
        EXPECT_TRUE(convolutions.insert(op).second) << op_name(node);
      }
    }
    EXPECT_EQ(convolutions.size(), 2u);
  }
}

/// Nodes of the file whose result depends on an input.
std::set<std::size_t> varying(const Graph& file) {
  std::set<std::string> values;
  for (const ValueInfo& input : file.inputs) values.insert(input.name);
  std::set<std::size_t> nodes;
  for (std::size_t i = 0; i < file.nodes.size(); ++i) {
    const auto is_known = [&](const std::string& name) { return values.contains(name); };
    if (!std::ranges::any_of(file.nodes[i].inputs, is_known) &&
        !std::ranges::any_of(captured_values(file.nodes[i]), is_known)) {
      continue;
    }
    nodes.insert(i);
    for (const std::string& output : file.nodes[i].outputs) {
      if (!output.empty()) values.insert(output);
    }
  }
  return nodes;
}

class AttributeRealModel : public testing::TestWithParam<const char*> {};

TEST_P(AttributeRealModel, EveryNodeHasOpsAndEveryOpANode) {
  const fs::path path = testdata() / GetParam();
  if (!fs::exists(path)) GTEST_SKIP() << path.filename() << " is not here";
  if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  const Model model = frontend::read(path);
  const auto timed = open_timed(model, {.nodes = true});
  const Graph& run = timed->graph();
  const auto attributed = attribute(run, model.graph);
  std::set<std::size_t> owned;
  for (std::size_t i = 0; i < attributed.size(); ++i) {
    owned.insert(attributed[i].ops.begin(), attributed[i].ops.end());
    if (attributed[i].role == NodeRole::op) {
      EXPECT_FALSE(attributed[i].ops.empty()) << op_name(run.nodes[i]) << " " << run.nodes[i].type;
    }
    EXPECT_TRUE(std::ranges::is_sorted(attributed[i].ops));
  }
  for (const std::size_t op : varying(model.graph)) {
    EXPECT_TRUE(owned.contains(op)) << op_name(model.graph.nodes[op]);
  }
}

INSTANTIATE_TEST_SUITE_P(OfTestdata, AttributeRealModel,
                         testing::Values("models/mobilenet_v1_0.75_224.onnx",
                                         "models/squeezenet1.1.onnx", "models/kwt1.onnx",
                                         "models/minilm_l6_v2.onnx", "models/magika_v3_3.onnx",
                                         "models/ppocr_cls.onnx", "models/silero_vad_16k_op15.onnx",
                                         "foreign/kwt1_nncf_qdq.onnx", "foreign/kwt1_ort_qdq.onnx",
                                         "foreign/mobilenet_v1_0.25_ort_qdq_per_tensor.onnx",
                                         "foreign/mobilenet_v1_0.75_quark_qdq.onnx",
                                         "foreign/squeezenet1.1_inc_qoperator.onnx",
                                         "foreign/squeezenet1.1_ort_qdq.onnx"),
                         [](const auto& tested) {
                           std::string name = fs::path(tested.param).stem().string();
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace quantlens
