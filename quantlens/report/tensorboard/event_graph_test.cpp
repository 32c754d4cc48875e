// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_graph.h"

#include <gtest/gtest.h>
#include <protozero/pbf_reader.hpp>

#include "quantlens/report/tensorboard/event_notes.h"

namespace quantlens {
namespace {

struct ReadNode {
  std::string op, device;
  std::vector<std::string> inputs;
  std::map<std::string, std::string> attributes;  ///< their AttrValue's bytes
};

std::map<std::string, ReadNode> nodes_of(const std::string& bytes) {
  std::map<std::string, ReadNode> nodes;
  protozero::pbf_reader graph(bytes);
  while (graph.next(1)) {
    protozero::pbf_reader node = graph.get_message();
    std::string name;
    ReadNode read;
    while (node.next()) {
      if (node.tag() == 1)
        name = node.get_string();
      else if (node.tag() == 2)
        read.op = node.get_string();
      else if (node.tag() == 3)
        read.inputs.push_back(node.get_string());
      else if (node.tag() == 4)
        read.device = node.get_string();
      else if (node.tag() == 5) {
        protozero::pbf_reader entry = node.get_message();
        std::string key;
        while (entry.next()) {
          if (entry.tag() == 1)
            key = entry.get_string();
          else
            read.attributes[key] = entry.get_string();
        }
      } else
        node.skip();
    }
    EXPECT_TRUE(nodes.emplace(name, read).second) << name;
  }
  return nodes;
}

GraphOutline small() {
  GraphOutline graph;
  graph.inputs = {{.name = "x", .dtype = "float32", .shape = "[N,3]"}};
  graph.weights = {{.name = "w", .dtype = "int8", .shape = "[3,4]"}};
  graph.values = {{.name = "y", .dtype = "float32", .shape = "[N,4]"}};
  OpOutline product;
  product.op = "y";
  product.name = "fc:MatMul";
  product.type = "MatMul";
  product.kind = Kind::matmul;
  product.inputs = {"x", "", "w"};
  product.outputs = {"y", "y2"};
  product.attributes = {{"alpha", "1.5"}};
  OpOutline branch;
  branch.op = "z";
  branch.name = "if";
  branch.type = "If";
  branch.inputs = {"y2"};
  branch.outputs = {"z"};
  OpOutline inner;
  inner.op = "z/t";
  inner.name = "Add";
  inner.type = "Add";
  inner.scope = "z";
  inner.inputs = {"y", "y2", "unknown"};
  inner.outputs = {"y"};  // of the body, which hides the one around it from what follows
  OpOutline last = inner;
  last.op = "z/u";
  last.name = "Neg";
  last.inputs = {"y"};
  last.outputs = {"u"};
  graph.ops = {product, branch, inner, last};
  return graph;
}

TEST(GraphDef, HasEveryOpInputAndWeightWithItsEdges) {
  const GraphOutline graph = small();
  const auto nodes = nodes_of(graph_def(graph, EventNames(graph), {}));
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes.at("x").op, "Placeholder");
  EXPECT_EQ(nodes.at("w").op, "Const");
  EXPECT_EQ(nodes.at("fc_MatMul").inputs, (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(nodes.at("if").inputs, (std::vector<std::string>{"fc_MatMul:1"}));
  EXPECT_EQ(nodes.at("if/Neg").inputs, (std::vector<std::string>{"if/Add"}));
  EXPECT_EQ(nodes.at("fc_MatMul").attributes.at("alpha"), std::string("\x12\x03") + "1.5");
  // list(1) { shape(7) { dim(2) { size: -1, name: "N" } dim { size: 3 } } }
  const std::string shape(
      "\x0A\x16\x3A\x14\x12\x0E\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
      "\x12\x01N\x12\x02\x08\x03",
      24);
  EXPECT_EQ(nodes.at("x").attributes.at("_output_shapes"), shape);
  EXPECT_EQ(nodes.at("w").attributes.at("dtype"), "\x30\x06");
}

TEST(GraphDef, ShowsWhatThePlanSays) {
  const GraphOutline graph = small();
  Plan plan;
  OpPlan op;
  op.op = {.id = "y", .name = "fc:MatMul"};
  op.precision = Precision::int8;
  op.form = OpForm::static_;
  plan.ops = {op};
  plan.activations = {{.value = "y", .scheme = {}, .params = {.scale = 0.5F, .zero_point = 3}}};
  const auto nodes = nodes_of(graph_def(graph, EventNames(graph), notes_of(plan, graph)));
  EXPECT_EQ(nodes.at("fc_MatMul").device, "int8");
  EXPECT_EQ(nodes.at("fc_MatMul").attributes.at("zero_point"), "\x18\x03");
  EXPECT_EQ(nodes.at("fc_MatMul").attributes.at("codes"), std::string("\x12\x05") + "uint8");
  EXPECT_EQ(nodes.at("if").device, "");
}

OpOutline op_of(std::string type, std::vector<std::string> inputs, const std::string& output) {
  OpOutline op;
  op.op = output;
  op.name = type + "_" + output;
  op.type = std::move(type);
  op.inputs = std::move(inputs);
  op.outputs = {output};
  return op;
}

TEST(GraphDef, ShowsWhatAllOpsOfAPatternAreComputedIn) {
  GraphOutline graph;
  graph.ops = {op_of("Conv", {"x"}, "other"), op_of("Conv", {"x"}, "conv"),
               op_of("Relu", {"conv"}, "relu"), op_of("QuantizeLinear", {"relu"}, "codes")};
  graph.ops.back().kind = Kind::quantize;
  ValuePair pair;
  pair.op = {.id = "conv before folding", .name = "Conv_conv"};
  pair.reference = "relu";
  pair.quantized = "codes";
  pair.precision = Precision::int8;
  pair.pattern = {"Conv", "BatchNormalization", "Relu"};  // the second is folded
  Pairing pairing;
  pairing.pairs = {pair};
  const auto nodes =
      nodes_of(graph_def(graph, EventNames(graph), notes_of(pairing, nullptr, graph)));
  for (const char* name : {"Conv_conv", "Relu_relu", "QuantizeLinear_codes"})
    EXPECT_EQ(nodes.at(name).device, "int8") << name;
  EXPECT_EQ(nodes.at("Conv_other").device, "");
  pairing.pairs[0].pattern = {"Relu"};
  const auto alone =
      nodes_of(graph_def(graph, EventNames(graph), notes_of(pairing, nullptr, graph)));
  EXPECT_EQ(alone.at("Conv_conv").device, "") << "it is no part of the pattern";
  pairing.pairs[0].pattern = {"Conv", "Relu"};
  pairing.pairs[0].op.name = "Conv_other";
  const auto elsewhere =
      nodes_of(graph_def(graph, EventNames(graph), notes_of(pairing, nullptr, graph)));
  EXPECT_EQ(elsewhere.at("Conv_conv").device, "");
}

}  // namespace
}  // namespace quantlens
