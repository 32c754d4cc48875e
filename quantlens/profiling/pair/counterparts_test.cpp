// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/counterparts.h"

#include <gtest/gtest.h>

#include "quantlens/profiling/testing/profiled.h"

namespace quantlens {
namespace {

using Found = std::vector<std::optional<std::size_t>>;

Pairing paired(const std::string& reference, const std::string& quantized) {
  Pairing pairing;
  pairing.pairs.push_back({.reference = reference, .quantized = quantized});
  return pairing;
}

TEST(Counterparts, AreFoundByResultPairingNameAndNeighbours) {
  const Graph reference =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::conv, {"c", "w"}, "d"),
                       named(node_of(Kind::softmax, {"d"}, "y"), "last")});
  const Graph quantized = graph_of(
      {"x"},
      {node_of(Kind::quantize, {"x", "s"}, "xq"), node_of(Kind::dequantize, {"xq"}, "xd"),
       node_of(Kind::conv, {"xd", "w"}, "c"), node_of(Kind::conv, {"c", "w"}, "other"),
       node_of(Kind::quantize, {"other", "s"}, "oq"), node_of(Kind::dequantize, {"oq"}, "od"),
       named(node_of(Kind::softmax, {"od"}, "z"), "last")});
  EXPECT_EQ(counterparts(reference, quantized, paired("d", "oq")), (Found{0, 0, 0, 1, 1, 2, 2}));
}

TEST(Counterparts, AQuantizerThatKeepsTheValuesNameIsNotTheOp) {
  const Graph reference =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::softmax, {"c"}, "y")});
  const Graph quantized =
      graph_of({"x"}, {named(node_of(Kind::conv, {"x", "w"}, "raw"), "c_op"),
                       named(node_of(Kind::quantize, {"raw", "s"}, "q"), "y_op"),
                       node_of(Kind::dequantize, {"q"}, "c"), node_of(Kind::softmax, {"c"}, "y")});
  EXPECT_EQ(counterparts(reference, quantized, {}), (Found{0, 0, 1, 1}));
}

TEST(Counterparts, ANameThatTwoOpsHaveSaysNothing) {
  const Graph reference = graph_of({"x"}, {named(node_of(Kind::relu, {"x"}, "a"), "same"),
                                           named(node_of(Kind::relu, {"a"}, "b"), "same"),
                                           named(node_of(Kind::relu, {"b"}, "c"), "")});
  const Graph quantized = graph_of({"x"}, {named(node_of(Kind::relu, {"x"}, "n"), "same"),
                                           named(node_of(Kind::relu, {"n"}, "m"), "")});
  EXPECT_EQ(counterparts(reference, quantized, {}), (Found{std::nullopt, std::nullopt}));
}

TEST(Counterparts, PairsOfValuesThatAreNotThereDoNoHarm) {
  const Graph reference = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "a")});
  const Graph quantized = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "b")});
  EXPECT_EQ(counterparts(reference, quantized, paired("nowhere", "nothing")), (Found(1)));
  EXPECT_EQ(counterparts(reference, quantized, paired("x", "x")), (Found(1)));
  EXPECT_EQ(counterparts(reference, quantized, paired("", "")), (Found(1)));
  EXPECT_TRUE(counterparts({}, {}, paired("a", "a")).empty());
}

TEST(Counterparts, AQuantizerWithoutInputsStandsForNothing) {
  const Graph reference = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "a")});
  const Graph quantized = graph_of({"x"}, {node_of(Kind::quantize, {}, "q")});
  EXPECT_EQ(counterparts(reference, quantized, paired("a", "q")), (Found(1)));
}

}  // namespace
}  // namespace quantlens
