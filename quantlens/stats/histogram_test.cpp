// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/histogram.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/moments.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::any_floats;
using drawn::awkward_floats;
using drawn::bytes_of;
using drawn::normal_floats;
using drawn::random_codes;

FloatHistogram histogram_of(const std::vector<float>& values) {
  FloatHistogram histogram;
  histogram.add(values);
  return histogram;
}

/// Whether `bin` is where a finite `value` must be counted.
bool holds(const FloatHistogram::Bin& bin, float value) {
  if (bin.low < 0 && bin.high <= 0) return bin.low < value && value <= bin.high;
  return bin.low <= value && value < bin.high;
}

TEST(FloatHistogram, CountsEveryFiniteValueInTheOneBinThatHoldsIt) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<float> values = awkward_floats(seed, 100 * seed);
    const FloatHistogram histogram = histogram_of(values);
    std::uint64_t counted = 0;
    for (const FloatHistogram::Bin& bin : histogram.bins()) {
      EXPECT_LT(bin.low, bin.high);
      const auto inside = std::count_if(values.begin(), values.end(), [&](float value) {
        return std::isfinite(value) && holds(bin, value);
      });
      EXPECT_EQ(bin.count, static_cast<std::uint64_t>(inside)) << bin.low << " " << bin.high;
      counted += bin.count;
    }
    const auto finite =
        std::count_if(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    EXPECT_EQ(counted, static_cast<std::uint64_t>(finite));
    EXPECT_EQ(histogram.count(), counted);
  }
}

TEST(FloatHistogram, HasItsBinsInAscendingOrder) {
  const auto bins = histogram_of(awkward_floats(1, 20000)).bins();
  for (std::size_t i = 1; i < bins.size(); ++i) EXPECT_LE(bins[i - 1].high, bins[i].low);
}

TEST(FloatHistogram, HasFineBinsNearTheLargestValueAndCoarseOnesFarBelow) {
  const auto bins = histogram_of({1.0f, 0x1p-8f, 0x1p-9f, -0x1p-8f, -0x1p-9f}).bins();
  ASSERT_EQ(bins.size(), 5u);
  EXPECT_EQ(bins[4].high - bins[4].low, 1.0 / 256);
  EXPECT_EQ(bins[3].high - bins[3].low, 0x1p-8 / 256);
  EXPECT_EQ(bins[2].high - bins[2].low, 0x1p-9 / 8);
  EXPECT_EQ(bins[1].high - bins[1].low, 0x1p-9 / 8);
  EXPECT_EQ(bins[0].high - bins[0].low, 0x1p-8 / 256);
}

TEST(FloatHistogram, CountsZerosOfBothSignsAndSubnormalsTogether) {
  const auto bins = histogram_of({0.0f, -0.0f, 1e-40f, -1e-45f, 0.0f, 0.0f, -0.0f}).bins();
  ASSERT_EQ(bins.size(), 1u);
  EXPECT_EQ(bins[0], (FloatHistogram::Bin{-0x1p-126, 0x1p-126, 7}));
}

TEST(FloatHistogram, SkipsWhatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(histogram_of({NAN, inf, -inf, -NAN, NAN}).empty());
  EXPECT_EQ(histogram_of({NAN, 1, inf}).count(), 1u);
}

TEST(FloatHistogram, OfNothingIsEmpty) {
  FloatHistogram histogram;
  histogram.add({});
  EXPECT_TRUE(histogram.empty());
  EXPECT_TRUE(histogram.bins().empty());
  EXPECT_EQ(histogram, FloatHistogram());
}

TEST(FloatHistogram, IsNotHurtByOneHugeOutlier) {
  std::vector<float> values = normal_floats(3, 10000);
  values.push_back(-3.4e38f);
  const FloatHistogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  const double median = values[values.size() / 2];
  EXPECT_NEAR(histogram.quantile(0.5), median, 0.02);
}

TEST(FloatHistogram, HasQuantilesWithinABinOfTheTrueOnes) {
  constexpr double kCoarse = 0x1p-10;  // the widest folded bin where the largest octave begins at 4
  std::vector<float> values = normal_floats(5, 100000);
  const FloatHistogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  for (const double p : {0.0, 0.0001, 0.01, 0.25, 0.5, 0.9, 0.999, 0.99999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::lround(p * 1e5));
    const double before = values[std::max<std::size_t>(rank, 1) - 1];
    const double after = values[std::min(rank, values.size() - 1)];
    EXPECT_GE(histogram.quantile(p), before - std::abs(before) / 256 - kCoarse) << p;
    EXPECT_LE(histogram.quantile(p), after + std::abs(after) / 256 + kCoarse) << p;
  }
}

TEST(FloatHistogram, IsZeroAtTheQuantilesOfManyZeros) {
  const FloatHistogram histogram = histogram_of({0, 0, 0, 5, 0, 0, 7, 0});
  EXPECT_EQ(histogram.quantile(0), 0);
  EXPECT_EQ(histogram.quantile(0.5), 0);
  EXPECT_NEAR(histogram.quantile(1), 7, 7.0 / 128);
}

RC_GTEST_PROP(FloatHistogram, OfAnySplitMergedEqualsTheWholeByteForByte, ()) {
  const std::vector<float> values = *any_floats();
  FloatHistogram whole;
  whole.add(values);
  std::array<FloatHistogram, 3> parts;
  for (std::size_t at = 0; at < values.size();) {
    const auto count =
        std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 1500), values.size() - at);
    parts[*rc::gen::inRange<std::size_t>(0, 3)].add(std::span(values).subspan(at, count));
    at += count;
  }
  FloatHistogram merged = parts[2];
  merged.merge(parts[0]);
  merged.merge(parts[1]);
  RC_ASSERT(merged == whole);
  RC_ASSERT(bytes_of(merged) == bytes_of(whole));
  RC_ASSERT(merged.bins() == whole.bins());
}

/// Small tensors, large ones, and such as have more octaves than fit the table of large ones.
std::vector<std::vector<float>> tensors_of_every_size() {
  std::vector<std::vector<float>> all;
  for (const std::size_t size : {1ul, 100ul, 8191ul, 8192ul, 9217ul, 50001ul}) {
    all.push_back(awkward_floats(size, size));
    all.push_back(normal_floats(size, size));
    all.push_back(normal_floats(size, size));
    for (float& value : all.back()) value = std::max(value, 0.0f);
  }
  return all;
}

TEST(FloatHistogram, CountsOneByOneAsItCountsAllAtOnce) {
  for (const std::vector<float>& values : tensors_of_every_size()) {
    FloatHistogram slow;
    for (const float& value : values) slow.add({&value, 1});
    EXPECT_EQ(bytes_of(slow), bytes_of(histogram_of(values)));
  }
}

TEST(FloatHistogram, IsTheSameWithMomentsAndLeavesThemTheSame) {
  for (const std::vector<float>& values : tensors_of_every_size()) {
    FloatHistogram histogram;
    Moments moments;
    Moments alone;
    for (std::uint64_t sample = 0; sample < 3; ++sample) {
      histogram.add(values, sample, moments);
      alone.add(sample, values);
    }
    FloatHistogram tripled = histogram_of(values);
    tripled.merge(histogram_of(values));
    tripled.merge(histogram_of(values));
    EXPECT_EQ(bytes_of(histogram), bytes_of(tripled));
    EXPECT_EQ(bytes_of(moments), bytes_of(alone));
  }
}

TEST(FloatHistogram, OfTwoHalvesOfALargeTensorMergedEqualsTheWhole) {
  for (const std::vector<float>& values : tensors_of_every_size()) {
    const std::span<const float> all(values);
    for (const std::size_t cut : {all.size() / 2, all.size() / 5}) {
      FloatHistogram left;
      FloatHistogram right;
      FloatHistogram both;
      left.add(all.first(cut));
      right.add(all.subspan(cut));
      both.add(all.subspan(cut));
      both.add(all.first(cut));
      left.merge(right);
      EXPECT_EQ(bytes_of(left), bytes_of(histogram_of(values)));
      EXPECT_EQ(bytes_of(both), bytes_of(left));
    }
  }
}

TEST(FloatHistogram, CountsValuesOfEveryOctaveThereIs) {
  // Twenty values an octave: in twenty fine bins, in eight coarse ones.
  std::vector<float> values;
  for (std::uint32_t octave = 0; octave < 512; ++octave) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      values.push_back(std::bit_cast<float>(octave << 23 | i * 0x60000u));
    }
  }
  std::shuffle(values.begin(), values.end(), std::mt19937_64(1));
  EXPECT_EQ(histogram_of(values).count(), 10200u);
  EXPECT_EQ(histogram_of(values).bins().size(), 2 * (9 * 20 + 245 * 8) + 1u);
}

/// A histogram of one bin, [1, 1 + 1/256).
FloatHistogram ones(std::uint64_t count) {
  std::string bytes = {1, 127, 0, 127};  // one octave; the largest exponent; sign and exponent
  append_varint(bytes, count);
  bytes.append(255, 0);
  std::string_view in = bytes;
  return FloatHistogram::take_from(in);
}

TEST(FloatHistogram, CountsBeyond32Bits) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
  const std::vector<float> values = {1, 1, 0, -3, 1, 0.001f, 1, 1};
  for (const std::uint64_t start : {kLimit - 100, kLimit - 5, kLimit - 1, kLimit, 5 * kLimit + 3}) {
    FloatHistogram histogram = ones(start);
    histogram.add(values);
    FloatHistogram merged = histogram_of(values);
    merged.merge(ones(start));
    EXPECT_EQ(histogram.count(), start + 8);
    EXPECT_EQ(histogram.bins()[3], (FloatHistogram::Bin{1, 1 + 1.0 / 256, start + 5}));
    EXPECT_EQ(bytes_of(histogram), bytes_of(merged));
    std::string bytes = bytes_of(histogram);
    std::string_view in = bytes;
    EXPECT_EQ(FloatHistogram::take_from(in), histogram);
    histogram.add(values);  // what is beyond stays there when more is counted
    merged.add(std::vector<float>{-100});
    EXPECT_EQ(histogram.count(), start + 16);
    EXPECT_EQ(merged.count(), start + 9);
  }
}

TEST(FloatHistogram, MergedWithItselfIsDoubled) {
  FloatHistogram histogram = histogram_of({1, 2, 3, 1e-20f});
  histogram.merge(histogram);
  EXPECT_EQ(histogram, histogram_of({1, 2, 3, 1e-20f, 1, 2, 3, 1e-20f}));
}

TEST(FloatHistogram, IsIndependentOfItsCopy) {
  FloatHistogram histogram = histogram_of({1, 2});
  const FloatHistogram copy = histogram;
  histogram.add(std::vector<float>{3});
  EXPECT_EQ(copy, histogram_of({1, 2}));
}

TEST(FloatHistogram, ComesBackFromItsBytes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FloatHistogram histogram = histogram_of(awkward_floats(seed, 40 * seed));
    const std::string bytes = bytes_of(histogram);
    std::string_view in = bytes;
    EXPECT_EQ(FloatHistogram::take_from(in), histogram);
    EXPECT_TRUE(in.empty());
  }
}

template <class Code>
CodeHistogram codes_of(std::span<const Code> codes) {
  CodeHistogram histogram;
  histogram.add(codes);
  return histogram;
}

TEST(CodeHistogram, CountsEachCodeOnce) {
  for (const std::size_t size : {0ul, 1ul, 7ul, 511ul, 512ul, 513ul, 100003ul}) {
    const auto u8 = random_codes<std::uint8_t>(size, size);
    const auto i8 = random_codes<std::int8_t>(size, size);
    CodeHistogram expected_u8;
    CodeHistogram expected_i8;
    for (const std::uint8_t code : u8) ++expected_u8.counts[code];
    for (const std::int8_t code : i8) ++expected_i8.counts[static_cast<std::size_t>(code + 128)];
    EXPECT_EQ(codes_of(std::span(u8)), expected_u8);
    EXPECT_EQ(codes_of(std::span(i8)), expected_i8);
    EXPECT_EQ(expected_u8.count(), size);
  }
}

TEST(CodeHistogram, OfAnySplitMergedEqualsTheWhole) {
  const auto codes = random_codes<std::uint8_t>(1, 5000);
  const std::span<const std::uint8_t> all(codes);
  for (std::size_t cut = 0; cut <= codes.size(); cut += 617) {
    CodeHistogram merged = codes_of(all.subspan(cut));
    merged.merge(codes_of(all.first(cut)));
    EXPECT_EQ(bytes_of(merged), bytes_of(codes_of(all)));
  }
}

TEST(CodeHistogram, ComesBackFromItsBytes) {
  for (const std::size_t size : {0ul, 3ul, 10000ul}) {
    const auto codes = random_codes<std::int8_t>(size, size);
    const CodeHistogram histogram = codes_of(std::span<const std::int8_t>(codes));
    const std::string bytes = bytes_of(histogram);
    std::string_view in = bytes;
    EXPECT_EQ(CodeHistogram::take_from(in), histogram);
    EXPECT_TRUE(in.empty());
  }
}

}  // namespace
}  // namespace quantlens
