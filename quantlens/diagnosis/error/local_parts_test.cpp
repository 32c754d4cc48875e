// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/local_parts.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

constexpr float kStep = 0.1F;

/// Values spread evenly over 0..`reach`, in steps of 0.1 of uint8: 0..25.5.
PairedStats spread(const std::string& value, float reach) {
  constexpr std::size_t kCount = 10000;
  PairedStats stats{.reference = value, .quantized = value + "_q"};
  std::vector<float> x;
  for (std::size_t i = 0; i < kCount; ++i) {
    x.push_back(reach * (static_cast<float>(i) + 0.5F) / static_cast<float>(kCount));
  }
  std::vector<float> y;
  for (const float one : x)
    y.push_back(dequantize(quantize(one, {kStep, 0}, DType::uint8), {kStep, 0}));
  stats.pairs.add(0, x, y);
  stats.reference_histogram.add(x);
  return stats;
}

ValuePair parts_pair(const std::string& value) {
  ValuePair pair{
      .op = op_ref(value), .type = "Conv", .reference = value, .quantized = value + "_q"};
  pair.scheme = Scheme{.dtype = DType::uint8};
  pair.params = QParams{kStep, 0};
  return pair;
}

/// y = conv(x), both in codes; the conv has a weight of this SQNR.
class Conv {
 public:
  explicit Conv(double weight_sqnr_db) {
    net_.input("x").weight("w", {1, 1, 1, 1}, {1}).node(Kind::conv, {"x", "w"}, "y").output("y");
    pairing_.pairs = {parts_pair("x"), parts_pair("y")};
    diagnosis_.weights.push_back(
        {.op = op_ref("y"), .weight = "w", .sqnr_db = weight_sqnr_db, .channels = 1});
    diagnosis_.weights.back().reference.mean = 1;
  }

  /// `of_weight`: the error that was measured with a rounded weight alone.
  ActivationRow split(float reach_of_x, float reach_of_y, double local_mse,
                      std::optional<float> of_weight = {}) {
    TapState state;
    state.pairs = {spread("x", reach_of_x), spread("y", reach_of_y)};
    ActivationRow row;
    row.value = "y";
    row.op = op_ref("y");
    row.quantized = "y_q";
    row.local_mse = local_mse;
    diagnosis_.activations = {row};
    TapState rounded;
    if (of_weight) {
      PairedStats& y = rounded.pairs.emplace_back();
      y.reference = y.quantized = "y";
      const std::vector<float> error(10, std::sqrt(*of_weight));
      y.pairs.add(0, std::vector<float>(10), error);
    }
    add_local_parts(GraphIndex(net_.graph()), pairing_,
                    {state, state, of_weight ? &rounded : nullptr}, diagnosis_);
    return diagnosis_.activations.front();
  }

 private:
  SmallGraph net_;
  Pairing pairing_;
  Diagnosis diagnosis_;
};

constexpr double kRounding = kStep * kStep / 12;

TEST(LocalParts, RoundingIsThatOfItsCodesOverWhatTheReferenceComputed) {
  const ActivationRow row = Conv(100).split(25, 25, 2 * kRounding);
  EXPECT_NEAR(*row.rounding_mse, kRounding, 0.01 * kRounding);
  EXPECT_LT(*row.clipping_mse, 0.01 * kRounding);
  EXPECT_NEAR(
      *row.rounding_mse + *row.clipping_mse + *row.weight_mse + *row.input_mse + *row.other_mse,
      2 * kRounding, 1e-12);
}

TEST(LocalParts, ClippingIsWhatLiesBeyondTheCodes) {
  const PairedStats y = spread("y", 30);
  const ActivationRow row = Conv(100).split(25, 30, y.pairs.mse());
  EXPECT_NEAR(*row.clipping_mse + *row.rounding_mse, y.pairs.mse(), 0.01 * y.pairs.mse());
  EXPECT_GT(*row.clipping_mse, 0.95 * y.pairs.mse());
}

TEST(LocalParts, WeightAndInputsShareByTheirRelativeErrors) {
  const double energy = 25.0 * 25 / 3;
  const double rest = 2 * kRounding;
  const double weight_db = 10 * std::log10(energy / kRounding);  // as the input's
  const ActivationRow row = Conv(weight_db).split(25, 25, kRounding + rest);
  EXPECT_NEAR(*row.weight_mse, rest / 2, 0.02 * rest);
  EXPECT_NEAR(*row.input_mse, rest / 2, 0.02 * rest);
  EXPECT_NEAR(*row.other_mse, 0, 1e-9);
}

TEST(LocalParts, WhatNeitherCanMakeIsTheRest) {
  const ActivationRow row = Conv(60).split(25, 25, 5);
  EXPECT_GT(*row.other_mse, 4.9);
}

TEST(LocalParts, AMeasuredWeightNeedsNoGuess) {
  const double rest = 1.2 * kRounding;
  const ActivationRow row = Conv(10).split(25, 25, kRounding + rest, 0.1 * kRounding);
  EXPECT_NEAR(*row.weight_mse, 0.1 * kRounding, 1e-5 * kRounding);
  EXPECT_NEAR(*row.input_mse, rest - 0.1 * kRounding, 0.01 * rest);
  EXPECT_NEAR(*row.other_mse, 0, 1e-9);
}

TEST(LocalParts, WhatABiasMakesUpForIsTakenOffBothParts) {
  const ActivationRow row = Conv(10).split(25, 25, kRounding + 2 * kRounding, 3 * kRounding);
  EXPECT_NEAR(*row.weight_mse, 1.5 * kRounding, 0.03 * kRounding);
  EXPECT_NEAR(*row.input_mse, 0.5 * kRounding, 0.03 * kRounding);
}

TEST(LocalParts, WithoutAWeightTheRestIsTheInputs) {
  SmallGraph net;
  net.input("x").node(Kind::log, {"x"}, "y").output("y");
  Pairing pairing;
  pairing.pairs = {parts_pair("x"), parts_pair("y")};
  TapState state;
  state.pairs = {spread("x", 25), spread("y", 25)};
  Diagnosis diagnosis;
  ActivationRow row;
  row.value = "y";
  row.op = op_ref("y");
  row.quantized = "y_q";
  row.local_mse = 7;
  diagnosis.activations = {row, row};
  diagnosis.activations[1].local_mse.reset();
  add_local_parts(GraphIndex(net.graph()), pairing, {state, state}, diagnosis);
  EXPECT_NEAR(*diagnosis.activations[0].input_mse, 7 - kRounding, 0.01 * kRounding);
  EXPECT_FALSE(diagnosis.activations[1].input_mse) << "of what is only moved nothing is known";
}

/// y = log(x), 0 of each x, with its own error and what rounded inputs alone make of it.
ActivationRow split_measured(double local_mse, const std::vector<float>& by_inputs) {
  SmallGraph net;
  net.input("x").node(Kind::log, {"x"}, "y").output("y");
  Pairing pairing;
  pairing.pairs = {parts_pair("x"), parts_pair("y")};
  TapState state;
  state.pairs = {spread("x", 25), spread("y", 25)};
  TapState inputs;
  PairedStats& y = inputs.pairs.emplace_back();
  y.reference = y.quantized = "y";
  y.pairs.add(0, std::vector<float>(by_inputs.size()), by_inputs);
  Diagnosis diagnosis;
  ActivationRow row;
  row.value = "y";
  row.op = op_ref("y");
  row.quantized = "y_q";
  row.local_mse = local_mse;
  diagnosis.activations = {row};
  add_local_parts(GraphIndex(net.graph()), pairing, {state, state, nullptr, &inputs}, diagnosis);
  return diagnosis.activations.front();
}

/// Likewise, by the mean square of what inputs make.
ActivationRow split_measured(double local_mse, double of_inputs) {
  return split_measured(local_mse,
                        std::vector<float>(10, static_cast<float>(std::sqrt(of_inputs))));
}

TEST(LocalParts, AnOpWithoutAWeightHasWhatItsInputsDoNotMake) {
  const ActivationRow row = split_measured(7, 0.5);
  EXPECT_NEAR(*row.input_mse, 0.5, 1e-5);
  EXPECT_NEAR(*row.other_mse, 7 - 0.5 - kRounding, 0.01);
}

/// A code of 0 in front of a logarithm: minus infinity in float, what its codes reach in int8.
TEST(LocalParts, WhatInputsMakeThatAreNoNumbersForTheFloatOpHasNoOtherCause) {
  std::vector<float> by_inputs(10);
  by_inputs[3] = -std::numeric_limits<float>::infinity();
  const ActivationRow row = split_measured(400, by_inputs);
  EXPECT_EQ(*row.other_mse, 0);
  EXPECT_NEAR(*row.input_mse, 400 - kRounding, 0.01 * kRounding);
}

TEST(LocalParts, ErrorsThatAddUpAreNoOtherCause) {
  const double most = std::pow(std::sqrt(0.5) + std::sqrt(kRounding), 2);
  const ActivationRow row = split_measured(0.99 * most, 0.5);
  EXPECT_EQ(*row.other_mse, 0);
  EXPECT_NEAR(*row.input_mse, 0.99 * most - kRounding, 0.01);
  EXPECT_GT(*split_measured(1.01 * most, 0.5).other_mse, 0);
}

/// Two channels in codes of 0..25.5 and of 0..255; one value in a hundred of the first is 50
/// beyond.
TEST(LocalParts, WhatFarClippedValuesMayMakeHasNoOtherCause) {
  const auto split = [](double local_mse) {
    SmallGraph net;
    net.input("x").node(Kind::log, {"x"}, "y").output("y");
    Pairing pairing;
    pairing.pairs = {parts_pair("x"), parts_pair("y")};
    pairing.pairs[1].scheme->axis = pairing.pairs[1].channel_axis = 1;
    pairing.pairs[1].channel_params = {{kStep, 0}, {10 * kStep, 0}};
    TapState state;
    state.pairs = {spread("x", 25), spread("y", 25)};
    state.pairs[1].pairs.add_clipped(0, 100);
    const std::vector<float> extremes{0, 75.5F, 0, 25};
    state.pairs[1].reference_channels.add(extremes, {.outer = 1, .channels = 2, .inner = 2});
    TapState inputs;
    PairedStats& y = inputs.pairs.emplace_back();
    y.reference = y.quantized = "y";
    y.pairs.add(0, std::vector<float>(10), std::vector<float>(10));
    Diagnosis diagnosis;
    ActivationRow row;
    row.value = "y";
    row.op = op_ref("y");
    row.quantized = "y_q";
    row.local_mse = local_mse;
    diagnosis.activations = {row};
    add_local_parts(GraphIndex(net.graph()), pairing, {state, state, nullptr, &inputs}, diagnosis);
    return diagnosis.activations.front();
  };
  const double most = 0.01 * 50 * 50;
  EXPECT_NEAR(*split(0.9 * most).clipping_mse, 0.9 * most, 0.1);
  EXPECT_NEAR(*split(0.9 * most).other_mse, 0, 1e-9);
  EXPECT_GT(*split(2 * most).other_mse, 0.9 * most);
}

}  // namespace
}  // namespace quantlens
