// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/choose_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/words.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

const Scheme kUnsigned{.dtype = DType::uint8, .symmetric = false};
constexpr float kLeast = std::numeric_limits<float>::lowest();

using Elements = std::vector<float>;

/// Of extremes and moments alone; each of `samples` holds the elements of one.
TapState without_histogram(const std::string& value, const std::vector<Elements>& samples) {
  TapState state;
  state.model = std::string(64, 'a');
  ValueStats stats{.value = value, .moments = {}, .histogram = {}, .channels = {}};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    state.samples.insert(i);
    stats.moments.add(i, samples[i]);
  }
  state.values.push_back(stats);
  return state;
}

TapState range_statistics(const std::string& value, const Elements& elements) {
  return without_histogram(value, {elements});
}

TapState with_histogram(const Elements& elements) {
  TapState state = range_statistics("x", elements);
  state.values[0].histogram.add(elements);
  return state;
}

ValueRange range_by(RangeAlgorithm algorithm, const Elements& elements,
                    const Scheme& scheme = kUnsigned) {
  const Ranges ranges = choose_ranges(
      with_histogram(elements),
      {.values = {}, .usual = {.algorithm = algorithm}, .of_value = {}, .scheme = scheme});
  EXPECT_EQ(ranges.values.size(), 1U) << word(algorithm);
  return ranges.values.at(0);
}

Elements normal(std::size_t count, float deviation = 1) {
  std::mt19937 random(5);
  std::normal_distribution<float> distribution(0, deviation);
  Elements elements(count);
  for (float& element : elements) element = distribution(random);
  return elements;
}

constexpr RangeAlgorithm kAlgorithms[] = {
    RangeAlgorithm::minmax,     RangeAlgorithm::moving_average,
    RangeAlgorithm::percentile, RangeAlgorithm::entropy,
    RangeAlgorithm::mse,        RangeAlgorithm::auto_};

TEST(ChooseRanges, MinmaxIsTheExtremesOfTheFiniteElements) {
  const float inf = std::numeric_limits<float>::infinity();
  const Ranges ranges = choose_ranges(range_statistics("x", {-2, inf, 5, std::nanf(""), -inf}), {});
  ASSERT_EQ(ranges.values.size(), 1U);
  EXPECT_EQ(ranges.values[0].min, -2);
  EXPECT_EQ(ranges.values[0].max, 5);
  EXPECT_EQ(ranges.samples, 1U);
}

TEST(ChooseRanges, AlgorithmsOfExtremesNeedNoHistograms) {
  EXPECT_FALSE(needs_histograms(RangeAlgorithm::minmax));
  EXPECT_FALSE(needs_histograms(RangeAlgorithm::moving_average));
  EXPECT_TRUE(needs_histograms(RangeAlgorithm::mse));
}

TEST(ChooseRanges, ListsValuesWithoutAFiniteElementApart) {
  const Ranges ranges = choose_ranges(range_statistics("x", {std::nanf("")}), {});
  EXPECT_TRUE(ranges.values.empty());
  EXPECT_EQ(ranges.empty, std::vector<std::string>{"x"});
}

TEST(ChooseRanges, KeepsWhoseModelTheStatisticsAreOf) {
  EXPECT_EQ(choose_ranges(range_statistics("x", {1}), {}).model, std::string(64, 'a'));
}

TEST(ChooseRanges, MovingAverageIsTheMeanOfEachSamplesExtremes) {
  const TapState state = without_histogram("x", {{-1, 0, 2}, {-3, 10}, {1, 3}});
  const RangeOptions options{.values = {},
                             .usual = {.algorithm = RangeAlgorithm::moving_average},
                             .of_value = {},
                             .scheme = {}};
  const ValueRange range = choose_ranges(state, options).values.at(0);
  EXPECT_EQ(range.min, -1);
  EXPECT_EQ(range.max, 5);
  EXPECT_EQ(range.algorithm, RangeAlgorithm::moving_average);
  EXPECT_FALSE(range.expected_mse);
}

TEST(ChooseRanges, AnAlgorithmOfOneValueIsItsAlone) {
  TapState state = with_histogram({0, 1, 2, 3, 100});
  state.values.push_back(state.values[0]);
  state.values[1].value = "y";
  const Ranges ranges =
      choose_ranges(state, {.values = {},
                            .usual = {.algorithm = RangeAlgorithm::minmax},
                            .of_value = {{"y", {.algorithm = RangeAlgorithm::kl}}},
                            .scheme = kUnsigned});
  EXPECT_EQ(ranges.values[0].algorithm, RangeAlgorithm::minmax);
  EXPECT_EQ(ranges.values[1].algorithm, RangeAlgorithm::entropy) << "kl is another name for it";
}

TEST(ChooseRanges, APercentileCanBeChosen) {
  Elements elements;
  for (int i = 1; i <= 10'000; ++i) elements.push_back(static_cast<float>(i));
  const auto max_of = [&](double percentile) {
    const RangeOptions options{
        .values = {},
        .usual = {.algorithm = RangeAlgorithm::percentile, .percentile = percentile},
        .of_value = {},
        .scheme = kUnsigned};
    return choose_ranges(with_histogram(elements), options).values.at(0).max;
  };
  EXPECT_NEAR(max_of(99), 9950, 40);
  EXPECT_NEAR(max_of(90), 9500, 40);
  EXPECT_EQ(max_of(100), 10'000);
}

TEST(ChooseRanges, WithoutHistogramsSomeAlgorithmsHaveNothingToLookAt) {
  const TapState state = range_statistics("x", {1, 2});
  for (const RangeAlgorithm algorithm : {RangeAlgorithm::percentile, RangeAlgorithm::entropy,
                                         RangeAlgorithm::mse, RangeAlgorithm::auto_}) {
    EXPECT_THROW(
        choose_ranges(
            state, {.values = {}, .usual = {.algorithm = algorithm}, .of_value = {}, .scheme = {}}),
        Error)
        << word(algorithm);
  }
}

TEST(ChooseRanges, LeavesOutWhatWantsNone) {
  TapState state = with_histogram({1, 2});
  state.values.push_back(range_statistics("y", {1, 2}).values[0]);  // tapped for its channels, say
  const Ranges ranges = choose_ranges(
      state,
      {.values = {"x"}, .usual = {.algorithm = RangeAlgorithm::mse}, .of_value = {}, .scheme = {}});
  ASSERT_EQ(ranges.values.size(), 1U);
  EXPECT_EQ(ranges.values[0].value, "x");
  EXPECT_TRUE(ranges.empty.empty());
}

TEST(ChooseRanges, OfAConstantIsTheConstant) {
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    for (const float constant : {-3.5F, 0.F, 1e-20F, 7e8F}) {
      const ValueRange range = range_by(algorithm, Elements(100, constant));
      EXPECT_EQ(range.min, constant) << word(algorithm);
      EXPECT_EQ(range.max, constant) << word(algorithm);
    }
  }
}

TEST(ChooseRanges, OfOneSidedValuesStaysOnThatSide) {
  Elements above = normal(20'000);
  for (float& element : above) element = 50 + std::abs(element);
  Elements below = above;
  for (float& element : below) element = -element;
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    const ValueRange high = range_by(algorithm, above);
    EXPECT_GE(high.min, 0) << word(algorithm);
    EXPECT_GT(high.max, 50) << word(algorithm);
    const ValueRange low = range_by(algorithm, below);
    EXPECT_LE(low.max, 0) << word(algorithm);
    EXPECT_LT(low.min, -50) << word(algorithm);
  }
}

TEST(ChooseRanges, OfASpikeAtZeroLooksAtTheRest) {
  Elements elements = normal(10'000);
  elements.resize(3'000'000);  // all but one in 300 are zero
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    const ValueRange range = range_by(algorithm, elements);
    EXPECT_LT(range.min, -1) << word(algorithm);
    EXPECT_GT(range.max, 1) << word(algorithm);
  }
  Elements single(3'000'000);
  single[7] = 5;  // so rare that percentile would leave nothing
  EXPECT_EQ(range_by(RangeAlgorithm::percentile, single).max, 5);
}

TEST(ChooseRanges, KeepsTheSpikeAtTheBoundOfAClip) {
  Elements elements = normal(50'000, 3);
  for (float& element : elements) element = std::clamp(element, 0.F, 6.F);  // 2 % are 6
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    EXPECT_NEAR(range_by(algorithm, elements).max, 6, 0.02) << word(algorithm);
  }
}

TEST(ChooseRanges, MasksAreLeftOutAndHaveRoom) {
  const Elements inner = normal(30'000, 4);
  Elements masked = inner;
  for (std::size_t i = 0; i < masked.size(); i += 3) masked[i] = kLeast;
  const float least = *std::ranges::min_element(inner);
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    const ValueRange range = range_by(algorithm, masked);
    EXPECT_GT(range.min, 1.15F * least - 16) << word(algorithm) << ": to a folded bin";
    EXPECT_LT(range.min, -17) << word(algorithm);
    EXPECT_LT(range.max, 25) << word(algorithm);
    EXPECT_GT(range.max, 3) << word(algorithm);
    ASSERT_TRUE(range.expected_mse) << word(algorithm);
    EXPECT_LT(*range.expected_mse, 1) << word(algorithm);
    const ValueRange alone = range_by(algorithm, {kLeast, kLeast});
    EXPECT_EQ(alone.min, -16) << word(algorithm);
    EXPECT_EQ(alone.max, 0) << word(algorithm);
  }
}

TEST(ChooseRanges, WithoutHistogramsMasksLeaveNoRange) {
  const TapState state = range_statistics("x", {-1, 1, kLeast});
  for (const RangeAlgorithm algorithm : {RangeAlgorithm::minmax, RangeAlgorithm::moving_average}) {
    const Ranges ranges = choose_ranges(
        state, {.values = {}, .usual = {.algorithm = algorithm}, .of_value = {}, .scheme = {}});
    EXPECT_TRUE(ranges.values.empty());
    EXPECT_EQ(ranges.empty, std::vector<std::string>{"x"});
  }
}

TEST(ChooseRanges, AutoIsTheLeastExpectedErrorAndSaysWhichItIs) {
  Elements tails = normal(100'000);
  for (std::size_t i = 0; i < tails.size(); i += 1000) tails[i] *= 30;
  for (const Scheme& scheme : {kUnsigned, Scheme{.dtype = DType::int8, .symmetric = true}}) {
    const ValueRange chosen = range_by(RangeAlgorithm::auto_, tails, scheme);
    EXPECT_EQ(chosen.asked, RangeAlgorithm::auto_);
    EXPECT_EQ(chosen.algorithm, RangeAlgorithm::mse);
    for (const RangeAlgorithm algorithm : kAlgorithms) {
      EXPECT_LE(*chosen.expected_mse, *range_by(algorithm, tails, scheme).expected_mse)
          << word(algorithm);
    }
    const double minmax = *range_by(RangeAlgorithm::minmax, tails, scheme).expected_mse;
    EXPECT_LT(*chosen.expected_mse, 0.9 * minmax);
  }
}

TEST(ChooseRanges, AutoKeepsAllWhereThatIsAsGood) {
  Elements even;
  for (int i = -5000; i <= 5000; ++i) even.push_back(static_cast<float>(i) / 1000);
  const ValueRange chosen = range_by(RangeAlgorithm::auto_, even);
  EXPECT_EQ(chosen.algorithm, RangeAlgorithm::minmax);
  EXPECT_EQ(chosen.min, -5);
  EXPECT_EQ(chosen.max, 5);
}

TEST(ChooseRanges, TheExpectedErrorIsTheOneThatQuantizingMakes) {
  const Elements elements = normal(200'000, 2);
  for (const RangeAlgorithm algorithm : kAlgorithms) {
    const ValueRange range = range_by(algorithm, elements);
    const QParams params = choose_params({range.min, range.max}, kUnsigned);
    double sum = 0;
    for (const float element : elements) {
      const double error = element - dequantize(quantize(element, params, kUnsigned.dtype), params);
      sum += error * error;
    }
    const double measured = sum / static_cast<double>(elements.size());
    EXPECT_NEAR(range.expected_mse.value(), measured, 0.02 * measured) << word(algorithm);
  }
}

Range range_without_zero_point(RangeAlgorithm algorithm, const Elements& elements) {
  const Ranges ranges = choose_ranges(
      with_histogram(elements),
      {.usual = {.algorithm = algorithm}, .scheme = kUnsigned, .kernels = {.zero_points = false}});
  return {ranges.values.at(0).min, ranges.values.at(0).max};
}

TEST(ChooseRanges, WithoutZeroPointsAreForCodesAroundZeroOrFromZeroOn) {
  constexpr Scheme kSigned{.dtype = DType::int8, .symmetric = true};
  Elements skewed = normal(4000);
  for (float& element : skewed) element = element < 0 ? element / 8 : element;
  Elements positive = skewed;
  for (float& element : positive) element = std::abs(element);
  for (const RangeAlgorithm algorithm :
       {RangeAlgorithm::mse, RangeAlgorithm::percentile, RangeAlgorithm::auto_}) {
    const ValueRange around = range_by(algorithm, skewed, kSigned);
    EXPECT_EQ(range_without_zero_point(algorithm, skewed), (Range{around.min, around.max}));
    const ValueRange above = range_by(algorithm, positive, kUnsigned);
    EXPECT_EQ(range_without_zero_point(algorithm, positive), (Range{above.min, above.max}));
  }
  EXPECT_NE(range_by(RangeAlgorithm::mse, skewed, kSigned).max,
            range_by(RangeAlgorithm::mse, skewed, kUnsigned).max);
}

}  // namespace
}  // namespace quantlens
