// SPDX-License-Identifier: Apache-2.0
// What taps see, against plain loops. The nets compute with small integers, so every kind of Run is
// exact, whatever its order of summation, and states are compared byte for byte.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "quantlens/runtime/contract/exact_net.h"
#include "quantlens/runtime/contract/run_contract.h"

namespace quantlens::contract {
namespace {

using testing::ElementsAre;

using Taps = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, Taps, testing::ValuesIn(run_kinds()), kind_name);

TEST_P(Taps, SeeWhatAPlainLoopComputes) {
  const Model model = exact_net(true);
  expect_exact(*open(model, exact_taps()));
}

TEST_P(Taps, GatherNoHistogramThatNobodyAskedFor) {
  const Model model = exact_net();
  TapSpec spec = taps({"product"});
  spec.taps[0].histogram = false;
  const TapState state = gathered(model, nullptr, spec, exact_data(0, 2));
  EXPECT_TRUE(state.values.at(0).histogram.empty());
  EXPECT_EQ(state.values.at(0).moments.count(), 8u);
}

TEST_P(Taps, SeeEveryValueOfAWeightlessChain) {
  Net net;
  net.input("x", {-1, kIn});
  net.node("Relu", {"x"}, "r1");
  net.node("Neg", {"r1"}, "n");
  net.node("Identity", {"n"}, "i");
  net.node("Relu", {"i"}, "r2");
  net.node("Relu", {"r2"}, "r3");
  const Model model = net.output("r3").model();
  const Batch batch = exact_data(0, 3);
  const TapState state = gathered(model, nullptr, taps({"x", "r1", "n", "i", "r2", "r3"}), batch);
  const Rows x = rows_of(batch.inputs.at("x"));
  const Rows negative = each(relu_of(x), [](float value) { return -value; });
  ASSERT_EQ(state.values.size(), 6u);
  EXPECT_EQ(state.values[0], gathered_of("i", batch, negative));
  EXPECT_EQ(state.values[1], gathered_of("n", batch, negative));
  EXPECT_EQ(state.values[2], gathered_of("r1", batch, relu_of(x)));
  EXPECT_EQ(state.values[3], gathered_of("r2", batch, relu_of(negative)));
  EXPECT_EQ(state.values[4], gathered_of("r3", batch, relu_of(negative)));
  EXPECT_EQ(state.values[5], gathered_of("x", batch, x));
}

TEST_P(Taps, SeeAValueOnceThoughManyReadIt) {
  Net net;
  net.input("x", {-1, kIn});
  net.node("Relu", {"x"}, "r");
  net.node("Add", {"r", "r"}, "a");
  net.node("Mul", {"r", "a"}, "m");
  net.node("Sub", {"m", "r"}, "y");
  const Model model = net.output("y").output("r").model();
  const Batch batch = exact_data(0, 3);
  const TapState state = gathered(model, nullptr, taps({"r"}), batch);
  EXPECT_EQ(state.values.at(0), gathered_of("r", batch, relu_of(rows_of(batch.inputs.at("x")))));
}

TEST_P(Taps, SeeAValueThatNobodyReads) {
  Net net;
  net.input("x", {-1, kIn});
  net.node("Neg", {"x"}, "unread");
  net.node("Relu", {"x"}, "y");
  const Model model = net.output("y").model();
  const Batch batch = exact_data(0, 2);
  const TapState state = gathered(model, nullptr, taps({"unread"}), batch);
  const Rows x = rows_of(batch.inputs.at("x"));
  EXPECT_EQ(state.values.at(0),
            gathered_of("unread", batch, each(x, [](float value) { return -value; })));
}

TEST_P(Taps, SeeAValueMadeOfWeightsAlone) {
  Net net;
  net.input("x", {-1, 2});
  net.weight("a", Tensor::from<float>({2}, {1, 2}));
  net.weight("b", Tensor::from<float>({2}, {3, -4}));
  net.node("Mul", {"a", "b"}, "constant");
  net.node("Add", {"x", "constant"}, "y");
  const Model model = net.output("y").model();
  const Batch one = batch(0, {{"x", Tensor::from<float>({1, 2}, {0, 0})}});
  const TapState state = gathered(model, nullptr, taps({"constant"}), one);
  EXPECT_EQ(state.values.at(0), gathered_of("constant", one, {{3, -8}}));
}

TEST_P(Taps, CountNaNAndInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Net net;
  net.input("x", {-1, 3});
  net.node("Neg", {"x"}, "y");
  const Model model = net.output("y").model();
  const Batch strange = batch(0, {{"x", Tensor::from<float>({2, 3}, {1, inf, nan, -inf, 5, nan})}});
  TapSpec spec = taps({"y"});
  spec.pairs = {pair("x", "y")};
  const TapState state = gathered(model, &model, spec, strange);
  const Moments& moments = state.values.at(0).moments;
  EXPECT_EQ(moments.count(), 2u);
  EXPECT_EQ(moments.nan_count(), 2u);
  EXPECT_EQ(moments.inf_count(), 2u);
  EXPECT_EQ(moments.min(), -5);
  EXPECT_EQ(moments.max(), -1);
  EXPECT_EQ(state.pairs.at(0).pairs.count(), 2u);
  EXPECT_EQ(state.pairs.at(0).pairs.nonfinite(), 4u);
}

TEST_P(Taps, SeeEmptyTensors) {
  Net net;
  net.input("x", {-1, -1});
  net.node("Relu", {"x"}, "r");
  net.node("Neg", {"r"}, "y");
  const Model model = net.output("y").model();
  TapSpec spec = taps({"x", "r"});
  spec.pairs = {pair("y", "y")};
  const Batch empty = batch(0, {{"x", Tensor::from<float>({2, 0}, {})}});
  const auto run = open(model, &model, spec);
  EXPECT_EQ(run->step(empty).reference.at("y").shape(), (Shape{2, 0}));
  const TapState state = run->take();
  EXPECT_EQ(state.samples.size(), 2u);
  EXPECT_EQ(state.values.at(0).moments.count(), 0u);
  EXPECT_EQ(state.pairs.at(0).pairs.count(), 0u);
}

TEST_P(Taps, SeeOtherTypesAsTheirFloats) {
  Net net;
  net.input("x", {-1, kIn});
  const auto cast = [&](const char* to, std::int64_t number) {
    net.node("Cast", {"x"}, to, {{"to", number}});
    net.node("Cast", {to}, std::string(to) + "_back", {{"to", std::int64_t{1}}});
    net.output(std::string(to) + "_back");
  };
  cast("double", 11);
  cast("half", 10);
  cast("int32", 6);
  cast("int64", 7);
  const Model model = net.model();
  const Batch batch = exact_data(0, 3);
  const TapState state =
      gathered(model, nullptr, taps({"double", "half", "int32", "int64"}), batch);
  const Rows x = rows_of(batch.inputs.at("x"));
  for (const ValueStats& stats : state.values) {
    EXPECT_EQ(stats, gathered_of(stats.value, batch, x)) << stats.value;
  }
}

TEST_P(Taps, KnowWhichAxisIsTheSample) {
  Net net;
  net.input("x", {-1, kIn});
  net.node("Transpose", {"x"}, "turned", {{"perm", std::vector<std::int64_t>{1, 0}}});
  net.weight("rows", Tensor::from<std::int64_t>({2}, {-1, 2}));
  net.node("Reshape", {"x", "rows"}, "reshaped");  // [N * 3, 2]
  const Model model = net.output("turned").output("reshaped").model();
  const Batch batch = exact_data(3, 4);
  TapSpec spec = taps({"turned", "reshaped"});
  spec.taps[0].sample_axis = 1;
  const TapState state = gathered(model, nullptr, spec, batch);
  const Rows x = rows_of(batch.inputs.at("x"));
  EXPECT_EQ(state.values.at(0), gathered_of("reshaped", batch, x));
  EXPECT_EQ(state.values.at(1), gathered_of("turned", batch, x));
}

TEST_P(Taps, GatherEqualBytesInBatchesOfAnySize) {
  const Model model = exact_net();
  TapSpec spec = taps({"product", "y"});
  spec.taps[0].channel_axis = 1;
  spec.pairs = {pair("product", "y")};
  spec.pairs[0].channel_axis = 1;
  spec.pairs[0].channel_histograms = {2};
  const Batch batch = exact_data(5, 8);
  const std::string whole = to_bytes(gathered(model, &model, spec, batch));
  for (const std::uint64_t size : {1u, 3u, 4u}) {
    const auto run = open(model, &model, spec);
    EXPECT_EQ(to_bytes(by_batches(*run, batch, size)), whole) << "batches of " << size;
  }
}

TEST_P(Taps, HalvesMergeToTheWholeAndBytesReadBack) {
  const Model model = exact_net();
  TapSpec spec = taps({"x", "product"});
  spec.pairs = {pair("product", "y"), pair("y", "y")};
  spec.taps[1].channel_axis = spec.pairs[1].channel_axis = 1;
  spec.taps[1].channel_histograms = spec.pairs[1].channel_histograms = {0, 1};
  const Batch batch = exact_data(0, 6);
  const TapState whole = gathered(model, &model, spec, batch);
  TapState left = gathered(model, &model, spec, rows(batch, 0, 3));
  const TapState right = gathered(model, &model, spec, rows(batch, 3, 3));
  EXPECT_EQ(refusal([&] { merge(left, left); }), Errc::bad_input);
  merge(left, tap_state_from_bytes(to_bytes(right), "right"));
  EXPECT_EQ(to_bytes(left), to_bytes(whole));
  EXPECT_EQ(tap_state_from_bytes(to_bytes(whole), "whole"), whole);
}

}  // namespace
}  // namespace quantlens::contract
