// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/stored_bias.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// The bias of the last op of a net.
std::vector<float> bias_of(const SmallGraph& net) {
  const Model model = net.model();
  const std::optional<Tensor> bias = stored_bias(GraphIndex(model.graph), model.graph.nodes.back());
  if (!bias) return {};
  const auto values = bias->data<float>();
  return {values.begin(), values.end()};
}

SmallGraph with_codes(std::vector<std::int32_t> codes) {
  SmallGraph net;
  const auto size = static_cast<std::int64_t>(codes.size());
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 1});
  net.constant("b_q", Tensor::from<std::int32_t>({size}, std::move(codes)));
  return net;
}

TEST(StoredBias, IsFloatsAsTheyAre) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 1}).weight("b", {2}, {3, 4});
  net.node(Kind::conv, {"x", "w", "b"}, "y").output("y");
  EXPECT_THAT(bias_of(net), ElementsAre(3, 4));
}

TEST(StoredBias, IsCodesInStepsOfTheDequantizeLinear) {
  SmallGraph net = with_codes({10, 20});
  net.weight("s", {2}, {0.5F, 0.25F}).node(Kind::dequantize, {"b_q", "s"}, "b");
  net.node(Kind::conv, {"x", "w", "b"}, "y").output("y");
  EXPECT_THAT(bias_of(net), ElementsAre(5, 5));
}

TEST(StoredBias, OfAnOpOnCodesIsInStepsOfDataAndWeight) {
  SmallGraph conv = with_codes({10, 20});
  conv.weight("xs", {}, {0.5F}).weight("ws", {2}, {1, 2}).weight("z", {}, {0});
  conv.node(Kind::qconv, {"x", "xs", "z", "w", "ws", "z", "xs", "z", "b_q"}, "y").output("y");
  EXPECT_THAT(bias_of(conv), ElementsAre(5, 20));
  SmallGraph gemm = with_codes({10, 20});
  gemm.weight("xs", {}, {0.5F}).weight("ws", {}, {2}).weight("z", {}, {0});
  gemm.node(Kind::qgemm, {"x", "xs", "z", "w", "ws", "z", "b_q", "xs", "z"}, "y").output("y");
  EXPECT_THAT(bias_of(gemm), ElementsAre(10, 20));
}

TEST(StoredBias, IsNoneWhereScalesDoNotFitOrThereIsNoBias) {
  SmallGraph odd = with_codes({10, 20, 30});
  odd.weight("xs", {}, {0.5F}).weight("ws", {2}, {1, 2}).weight("z", {}, {0});
  odd.node(Kind::qconv, {"x", "xs", "z", "w", "ws", "z", "xs", "z", "b_q"}, "y").output("y");
  EXPECT_THAT(bias_of(odd), ElementsAre());
  SmallGraph none;
  none.input("x").weight("w", {2, 1, 1, 1}, {1, 1});
  none.node(Kind::conv, {"x", "w"}, "y").output("y");
  EXPECT_THAT(bias_of(none), ElementsAre());
}

}  // namespace
}  // namespace quantlens
