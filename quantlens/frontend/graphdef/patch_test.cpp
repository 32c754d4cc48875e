// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/probe_models.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;

Node to_write(Kind kind, std::vector<std::string> inputs, const std::string& output) {
  Node node;
  node.name = "new/" + output;
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

/// z = concat(relu(x), x), of which the quantized one has codes.
Model joined(bool quantized) {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, 4}).node("y", "Relu", {"x"}, kOfFloats);
  const Attributes of_codes{{"T", type(kQuint8)}, {"mode", text("SCALED")}};
  if (quantized) {
    graph.constant("y/min", floats({}, {0})).constant("y/max", floats({}, {510}));
    graph.node("y/q", "QuantizeV2", {"y", "y/min", "y/max"}, of_codes);
    graph.node("y/dq", "Dequantize", {"y/q", "y/q:1", "y/q:2"}, of_codes);
  }
  graph.node("axis", "Const", {}, {{"value", tensor(integers({}, {1}))}, {"dtype", type(kInt32)}});
  graph.node("z", "ConcatV2", {quantized ? "y/dq" : "y", "x", "axis"},
             {{"T", type(kFloat)}, {"N", number(2)}, {"Tidx", type(kInt32)}});
  return graph.read();
}

Model patched(const Model& model, const Patch& patch) {
  MemoryStore store;
  write_patched(model, patch, store, "p.pb");
  return read("p.pb", store.read("p.pb"));
}

TEST(GraphDefPatch, AnOpOfTheOriginalComesWithTheConstantsThatItsRolesTell) {
  const Model reference = joined(false), quantized = joined(true);
  Patch patch;
  Node copy = maker(reference.graph, "z");
  EXPECT_EQ(copy.inputs.size(), 2U) << "the axis is a role";
  copy.name = "new/copy";
  copy.inputs = {"y", "x"};
  copy.outputs = {"new/value"};
  patch.nodes["z"] = {copy, to_write(Kind::max, {"new/value"}, "z")};
  patch.copies["new/copy"] = "z";
  patch.copied_from = &reference;
  const Model model = patched(quantized, patch);
  EXPECT_THAT(names_of(model.graph.outputs), ElementsAre("z"));
  const Node& identity = maker(model.graph, "z");
  EXPECT_EQ(identity.type, "Identity");
  const Node& made = maker(model.graph, identity.inputs.at(0));
  EXPECT_EQ(made.type, "ConcatV2");
  EXPECT_THAT(made.inputs, ElementsAre("y", "x"));
  EXPECT_EQ(axis_of(made), 1);
  EXPECT_THAT(types_of(model.graph.nodes), testing::Not(testing::Contains("QuantizeV2")))
      << "nobody reads those codes any more";
}

TEST(GraphDefPatch, CodesAreMadeAnewForThoseWhoReadThemAndTheirRange) {
  Patch patch;
  patch.weights = {{"s", Tensor::scalar(3.0F)},
                   {"zero", Tensor::scalar(std::uint8_t{0})},
                   {"factor", Tensor::from<float>({4}, {1, 2, 3, 4})}};
  patch.nodes["y/q"] = {to_write(Kind::mul, {"y", "factor"}, "new/product"),
                        to_write(Kind::quantize, {"new/product", "s", "zero"}, "y/q")};
  const Model model = patched(joined(true), patch);
  const Node& codes = maker(model.graph, "y/q");
  EXPECT_EQ(codes.kind, Kind::quantize);
  EXPECT_EQ(maker(model.graph, codes.inputs.at(0)).type, "Mul");
  EXPECT_EQ(model.graph.weights.at(scale_of(codes)).data<float>()[0], 3);
  const Node& floats = maker(model.graph, "y/dq");
  EXPECT_EQ(floats.kind, Kind::dequantize);
  EXPECT_EQ(model.graph.weights.at(scale_of(floats)).data<float>()[0], 3);
}

TEST(GraphDefPatch, WhatTensorFlowHasNoCodesForIsRefused) {
  Patch patch;
  patch.weights = {{"s", Tensor::scalar(3.0F)}, {"zero", Tensor::scalar(std::uint8_t{7})}};
  patch.nodes["y/q"] = {to_write(Kind::quantize, {"y", "s", "zero"}, "y/q")};
  EXPECT_THROW(patched(joined(true), patch), Error);
  Patch other;
  other.nodes["y/q:1"] = {to_write(Kind::max, {"y"}, "y/q:1")};
  EXPECT_THROW(patched(joined(true), other), Error);
}

TEST(GraphDefPatch, AStandInTakesTheInputsAndComputesNextToNothing) {
  const auto model = frontend::stand_in(joined(false));
  ASSERT_TRUE(model.has_value());
  EXPECT_THAT(names_of(model->graph.inputs), ElementsAre("x"));
  EXPECT_EQ(model->graph.inputs[0].dtype, DType::float32);
  EXPECT_THAT(names_of(model->graph.outputs), ElementsAre(frontend::kStandInValue));
}

}  // namespace
}  // namespace quantlens::graphdef
