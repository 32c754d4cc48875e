// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/join.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/frontend/frontend.h"
#include "quantlens/profiling/random_graphs.h"
#include "quantlens/profiling/testing/profiled.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"

namespace quantlens {
namespace {

using Texts = std::vector<std::string>;

/// conv + relu -> softmax in float; the convolution in int8 between a quantizer and a dequantizer.
struct Pair {
  Graph floats =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "c"), node_of(Kind::relu, {"c"}, "r"),
                       node_of(Kind::softmax, {"r"}, "y")});
  Graph codes = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "xq"), node_of(Kind::dequantize, {"xq"}, "xd"),
              node_of(Kind::conv, {"xd", "w"}, "c"), node_of(Kind::relu, {"c"}, "r"),
              node_of(Kind::quantize, {"r", "s"}, "rq"), node_of(Kind::dequantize, {"rq"}, "rd"),
              node_of(Kind::softmax, {"rd"}, "y")});
  Written reference{
      floats,
      graph_of({"x"}, {typed(node_of(Kind::other, {"x"}, "x2"), "ReorderInput",
                             roles::Reorder{.into_blocks = true}),
                       node_of(Kind::conv, {"x2", "w"}, "r"), node_of(Kind::softmax, {"r"}, "y")}),
      {1, 20, 5}};
  Written quantized{
      codes,
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "xq"),
                       named(node_of(Kind::transpose, {"xq"}, "xt"), ""),
                       node_of(Kind::qconv, {"xt"}, "rq"), node_of(Kind::dequantize, {"rq"}, "rd"),
                       node_of(Kind::softmax, {"rd"}, "y")}),
      {3, 2, 8, 4, 5}};
  std::vector<OpTime> rows() const { return join(reference.profiled(), quantized.profiled(), {}); }
};

TEST(Join, OpsThatANodeComputesTogetherAreARow) {
  const auto rows = Pair().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(ids_of(rows[0].ops), Texts({"y"})) << "the most lost first";
  EXPECT_EQ(rows[1].ops, std::vector<OpRef>({{"c", "c_op"}, {"r", "r_op"}}));
  EXPECT_EQ(rows[1].type, "conv");
  EXPECT_EQ(rows[1].reference_nodes, std::vector<std::string>({"conv"}));
  EXPECT_EQ(rows[1].quantized_nodes, std::vector<std::string>({"qconv"}));
}

TEST(Join, ConversionsAndLayoutsAreChargedToTheOpThatCausesThem) {
  const auto rows = Pair().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[1].reference_us, 21);
  EXPECT_DOUBLE_EQ(rows[1].quantized_us, 8);
  EXPECT_DOUBLE_EQ(rows[1].conversion_us, 3 + 4);
  EXPECT_DOUBLE_EQ(rows[1].layout_us, 2);
  EXPECT_DOUBLE_EQ(rows[1].gain_us, 21 - 8 - 7 - 2);
  EXPECT_DOUBLE_EQ(rows[0].gain_us, 0);
}

TEST(Join, AnIntegerKernelMakesARowQuantized) {
  const auto rows = Pair().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1].quantized);
  EXPECT_FALSE(rows[0].quantized);
}

TEST(Join, AnOpBetweenQuantizersIsWrappedWhateverComputesIt) {
  const Pair pair;
  const Written dequantized(pair.codes, pair.codes, {1, 1, 9, 1, 1, 1, 5});
  const auto rows = join(pair.reference.profiled(), dequantized.profiled(), {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(ids_of(rows[1].ops), Texts({"c", "r"}));
  EXPECT_FALSE(rows[1].quantized);
  EXPECT_FALSE(rows[0].wrapped) << "its result is not quantized";
  const Graph small =
      graph_of({"x"}, {node_of(Kind::softmax, {"x"}, "y"), node_of(Kind::erf, {"y"}, "z")});
  const Graph wrapped = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "xq"), node_of(Kind::dequantize, {"xq"}, "xd"),
              node_of(Kind::softmax, {"xd"}, "y"), node_of(Kind::quantize, {"y", "s"}, "yq"),
              node_of(Kind::dequantize, {"yq"}, "yd"), node_of(Kind::erf, {"yd"}, "z")});
  const auto lost = join(Written(small, small, {2, 1}).profiled(),
                         Written(wrapped, wrapped, {1, 1, 2, 1, 1, 1}).profiled(), {});
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_TRUE(lost[0].wrapped);
  EXPECT_FALSE(lost[1].wrapped);
}

TEST(Join, WhatWasFoldedIsInTheRowOfItsReader) {
  const Graph floats =
      graph_of({"x"}, {node_of(Kind::sub, {"x", "m"}, "s"), node_of(Kind::matmul, {"s", "w"}, "p"),
                       node_of(Kind::mul, {"p", "k"}, "y"), node_of(Kind::softmax, {"y"}, "z")});
  const Graph codes = graph_of(
      {"x"}, {node_of(Kind::matmul, {"x", "wmk"}, "y"), node_of(Kind::softmax, {"y"}, "z")});
  const auto rows = join(Written(floats, floats, {1, 20, 2, 4}).profiled(),
                         Written(codes, codes, {8, 4}).profiled(), {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(ids_of(rows[1].ops), Texts({"s", "p", "y"}));
  EXPECT_EQ(rows[1].type, "matmul") << "the costliest of them";
  EXPECT_DOUBLE_EQ(rows[1].gain_us, 1 + 20 + 2 - 8);
}

TEST(Join, AMaximumPoolInCodesNamesItsReaders) {
  const Graph floats =
      graph_of({"x"}, {node_of(Kind::max_pool, {"x"}, "p"), node_of(Kind::conv, {"p", "w"}, "c")});
  const Graph codes = graph_of(
      {"x"}, {node_of(Kind::max_pool, {"x"}, "p"), node_of(Kind::quantize, {"p", "s"}, "q"),
              node_of(Kind::dequantize, {"q"}, "d"), node_of(Kind::conv, {"d", "w"}, "c")});
  Written written(codes, codes, {50, 3, 1, 4});
  const auto in_float = join(Written(floats, floats, {5, 10}).profiled(), written.profiled(), {});
  ASSERT_EQ(ids_of(in_float[0].ops), Texts{"p"});
  EXPECT_TRUE(in_float[0].passed_to.empty());
  written.types["x"] = {.dtype = DType::uint8};
  const auto rows = join(Written(floats, floats, {5, 10}).profiled(), written.profiled(), {});
  EXPECT_EQ(rows[0].passed_to, std::vector<OpRef>({{"c", op_name(floats.nodes[1])}}));
  EXPECT_TRUE(rows[1].passed_to.empty());
}

TEST(Join, AQuantizerIsSharedByItsReadersInEqualParts) {
  const Graph floats =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "a"), node_of(Kind::conv, {"x", "v"}, "b")});
  const Graph codes = graph_of(
      {"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::dequantize, {"q"}, "d"),
              node_of(Kind::conv, {"d", "w"}, "a"), node_of(Kind::conv, {"d", "v"}, "b")});
  const Graph run =
      graph_of({"x"}, {node_of(Kind::quantize, {"x", "s"}, "q"), node_of(Kind::qconv, {"q"}, "a"),
                       node_of(Kind::qconv, {"q"}, "b")});
  const auto rows = join(Written(floats, floats, {10, 10}).profiled(),
                         Written(codes, run, {6, 2, 2}).profiled(), {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].conversion_us, 3);
  EXPECT_DOUBLE_EQ(rows[1].conversion_us, 3);
}

TEST(Join, WhatBelongsToNoOpIsARowWithoutOps) {
  const Graph floats = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "y")});
  const Graph run = graph_of({"x"}, {node_of(Kind::relu, {"x"}, "y"),
                                     named(node_of(Kind::other, {"lost"}, "found"), "stray"),
                                     node_of(Kind::quantize, {"lost"}, "nobodys")});
  const auto rows =
      join(Written(floats, floats, {4}).profiled(), Written(floats, run, {3, 2, 1}).profiled(), {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].ops.empty());
  EXPECT_DOUBLE_EQ(rows[0].quantized_us, 2);
  EXPECT_DOUBLE_EQ(rows[0].conversion_us, 1);
}

TEST(Join, EachSidesPartsAddUpToItsNodes) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    RandomGraphs random(seed);
    const Graph floats = random.file();
    const Graph codes = random.below(2) == 0 ? random.run_of(floats) : random.file();
    const Graph float_run = random.run_of(floats);
    const Graph code_run = random.run_of(codes);
    const Written reference(floats, float_run, random.times(float_run));
    const Written quantized(codes, code_run, random.times(code_run));
    const auto rows =
        join(reference.profiled(), quantized.profiled(), random.pairing(floats, codes));
    double of_reference = 0;
    double of_quantized = 0;
    for (const OpTime& row : rows) {
      of_reference += row.reference_us;
      of_quantized += row.quantized_us + row.conversion_us + row.layout_us;
    }
    ASSERT_NEAR(of_reference, reference.profile.nodes_us, 1e-6) << seed;
    ASSERT_NEAR(of_quantized, quantized.profile.nodes_us, 1e-6) << seed;
  }
}

TEST(Join, AnOpIsInOneRowAndTheMostLostIsFirst) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomGraphs random(seed);
    const Graph file = random.file();
    const Graph first = random.run_of(file);
    const Graph second = random.run_of(file);
    const auto rows = join(Written(file, first, random.times(first)).profiled(),
                           Written(file, second, random.times(second)).profiled(), {});
    std::set<std::string> seen;
    for (const OpTime& row : rows) {
      for (const OpRef& op : row.ops) {
        ASSERT_TRUE(op.id.empty() || seen.insert(op.id).second) << seed << " " << op.id;
        ASSERT_FALSE(op.name.empty()) << seed << " " << op.id;
      }
    }
    ASSERT_TRUE(std::ranges::is_sorted(rows, {}, &OpTime::gain_us)) << seed;
  }
}

struct RealPair {
  const char* reference;
  const char* quantized;
};

class JoinRealModels : public testing::TestWithParam<RealPair> {};

/// Times of 1 us a node: what of the two runs is charged to which op.
TEST_P(JoinRealModels, EveryNodeIsChargedToAnOpOfTheReference) {
  const fs::path first = testdata() / GetParam().reference;
  const fs::path second = testdata() / GetParam().quantized;
  if (!fs::exists(first) || !fs::exists(second)) GTEST_SKIP() << first.filename() << " is not here";
  if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  const Model floats = frontend::read(first);
  const Model codes = frontend::read(second);
  const auto float_run = open_timed(floats, {.nodes = true});
  const auto code_run = open_timed(codes, {.nodes = true});
  const auto ones = [](const Graph& graph) { return std::vector<double>(graph.nodes.size(), 1.0); };
  const Written reference(floats.graph, float_run->graph(), ones(float_run->graph()));
  const Written quantized(codes.graph, code_run->graph(), ones(code_run->graph()));
  double of_reference = 0;
  double of_quantized = 0;
  for (const OpTime& row : join(reference.profiled(), quantized.profiled(), {})) {
    const double codes_us = row.quantized_us + row.conversion_us + row.layout_us;
    of_reference += row.reference_us;
    of_quantized += codes_us;
    EXPECT_FALSE(row.ops.empty()) << row.reference_us << " and " << codes_us << " us are nobody's";
    EXPECT_FALSE(row.reference_nodes.empty() && row.reference_us == 0) << row.ops.front().name;
  }
  EXPECT_NEAR(of_reference, reference.profile.nodes_us, 1e-6);
  EXPECT_NEAR(of_quantized, quantized.profile.nodes_us, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    OfTestdata, JoinRealModels,
    testing::Values(
        RealPair{"models/kwt1.onnx", "foreign/kwt1_nncf_qdq.onnx"},
        RealPair{"models/kwt1.onnx", "foreign/kwt1_ort_qdq.onnx"},
        RealPair{"models/mobilenet_v1_0.25_224.onnx",
                 "foreign/mobilenet_v1_0.25_ort_qdq_per_tensor.onnx"},
        RealPair{"models/mobilenet_v1_0.75_224.onnx", "foreign/mobilenet_v1_0.75_quark_qdq.onnx"},
        RealPair{"models/squeezenet1.1.onnx", "foreign/squeezenet1.1_inc_qoperator.onnx"},
        RealPair{"models/squeezenet1.1.onnx", "foreign/squeezenet1.1_ort_qdq.onnx"}));

}  // namespace
}  // namespace quantlens
