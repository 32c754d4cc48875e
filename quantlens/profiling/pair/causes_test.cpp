// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/causes.h"

#include <gtest/gtest.h>

#include "quantlens/profiling/testing/profiled.h"

namespace quantlens {
namespace {

using Numbers = std::vector<std::size_t>;

/// Of a run whose file is itself but for reorders.
std::vector<Numbers> causes_in(const Graph& run) {
  std::vector<Attributed> attributed = attribute(run, run);
  return causes(run, attributed);
}

TEST(Causes, AQuantizerIsThereForTheIntegerOpsThatReadItsCodes) {
  const Graph run =
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::qconv, {"q"}, "a"),
                       node_of(Kind::qmatmul, {"q"}, "b")});
  EXPECT_EQ(causes_in(run), (std::vector<Numbers>{{1, 2}, {1}, {2}}));
}

TEST(Causes, AQuantizersCodesAreSoughtThroughWhatMovesThem) {
  const Graph run = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::transpose, {"q"}, "t"),
              node_of(Kind::reshape, {"t", "shape"}, "r"), node_of(Kind::qconv, {"r"}, "a")});
  EXPECT_EQ(causes_in(run)[0], (Numbers{3}));
}

TEST(Causes, AFloatOpThatReadsTheSameCodesIsNotChargedTheirQuantizer) {
  const Graph run =
      graph_of({"x"}, {node_of(Kind::softmax, {"x"}, "p"), node_of(Kind::quantize, {"p", "s"}, "q"),
                       node_of(Kind::qconv, {"q"}, "a"), node_of(Kind::dequantize, {"q", "s"}, "d"),
                       node_of(Kind::erf, {"d"}, "e")});
  const auto found = causes_in(run);
  EXPECT_EQ(found[1], (Numbers{2}));
  EXPECT_EQ(found[3], (Numbers{0})) << "what made the floats before the quantizer";
}

TEST(Causes, AQuantizerWithoutIntegerReadersIsThereForItsReaders) {
  const Graph run =
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"),
                       node_of(Kind::dequantize, {"q", "s"}, "d"), node_of(Kind::erf, {"d"}, "e")});
  const auto found = causes_in(run);
  EXPECT_EQ(found[0], (Numbers{2}));
  EXPECT_EQ(found[1], (Numbers{2})) << "nothing made the floats";
}

TEST(Causes, ADequantizerIsThereForWhatMadeTheCodes) {
  const Graph run = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::qconv, {"q"}, "a"),
              node_of(Kind::reshape, {"a", "shape"}, "r"),
              node_of(Kind::dequantize, {"r", "s"}, "d"), node_of(Kind::softmax, {"d"}, "y")});
  EXPECT_EQ(causes_in(run)[3], (Numbers{1}));
}

TEST(Causes, AnotherLayoutIsThereForItsReader) {
  const Graph run =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"),
                       typed(node_of(Kind::other, {"c"}, "o"), "ReorderOutput", roles::Reorder{}),
                       node_of(Kind::softmax, {"o"}, "y")});
  EXPECT_EQ(causes_in(run)[1], (Numbers{2}));
  const Graph last =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"),
                       typed(node_of(Kind::other, {"c"}, "y"), "ReorderOutput", roles::Reorder{})});
  EXPECT_EQ(causes_in(last)[1], (Numbers{0})) << "where nothing reads it, what it reads";
}

TEST(Causes, WhereOnlyMovesAreAroundOneOfThemIsCharged) {
  const Graph run = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::reshape, {"q", "shape"}, "a"),
              node_of(Kind::transpose, {"a"}, "y")});
  EXPECT_EQ(causes_in(run)[0], (Numbers{1}));
}

TEST(Causes, AConversionAloneIsThereForNothing) {
  Node empty = node_of(Kind::dequantize, {}, "");
  empty.outputs.clear();
  const Graph run = graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), empty,
                                     named(node_of(Kind::quantize, {""}, ""), "")});
  EXPECT_EQ(causes_in(run), std::vector<Numbers>(3));
}

TEST(Causes, ABodysReadCountsAsTheNodes) {
  const Graph run =
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), control_flow("q", "y")});
  EXPECT_EQ(causes_in(run)[0], (Numbers{1}));
}

}  // namespace
}  // namespace quantlens
