// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/space.h"

#include <gtest/gtest.h>

#include "quantlens/base/yaml.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

const Capabilities& kAble = capabilities_of("onnx");

TEST(Space, HoldsWhatIsAroundAnOp) {
  SmallGraph net;
  net.input("x");
  net.node(Kind::conv, {"x"}, "c").node(Kind::relu, {"c"}, "r").node(Kind::reshape, {"r"}, "s");
  net.node(Kind::add, {"s", "x"}, "a").node(Kind::conv, {"a"}, "c2").output("c2");
  Plan plan;
  for (const Node& node : net.model().graph.nodes) {
    plan.ops.push_back({.op = ref_of(node),
                        .type = node.type,
                        .kind = node.kind,
                        .pattern = {node.type},
                        .members = {op_id(node)},
                        .quantized = true});
  }
  const Space space = space_of(net.model().graph, kAble, plan, {});
  ASSERT_EQ(space.ops.size(), 5u);
  EXPECT_EQ(space.ops[1].around, (std::vector<std::size_t>{2, 3})) << "across what only moves";
  EXPECT_EQ(space.ops[4].around, (std::vector<std::size_t>{3}));
  EXPECT_EQ(space.types, (std::vector<std::string>{"conv", "relu", "reshape", "add"}));
  EXPECT_EQ(with_float({}, {&space.ops[0]}).op_name_dict.begin()->first, "node_c");
}

Plan all_in_int8(const Graph& graph) {
  Plan plan;
  for (const Node& node : graph.nodes) {
    plan.ops.push_back({.op = ref_of(node),
                        .type = node.type,
                        .kind = node.kind,
                        .pattern = {node.type},
                        .members = {op_id(node)},
                        .quantized = true,
                        .precision = Precision::int8});
  }
  return plan;
}

TEST(Space, OpsOfOneMakeHaveOneKernelAndAreFollowedByTheSame) {
  SmallGraph net;
  net.input("x");
  net.weight("w3", {4, 4, 3, 3}, std::vector<float>(144, 1));
  net.weight("w1", {4, 4, 1, 1}, std::vector<float>(16, 1));
  net.node(Kind::conv, {"x", "w3"}, "a").node(Kind::relu, {"a"}, "ar");
  net.node(Kind::conv, {"ar", "w1"}, "b").node(Kind::relu, {"b"}, "br");
  net.node(Kind::conv, {"br", "w3"}, "c").node(Kind::relu, {"c"}, "cr");
  net.node(Kind::conv, {"cr", "w3"}, "d").output("d");
  const Graph& graph = net.model().graph;
  const Space space = space_of(graph, kAble, all_in_int8(graph), {});
  ASSERT_EQ(space.ops.size(), 7u);
  EXPECT_EQ(space.ops[0].make, space.ops[4].make);
  EXPECT_NE(space.ops[0].make, space.ops[2].make) << "another kernel";
  EXPECT_NE(space.ops[0].make, space.ops[6].make) << "nothing follows";
}

TEST(Space, MultiplicationsAreInInt8WhereThePlanComputesThemSo) {
  SmallGraph net;
  net.input("x").node(Kind::conv, {"x"}, "a").node(Kind::conv, {"a"}, "b").output("b");
  const Graph& graph = net.model().graph;
  const MultiplyAdds counts{{"a", 100}, {"b", 11}, {"elsewhere", 5}};
  Plan plan = all_in_int8(graph);
  EXPECT_EQ(multiply_adds_quantized(plan, counts), 111u);
  plan.ops[0].precision = Precision::w4;  // stored in few bits, computed in float
  EXPECT_EQ(multiply_adds_quantized(plan, counts), 11u);
  plan.ops[1].quantized = false;
  EXPECT_EQ(multiply_adds_quantized(plan, counts), 0u);
  EXPECT_EQ(space_of(graph, kAble, all_in_int8(graph), {}, counts).ops[1].multiply_adds, 11u);
}

TEST(Space, ARemedySaysWhichOpsItHasInFloat) {
  SmallGraph net;
  net.input("x").node(Kind::conv, {"x"}, "a").node(Kind::add, {"a", "x"}, "b").output("b");
  const Graph& graph = net.model().graph;
  const Space space = space_of(graph, kAble, all_in_int8(graph), {});
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(ops_in_float(space, parse_yaml("{op_name_dict: {node_b: fp32}}", "")), Numbers{1});
  EXPECT_EQ(ops_in_float(space, parse_yaml("{op_type_dict: {\".*\": fp32}}", "")), (Numbers{0, 1}));
  EXPECT_EQ(ops_in_float(
                space, parse_yaml("{op_name_dict: {node_b: {activation: {algorithm: mse}}}}", "")),
            Numbers{});
  EXPECT_EQ(ops_in_float(space, parse_yaml("{op_nam_dict: 1}", "")), Numbers{});
  EXPECT_EQ(ops_in_float(space, json::Value()), Numbers{});
}

}  // namespace
}  // namespace quantlens
