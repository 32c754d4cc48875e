// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/graphdef_constants.h"

#include <gmock/gmock.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens::oracle {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

constexpr std::uint64_t kMost = 1U << 20U;

Node other(const std::string& type, const std::string& input, const std::string& output) {
  return {.name = output,
          .type = type,
          .domain = {},
          .inputs = {input},
          .outputs = {output},
          .attributes = {},
          .subgraphs = {}};
}

TEST(GraphDefConstants, AreWhatAnUnfusedNormalizationComputes) {
  SmallGraph net;
  net.input("x")
      .weight("variance", {2}, {3, 15})
      .weight("epsilon", {}, {1})
      .weight("gamma", {2}, {2, 8});
  net.node(Kind::identity, {"variance"}, "read").node(Kind::add, {"read", "epsilon"}, "sum");
  Model model = net.model();
  model.graph.nodes.push_back(other("Rsqrt", "sum", "root"));
  model.graph.nodes.push_back(other("Square", "root", "square"));
  SmallGraph behind;
  behind.node(Kind::mul, {"root", "gamma"}, "factor").node(Kind::mul, {"x", "factor"}, "y");
  for (const Node& node : behind.graph().nodes) model.graph.nodes.push_back(node);
  const TensorMap constants = graphdef_constants(model, kMost);
  EXPECT_THAT(constants.at("read").data<float>(), ElementsAre(3, 15));
  EXPECT_THAT(constants.at("factor").data<float>(), ElementsAre(FloatEq(1), FloatEq(2)));
  EXPECT_THAT(constants.at("square").data<float>(), ElementsAre(FloatEq(0.25), FloatEq(0.0625)));
  EXPECT_FALSE(constants.contains("y"));
  EXPECT_FALSE(constants.contains("root[sqrt]")) << "a name of the translation";
}

TEST(GraphDefConstants, OfATransposeFollowItsOrder) {
  SmallGraph net;
  net.weight("w", {1, 2, 3}, {1, 2, 3, 4, 5, 6}).weight("order", {3}, {2, 0, 1});
  net.node(Kind::transpose, {"w", "order"}, "t")
      .set(&roles::Permutation::order, std::vector<std::int64_t>{2, 0, 1});
  EXPECT_THAT(graphdef_constants(net.model(), kMost).at("t").shape(), ElementsAre(3, 1, 2));
}

TEST(GraphDefConstants, OfABiasThatKerasReshapesAreItsNumbers) {
  SmallGraph net;
  net.weight("bias", {3}, {1, 2, 3})
      .constant("shape", Tensor::from<std::int32_t>({4}, {1, 1, 1, 3}))
      .node(Kind::reshape, {"bias", "shape"}, "r")
      .node(Kind::squeeze, {"r"}, "s");
  const TensorMap constants = graphdef_constants(net.model(), kMost);
  EXPECT_THAT(constants.at("r").shape(), ElementsAre(1, 1, 1, 3));
  EXPECT_THAT(constants.at("s").shape(), ElementsAre(3));
}

TEST(GraphDefConstants, AreNotMadeOfOpsThatMeanSomethingElse) {
  SmallGraph net;
  net.weight("w", {2}, {1, 2}).node(Kind::softmax, {"w"}, "y");
  EXPECT_TRUE(graphdef_constants(net.model(), kMost).empty());
}

}  // namespace
}  // namespace quantlens::oracle
