// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/on_codes.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

std::optional<Precision> told(const Graph& graph, const std::string& op) {
  const GraphIndex index(graph);
  const Node& node = graph.nodes[index.producer(op).value()];
  return precision_on_codes(index, capabilities_of("onnx"), node, node);
}

TEST(OnCodes, AreWhatStandsBetweenCodesAndHasAnIntegerKernel) {
  for (const Kind kind : {Kind::relu, Kind::softmax, Kind::sqrt}) {
    SmallGraph net;
    net.input("x").weight("s", {}, {1}).constant("z", Tensor::scalar(std::uint8_t{0}));
    net.node(Kind::quantize, {"x", "s", "z"}, "q").node(Kind::dequantize, {"q", "s", "z"}, "d");
    net.node(kind, {"d"}, "y").node(Kind::quantize, {"y", "s", "z"}, "y_q").output("y_q");
    EXPECT_EQ(told(net.graph(), "q"), Precision::int8);
    EXPECT_EQ(told(net.graph(), "y").has_value(), kind != Kind::sqrt) << to_string(kind);
  }
}

TEST(OnCodes, AreNotWhatGivesFloats) {
  SmallGraph net;
  net.input("x").weight("s", {}, {1}).constant("z", Tensor::scalar(std::uint16_t{0}));
  net.node(Kind::quantize, {"x", "s", "z"}, "q").node(Kind::dequantize, {"q", "s", "z"}, "d");
  net.node(Kind::relu, {"d"}, "y").output("y").node(Kind::reshape, {"q", "s"}, "r").output("r");
  EXPECT_EQ(told(net.graph(), "q"), Precision::int16);
  EXPECT_EQ(told(net.graph(), "y"), std::nullopt);
  EXPECT_EQ(told(net.graph(), "r"), Precision::int16) << "it moves codes";
}

}  // namespace
}  // namespace quantlens
