// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

/// An op as it stands between two Convs.
struct Middle {
  std::string type;
  Kind kind = Kind::other;
  std::vector<std::string> inputs;
};

Model net(const Middle& middle) {
  SmallGraph made;
  made.input("x").weight("w", {2, 2, 1, 1}, {1, 2, 3, 5}).weight("v", {2, 2, 1, 1}, {7, 1, 2, 9});
  made.weight("f", {}, {3}).constant("one", Tensor::from<std::int64_t>({1}, {1}));
  made.constant("two", Tensor::from<std::int64_t>({1}, {2}));
  made.node(Kind::conv, {"x", "w"}, "a").node(Kind::conv, {"x", "v"}, "b");
  made.node(middle.kind, middle.inputs, "m").node(Kind::conv, {"m", "v"}, "y").output("y");
  Model model = made.model();
  for (Node& node : model.graph.nodes) {
    if (node.outputs.front() == "m") node.type = middle.type;
  }
  return model;
}

/// What is told of the op where `after` stands in place of `before`.
std::string told(const Middle& before, const Middle& after) {
  std::string all;
  for (const Change& change : pair(net(before), net(after)).changes)
    all += std::string(word(change.rule)) + " " + change.ops.front().name + ": " +
           said(change.reasons) + "\n";
  return all;
}

const Middle kSum{"Add", Kind::add, {"a", "b"}};

TEST(ReplacedOps, OfAnotherFunctionAreTold) {
  EXPECT_EQ(told(kSum, kSum), "");
  EXPECT_EQ(told(kSum, {"Max", Kind::max, {"a", "b"}}),
            "changed_op node_m: changed_op.replaced(type: \"Max\")\n");
  EXPECT_EQ(told({"Tanh", Kind::tanh, {"a"}}, {"Sigmoid", Kind::sigmoid, {"a"}}),
            "changed_op node_m: changed_op.replaced(type: \"Sigmoid\")\n");
  EXPECT_EQ(told({"MaxPool", Kind::max_pool, {"a"}}, {"AveragePool", Kind::average_pool, {"a"}}),
            "changed_op node_m: changed_op.replaced(type: \"AveragePool\")\n");
}

TEST(ReplacedOps, ThatAreWrittenForEachOtherAreNot) {
  EXPECT_EQ(told({"Relu", Kind::relu, {"a"}}, {"Clip", Kind::clip, {"a"}}), "");
  EXPECT_EQ(told({"Mul", Kind::mul, {"a", "f"}}, {"Div", Kind::div, {"a", "f"}}), "");
  EXPECT_EQ(told({"Gelu", Kind::gelu, {"a"}}, {"Mul", Kind::mul, {"a", "b"}}), "");
}

TEST(ReplacedOps, ThatPassOnOneOfTwoValuesAreLeftOut) {
  EXPECT_EQ(told(kSum, {"Identity", Kind::identity, {"a"}}), "changed_op node_m: left_out()\n");
}

TEST(ReplacedOps, OfTheSameTypeDifferInTheOrderOfInputsAndInBounds) {
  EXPECT_EQ(told({"Where", Kind::where, {"x", "a", "b"}}, {"Where", Kind::where, {"x", "b", "a"}}),
            "changed_op node_m: changed_op.another_input(op: \"node_a\")\n"
            "changed_op node_m: changed_op.another_input(op: \"node_b\")\n");
  EXPECT_EQ(told({"Slice", Kind::slice, {"a", "one", "two"}},
                 {"Slice", Kind::slice, {"a", "two", "two"}}),
            "changed_op node_m: changed_op.integers(input: 2, is: [2], was: [1])\n");
}

}  // namespace
}  // namespace quantlens
