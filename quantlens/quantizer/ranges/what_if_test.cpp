// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/what_if.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/params.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

constexpr Scheme kBytes{.dtype = DType::uint8, .symmetric = false, .axis = {}};

double decibels(double ratio) {
  return 10 * std::log10(ratio);
}

/// By a plain loop: mean of (x - codes of x)^2.
double measured(std::span<const float> values, const QParams& params, DType dtype) {
  double sum = 0;
  for (const float x : values) {
    const double error = double{x} - dequantize(quantize(x, params, dtype), params);
    sum += error * error;
  }
  return sum / static_cast<double>(values.size());
}

/// An op whose local error is that of its own codes over 100,000 normal numbers, in the range of
/// all of them, and as much again from its inputs.
struct Stored {
  std::vector<float> values = drawn::normal_floats(7, 100'000, 3);
  ActivationRow row;
  ValuePair pair;
  PairedStats gathered;
  StoredOp op;

  Stored() {
    values[5] = 60;  // an outlier, so that narrower ranges are better
    const auto [least, greatest] = std::ranges::minmax_element(values);
    pair.scheme = kBytes;
    pair.params = choose_params({*least, *greatest}, kBytes);
    std::vector<std::uint8_t> codes;
    for (const float x : values)
      codes.push_back(static_cast<std::uint8_t>(quantize(x, *pair.params, DType::uint8)));
    std::vector<float> back;
    for (const std::uint8_t code : codes) back.push_back(dequantize(code, *pair.params));
    gathered.pairs.add(0, values, back);
    gathered.reference_histogram.add(values);
    const double own = measured(values, *pair.params, DType::uint8);
    row.op = {.id = "y", .name = "conv"};
    row.value = "y";
    row.rounding_mse = own;
    row.clipping_mse = 0;
    row.weight_mse = 0;
    row.input_mse = own;
    row.local_mse = 2 * own;
    row.local_sqnr_db = decibels(energy() / (2 * own));
    row.output_share = 0.5;
    op = {.row = &row, .pair = &pair, .activation = &gathered};
  }

  double energy() const {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
           static_cast<double>(values.size());
  }
};

TEST(WhatIf, OtherRangesBitsAndAlgorithmsCostWhatALoopMeasures) {
  const Stored stored;
  std::vector<WhatIf> changes(6);
  changes[0].range = Range{-9, 9};
  changes[1].range = Range{-3, 20};
  changes[2].activation.algorithm = RangeAlgorithm::mse;
  changes[3].activation = {.algorithm = RangeAlgorithm::percentile, .percentile = 99.9};
  changes[4].activation.dtype = AskedDtype::uint16;
  changes[5].activation = {.dtype = AskedDtype::int8, .scheme = Symmetry::sym};
  for (const WhatIf& change : changes) {
    const Expectation told = expect(stored.op, change);
    ASSERT_TRUE(told.expected) << told.reason;
    EXPECT_EQ(told.known_by, KnownBy::histogram);
    DType dtype = DType::uint8;
    if (change.activation.dtype == AskedDtype::uint16) dtype = DType::uint16;
    if (change.activation.dtype == AskedDtype::int8) dtype = DType::int8;
    const double mse = *stored.row.input_mse + measured(stored.values, *told.params, dtype);
    EXPECT_NEAR(told.expected->sqnr_db, decibels(stored.energy() / mse), 0.05);
    EXPECT_NEAR(*told.output_gain, 0.5 * (*stored.row.local_mse - mse) / *stored.row.rounding_mse,
                0.02);
  }
}

TEST(WhatIf, InFloatNothingIsRounded) {
  const Stored stored;
  WhatIf change;
  change.activation.dtype = AskedDtype::fp32;
  const Expectation told = expect(stored.op, change);
  EXPECT_NEAR(told.expected->mse, *stored.row.input_mse, 1e-9);
  EXPECT_NEAR(*told.output_gain, 0.5, 1e-9);
  EXPECT_FALSE(told.params);
}

/// A weight of 16 channels, each ten times as wide as the one four before it. One element of the
/// first channel may be wider than all, in which case the rest of it is narrow.
struct StoredWeight : Stored {
  std::vector<float> floats;
  WeightRow weight_row;
  WeightPair weight_pair;
  PairedStats weight;

  explicit StoredWeight(bool by_channel, bool has_wide_element = false) {
    const std::vector<float> even = drawn::normal_floats(8, 16 * 500);
    for (std::size_t i = 0; i < even.size(); ++i)
      floats.push_back(even[i] * std::pow(10.F, static_cast<float>(i / 500 / 4)));
    if (has_wide_element) {
      for (std::size_t i = 0; i < 500; ++i) floats[i] *= 1e-3F;
      floats[250] = 1e5F;
    }
    weight_pair.scheme = {.dtype = DType::int8, .symmetric = true, .axis = {}};
    if (by_channel) weight_pair.scheme.axis = 0;
    const double mse = error(weight_pair.scheme);
    weight_row.granularity = by_channel ? Granularity::per_channel : Granularity::per_tensor;
    weight_row.mse = mse;
    weight.pairs.add(0, floats, floats);
    weight.reference_histogram.add(floats);
    weight.channel_axis = 0;
    weight.reference_channels.add(floats, {.outer = 1, .channels = 16, .inner = 500});
    row.weight_mse = *row.local_mse;  // it makes half of all
    row.local_mse = 2 * *row.local_mse;
    op = {.row = &row,
          .pair = &pair,
          .activation = &gathered,
          .weight_row = &weight_row,
          .weight_pair = &weight_pair,
          .weight = &weight};
  }

  /// Of the floats in codes of this scheme, in the range of each tensor or channel.
  double error(const Scheme& scheme) const {
    const std::size_t size = scheme.axis ? 500 : floats.size();
    double sum = 0;
    for (std::size_t at = 0; at < floats.size(); at += size) {
      const std::span<const float> part(floats.data() + at, size);
      const auto [least, greatest] = std::ranges::minmax_element(part);
      sum += measured(part, choose_params({*least, *greatest}, scheme), scheme.dtype) *
             static_cast<double>(size);
    }
    return sum / static_cast<double>(floats.size());
  }
};

TEST(WhatIf, GranularityOfAWeightIsToldByItsChannels) {
  for (const bool by_channel : {false, true}) {
    const StoredWeight stored(by_channel);
    WhatIf change;
    change.weight.granularity = by_channel ? Granularity::per_tensor : Granularity::per_channel;
    const Expectation told = expect(stored.op, change);
    ASSERT_TRUE(told.expected) << told.reason;
    EXPECT_EQ(told.known_by, KnownBy::moments);
    Scheme other = stored.weight_pair.scheme;
    other.axis = by_channel ? std::nullopt : std::optional(0);
    const double expected = stored.error(other) / stored.error(stored.weight_pair.scheme);
    EXPECT_NEAR(decibels(told.expected->weight_mse / told.now.weight_mse), decibels(expected), 0.5);
  }
}

TEST(WhatIf, AWideElementCostsItsChannelNoMoreThanTheRestOfItHolds) {
  const StoredWeight stored(false, true);
  WhatIf change;
  change.weight.granularity = Granularity::per_channel;
  const Expectation told = expect(stored.op, change);
  ASSERT_TRUE(told.expected) << told.reason;
  Scheme other = stored.weight_pair.scheme;
  other.axis = 0;
  const double expected = stored.error(other) / stored.error(stored.weight_pair.scheme);
  EXPECT_NEAR(decibels(told.expected->weight_mse / told.now.weight_mse), decibels(expected), 0.5);
}

TEST(WhatIf, GranularityOfGroupsIsNotKnown) {
  const StoredWeight stored(true);
  StoredOp op = stored.op;
  op.groups = 16;
  WhatIf change;
  change.weight.granularity = Granularity::per_tensor;
  EXPECT_FALSE(expect(op, change).expected);
  change.weight = {.dtype = AskedDtype::int4, .granularity = Granularity::per_channel};
  EXPECT_TRUE(expect(op, change).expected) << "which it has already";
}

TEST(WhatIf, BitsOfAWeightByChannelGoWithItsMeasuredError) {
  const StoredWeight stored(true);
  WhatIf change;
  change.weight.dtype = AskedDtype::int4;
  const Expectation told = expect(stored.op, change);
  ASSERT_TRUE(told.expected) << told.reason;
  Scheme other = stored.weight_pair.scheme;
  other.dtype = DType::int4;
  const double expected = stored.error(other) / stored.error(stored.weight_pair.scheme);
  EXPECT_NEAR(decibels(told.expected->weight_mse / told.now.weight_mse), decibels(expected), 0.5);
}

TEST(WhatIf, SaysWhatIsNotKnown) {
  const Stored stored;
  WhatIf change;
  change.activation.algorithm = RangeAlgorithm::moving_average;
  EXPECT_NE(expect(stored.op, change).reason.find("each sample"), std::string::npos);
  change = {};
  change.weight.dtype = AskedDtype::int4;
  EXPECT_EQ(expect(stored.op, change).reason, "it has no weight that was compared");
  ActivationRow unmeasured = stored.row;
  unmeasured.local_mse.reset();
  StoredOp op = stored.op;
  op.row = &unmeasured;
  change = {};
  change.activation.dtype = AskedDtype::int8;
  const Expectation told = expect(op, change);
  EXPECT_FALSE(told.expected);
  EXPECT_EQ(told.known_by, KnownBy::unknown);
}

TEST(WhatIf, RefusesWhatMakesNoSense) {
  const Stored stored;
  std::vector<WhatIf> changes(11);
  changes[1].range = Range{3, -3};
  changes[2].range = Range{0, 0};
  changes[3].range = Range{1e-44F, 2e-44F};
  changes[4].range = Range{-1, 1};
  changes[4].activation.algorithm = RangeAlgorithm::minmax;
  changes[5].range = Range{-1, 1};
  changes[5].activation.dtype = AskedDtype::fp32;
  changes[6].activation = {.algorithm = RangeAlgorithm::percentile, .percentile = 0};
  changes[7].activation.dtype = AskedDtype::int4;
  changes[8].weight.dtype = AskedDtype::int16;
  changes[9].activation.granularity = Granularity::per_channel;
  changes[10].activation.group_size = 32;
  for (const WhatIf& change : changes) {
    EXPECT_THROW(expect(stored.op, change), Error) << json::encode(change);
  }
}

TEST(WhatIf, ARangeHoldsZeroAndIsInNoRecipe) {
  const Stored stored;
  WhatIf change;
  change.range = Range{5, 6};
  const Expectation told = expect(stored.op, change);
  EXPECT_EQ(told.range, (Range{0, 6}));
  EXPECT_TRUE(sum_up({told}, {change}).recipe.is_null());
}

TEST(WhatIf, SixteenBitsOfAResultAreInNoRecipe) {
  const Stored stored;
  WhatIf change;
  change.activation.dtype = AskedDtype::uint16;
  const Expectation told = expect(stored.op, change);
  EXPECT_LT(told.expected.value().rounding_mse, told.now.rounding_mse);
  EXPECT_TRUE(sum_up({told}, {change}).recipe.is_null());
}

TEST(WhatIf, SeveralChangesAreOneRecipe) {
  const Stored stored;
  WhatIf percentile, wide;
  percentile.activation = {.algorithm = RangeAlgorithm::percentile, .percentile = 99.9};
  wide.weight.dtype = AskedDtype::int4;
  ActivationRow row = stored.row;
  row.op.name = "a.b";
  StoredOp other = stored.op;
  other.row = &row;
  const Expectations all =
      sum_up({expect(stored.op, percentile), expect(other, wide)}, {percentile, wide});
  EXPECT_EQ(all.recipe, json::parse(R"({"op_name_dict": {
      "conv": {"activation": {"algorithm": "percentile", "percentile": 99.9}},
      "a\\.b": {"weight": {"dtype": "int4"}}}})",
                                    "expected"));
  EXPECT_FALSE(all.output_gain) << "one of them is unknown";
}

}  // namespace
}  // namespace quantlens
