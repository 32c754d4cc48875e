// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/work.h"

#include <optional>

#include <gtest/gtest.h>

#include "quantlens/profiling/testing/profiled.h"

namespace quantlens {
namespace {

using Count = std::optional<std::uint64_t>;

TensorType floats(Shape shape) {
  return {DType::float32, std::move(shape)};
}

TensorType codes(Shape shape) {
  return {DType::uint8, std::move(shape)};
}

Work work(const Node& node, const ValueTypes& types) {
  return work_of(node, Graph(), types);
}

TEST(Work, OfAConvolution) {
  const Node conv = node_of(Kind::conv, {"x", "w", "b"}, "y");
  const Work done = work(conv, {{"x", floats({1, 3, 8, 8})},
                                {"w", floats({4, 3, 3, 3})},
                                {"b", floats({4})},
                                {"y", floats({1, 4, 6, 6})}});
  EXPECT_EQ(done.operations, Count(2 * 27 * 144)) << "27 products for each of 144 results";
  EXPECT_EQ(done.bytes, Count(4 * (192 + 108 + 4 + 144)));
  EXPECT_FALSE(done.integer);
}

TEST(Work, OfGroupedAndDepthwiseConvolutions) {
  const Node conv = node_of(Kind::conv, {"x", "w"}, "y");
  const ValueTypes grouped = {
      {"x", floats({2, 8, 5})}, {"w", floats({6, 4, 3})}, {"y", floats({2, 6, 3})}};
  EXPECT_EQ(work(conv, grouped).operations, Count(2 * 4 * 3 * 36));
  const ValueTypes depthwise = {
      {"x", floats({1, 16, 4, 4})}, {"w", floats({16, 1, 3, 3})}, {"y", floats({1, 16, 4, 4})}};
  EXPECT_EQ(work(conv, depthwise).operations, Count(2 * 9 * 256));
}

TEST(Work, OfAnIntegerConvolutionIsTheFloatOnesInAQuarterOfTheBytes) {
  const Node conv = node_of(Kind::qconv, {"x", "s", "z", "w", "s", "z", "s", "z"}, "y");
  Graph graph;
  graph.weights["w"] = Tensor::from<std::int8_t>({4, 3, 3, 3}, std::vector<std::int8_t>(108));
  graph.weights["s"] = Tensor::scalar(1.0F);
  graph.weights["z"] = Tensor::scalar(std::uint8_t{0});
  const Work done = work_of(conv, graph, {{"x", codes({1, 3, 8, 8})}, {"y", codes({1, 4, 6, 6})}});
  EXPECT_EQ(done.operations, Count(2 * 27 * 144));
  EXPECT_EQ(done.bytes, Count(192 + 108 + 144 + 3 * 4 + 3));
  EXPECT_TRUE(done.integer);
}

TEST(Work, OfATransposedConvolutionIsOfEachInputElement) {
  const Node conv = node_of(Kind::conv_transpose, {"x", "w"}, "y");
  const ValueTypes types = {
      {"x", floats({1, 6, 4, 4})}, {"w", floats({6, 5, 2, 2})}, {"y", floats({1, 5, 8, 8})}};
  EXPECT_EQ(work(conv, types).operations, Count(2 * 96 * 5 * 4));
}

TEST(Work, OfMatrixProducts) {
  const ValueTypes types = {
      {"a", floats({2, 3, 4, 5})}, {"b", floats({5, 6})}, {"y", floats({2, 3, 4, 6})}};
  const Work done = work(node_of(Kind::matmul, {"a", "b"}, "y"), types);
  EXPECT_EQ(done.operations, Count(2 * 5 * 144));
  EXPECT_EQ(done.bytes, Count(4 * (120 + 30 + 144)));
  const ValueTypes vectors = {{"a", floats({7})}, {"b", floats({7})}, {"y", floats({})}};
  EXPECT_EQ(work(node_of(Kind::matmul, {"a", "b"}, "y"), vectors).operations, Count(14));
}

TEST(Work, OfProductsWithATransposedMatrix) {
  const ValueTypes types = {{"a", floats({5, 4})}, {"b", floats({5, 6})}, {"y", floats({4, 6})}};
  Node gemm = node_of(Kind::gemm, {"a", "b"}, "y");
  gemm.roles = roles::MatrixProduct{.transposes_a = true};
  EXPECT_EQ(work(gemm, types).operations, Count(2 * 5 * 24));
  const Node fused = typed(gemm, "FusedMatMul", gemm.roles);
  const ValueTypes batched = {
      {"a", floats({2, 5, 4})}, {"b", floats({2, 5, 6})}, {"y", floats({2, 4, 6})}};
  EXPECT_EQ(work(fused, batched).operations, Count(2 * 5 * 48));
}

TEST(Work, OfAProductWhoseBatchIsTransposedToo) {
  roles::MatrixProduct product{.transposes_batch_a = true};
  const Node plain = node_of(Kind::other, {"a", "b"}, "y");
  const ValueTypes rows = {
      {"a", floats({4, 2, 5})}, {"b", floats({2, 5, 6})}, {"y", floats({2, 4, 6})}};
  EXPECT_EQ(work(typed(plain, "FusedMatMul", product), rows).operations, Count(2 * 5 * 48))
      << "[M, batch, K]";
  product.transposes_a = true;
  const ValueTypes columns = {
      {"a", floats({5, 2, 4})}, {"b", floats({2, 5, 6})}, {"y", floats({2, 4, 6})}};
  EXPECT_EQ(work(typed(plain, "FusedMatMul", product), columns).operations, Count(2 * 5 * 48))
      << "[K, batch, M]";
}

TEST(Work, OfRecurrentCellsIsEachWeightOnceAStep) {
  const Node lstm = node_of(Kind::recurrent, {"x", "w", "r"}, "y");
  const ValueTypes types = {{"x", floats({7, 2, 3})},
                            {"w", floats({1, 16, 3})},
                            {"r", floats({1, 16, 4})},
                            {"y", floats({7, 1, 2, 4})}};
  EXPECT_EQ(work(lstm, types).operations, Count(2 * 7 * 2 * (48 + 64)));
}

TEST(Work, MovesDoNone) {
  const ValueTypes types = {{"x", floats({6, 4})}, {"i", {DType::int64, {2}}},
                            {"y", floats({24})},   {"g", floats({2, 4})},
                            {"e", floats({6, 4})}, {"j", {DType::int64, {6, 4}}}};
  const Work reshape = work(node_of(Kind::reshape, {"x", "i"}, "y"), types);
  EXPECT_EQ(reshape.operations, Count(0));
  EXPECT_EQ(reshape.bytes, Count(96 + 16 + 96));
  EXPECT_EQ(work(node_of(Kind::gather_elements, {"x", "j"}, "e"), types).operations, Count(0));
  for (const Kind kind : {Kind::transpose, Kind::concat, Kind::slice, Kind::split, Kind::pad}) {
    EXPECT_EQ(work(node_of(kind, {"x"}, "y"), types).operations, Count(0)) << to_string(kind);
  }
}

TEST(Work, AGatherReadsWhatItGivesAndNotTheTable) {
  const ValueTypes types = {
      {"table", floats({1000, 4})}, {"i", {DType::int64, {2}}}, {"y", floats({2, 4})}};
  const Work done = work(node_of(Kind::gather, {"table", "i"}, "y"), types);
  EXPECT_EQ(done.operations, Count(0));
  EXPECT_EQ(done.bytes, Count(2 * 32 + 16)) << "rows, results and the two numbers";
}

TEST(Work, ElementByElementIsOneEachAndAReductionOneForEachInput) {
  const ValueTypes types = {
      {"x", floats({2, 8})}, {"b", floats({8})}, {"y", floats({2, 8})}, {"m", floats({2, 1})}};
  EXPECT_EQ(work(node_of(Kind::add, {"x", "b"}, "y"), types).operations, Count(16));
  EXPECT_EQ(work(node_of(Kind::add, {"x", "b"}, "y"), types).bytes, Count(4 * (16 + 8 + 16)));
  EXPECT_EQ(work(node_of(Kind::sigmoid, {"x"}, "y"), types).operations, Count(16));
  EXPECT_EQ(work(node_of(Kind::reduce_mean, {"x"}, "m"), types).operations, Count(16));
  EXPECT_EQ(work(node_of(Kind::reduce_mean, {"x"}, "m"), types).bytes, Count(72));
}

TEST(Work, WhatIsNotKnownIsAbsent) {
  const ValueTypes types = {{"x", floats({2, 8})}, {"y", floats({2, 8})}};
  EXPECT_EQ(work(node_of(Kind::relu, {"x"}, "unknown"), types).bytes, Count());
  EXPECT_EQ(work(node_of(Kind::conv, {"x", "unknown"}, "y"), types).operations, Count());
  EXPECT_EQ(work(node_of(Kind::conv, {"x"}, "y"), types).operations, Count());
  EXPECT_EQ(work(node_of(Kind::matmul, {}, "y"), types).operations, Count());
  EXPECT_EQ(work(control_flow("x", "y"), types).operations, Count());
  EXPECT_EQ(
      work(typed(node_of(Kind::other, {"x", "x"}, "y"), "Einsum", roles::UntoldProduct{}), types)
          .operations,
      Count());
  EXPECT_EQ(work(typed(node_of(Kind::other, {"x", "x"}, "y"), "QAttention", roles::UntoldProduct{}),
                 types)
                .operations,
            Count());
  const ValueTypes words = {{"x", {DType::string, {2}}}, {"y", floats({2})}};
  EXPECT_EQ(work(node_of(Kind::other, {"x"}, "y"), words).bytes, Count());
}

TEST(Work, OfNothingIsNothing) {
  const ValueTypes types = {{"x", floats({0, 8})}, {"y", floats({0, 8})}, {"w", floats({8, 8})}};
  EXPECT_EQ(work(node_of(Kind::relu, {"x"}, "y"), types).operations, Count(0));
  EXPECT_EQ(work(node_of(Kind::relu, {"x"}, "y"), types).bytes, Count(0));
  EXPECT_EQ(work(node_of(Kind::matmul, {"x", "w"}, "y"), types).operations, Count(0));
}

TEST(Work, AbsentInputsAndOutputsAreLeftOut) {
  Node node = node_of(Kind::clip, {"x", "", "x"}, "");
  node.outputs = {"", "y"};
  const ValueTypes types = {{"x", floats({4})}, {"y", floats({4})}};
  EXPECT_EQ(work(node, types).bytes, Count(48));
  Node empty;
  EXPECT_EQ(work(empty, {}).bytes, Count(0));
  EXPECT_EQ(work(empty, {}).operations, Count());
  EXPECT_EQ(work(node_of(Kind::conv, {"", ""}, ""), {}).operations, Count());
}

TEST(Work, TypesReadAsTypeAndShape) {
  Graph graph;
  graph.weights["w"] = Tensor::scalar(std::int8_t{1});
  const ValueTypes types = {{"x", floats({1, 64})}};
  EXPECT_EQ(type_text("x", graph, types), "float32[1,64]");
  EXPECT_EQ(type_text("w", graph, types), "int8[]");
  EXPECT_EQ(type_text("other", graph, types), "");
  EXPECT_EQ(type_text("", graph, types), "");
}

}  // namespace
}  // namespace quantlens
