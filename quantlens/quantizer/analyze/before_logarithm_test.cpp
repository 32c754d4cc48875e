// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/before_logarithm.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

std::set<std::string> kept(const SmallGraph& net) {
  std::set<std::string> ops;
  for (const auto& [number, reason] : find_before_logarithms(GraphIndex(net.graph()))) {
    EXPECT_NE(reason.find("logarithm (node_l"), std::string::npos) << reason;
    ops.insert(op_id(net.graph().nodes[number]));
  }
  return ops;
}

/// The power spectrum of x: its parts, their squares, the sum of these, its root.
SmallGraph spectrum() {
  SmallGraph net;
  net.input("x").weight("cos", {2, 2}, {1, -1, 1, 1}).weight("sin", {2, 2}, {-1, 1, 1, 1});
  net.node(Kind::matmul, {"x", "cos"}, "re").node(Kind::mul, {"re", "re"}, "re2");
  net.node(Kind::matmul, {"x", "sin"}, "im").node(Kind::mul, {"im", "im"}, "im2");
  net.node(Kind::add, {"re2", "im2"}, "power").node(Kind::sqrt, {"power"}, "magnitude");
  return net;
}

TEST(BeforeLogarithms, ASpectrumStaysFloatAndWhatComesBehindTheLogarithmDoesNot) {
  SmallGraph net = spectrum();
  net.weight("mel", {2, 2}, {1, 0, 0.5F, 1}).weight("floor", {}, {1e-6F});
  net.node(Kind::matmul, {"magnitude", "mel"}, "bands").node(Kind::max, {"bands", "floor"}, "m");
  net.node(Kind::log, {"m"}, "l").node(Kind::matmul, {"l", "cos"}, "cepstrum").output("cepstrum");
  EXPECT_EQ(kept(net),
            (std::set<std::string>{"re", "re2", "im", "im2", "power", "magnitude", "bands", "m"}));
}

TEST(BeforeLogarithms, ItEndsAtSumsOfBothSigns) {
  SmallGraph net = spectrum();
  net.node(Kind::matmul, {"magnitude", "cos"}, "bands").node(Kind::relu, {"bands"}, "r");
  net.weight("epsilon", {}, {1e-5F}).node(Kind::add, {"r", "epsilon"}, "a");
  net.node(Kind::log, {"a"}, "l").output("l");
  EXPECT_EQ(kept(net), (std::set<std::string>{"bands", "r", "a"}));
}

TEST(BeforeLogarithms, ASignalThatOnlyLinearOpsTransformStaysFloat) {
  SmallGraph net;
  net.input("x").weight("low", {1, 1, 2}, {0.5F, 0.5F}).weight("cos", {1, 1, 2}, {1, -1});
  net.node(Kind::conv, {"x", "low"}, "octave").node(Kind::pad, {"octave"}, "framed");
  net.node(Kind::conv, {"framed", "cos"}, "re").node(Kind::neg, {"re"}, "n");
  net.node(Kind::sub, {"n", "framed"}, "d").node(Kind::mul, {"d", "d"}, "d2");
  net.node(Kind::reduce_sum, {"d2"}, "power").node(Kind::log, {"power"}, "l").output("l");
  EXPECT_EQ(kept(net), (std::set<std::string>{"octave", "framed", "re", "n", "d", "d2", "power"}));
}

TEST(BeforeLogarithms, BehindAnActivationSumsOfBothSignsEndIt) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 2}, {1, -1});
  net.node(Kind::conv, {"x", "w"}, "c1").node(Kind::relu, {"c1"}, "r");
  net.node(Kind::conv, {"r", "w"}, "c2").node(Kind::conv, {"c2", "w"}, "c3");
  net.node(Kind::abs, {"c3"}, "a").node(Kind::log, {"a"}, "l").output("l");
  EXPECT_EQ(kept(net), (std::set<std::string>{"c3", "a"}));
}

TEST(BeforeLogarithms, ItEndsWhereRatiosDoNotCount) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1}, {1}).weight("one", {}, {1});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::add, {"m", "one"}, "a");
  net.node(Kind::log, {"a"}, "l").output("l");
  net.node(Kind::softmax, {"m"}, "s").node(Kind::log, {"s"}, "l2").output("l2");
  net.node(Kind::tanh, {"m"}, "t").node(Kind::add, {"t", "s"}, "b");
  net.node(Kind::log, {"b"}, "l3").output("l3");
  EXPECT_EQ(kept(net), (std::set<std::string>{"s"}));
}

}  // namespace
}  // namespace quantlens
