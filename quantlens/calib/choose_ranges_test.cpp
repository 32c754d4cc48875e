// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/choose_ranges.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

TapState statistics_of(const std::string& value, const std::vector<float>& elements) {
  TapState state;
  state.samples.insert(0);
  ValueStats stats{.value = value, .moments = {}, .histogram = {}, .channels = {}};
  stats.moments.add(0, elements);
  state.values.push_back(stats);
  return state;
}

TEST(ChooseRanges, MinmaxIsTheExtremesOfTheFiniteElements) {
  const float inf = std::numeric_limits<float>::infinity();
  const Ranges ranges = choose_ranges(statistics_of("x", {-2, inf, 5, std::nanf(""), -inf}), {});
  ASSERT_EQ(ranges.values.size(), 1U);
  EXPECT_EQ(ranges.values[0].min, -2);
  EXPECT_EQ(ranges.values[0].max, 5);
  EXPECT_EQ(ranges.samples, 1U);
}

TEST(ChooseRanges, MinmaxNeedsNoHistograms) {
  EXPECT_FALSE(needs_histograms("minmax"));
}

TEST(ChooseRanges, ListsValuesWithoutAFiniteElementApart) {
  const Ranges ranges = choose_ranges(statistics_of("x", {std::nanf("")}), {});
  EXPECT_TRUE(ranges.values.empty());
  EXPECT_EQ(ranges.empty, std::vector<std::string>{"x"});
}

TEST(ChooseRanges, RefusesAnAlgorithmItDoesNotKnow) {
  EXPECT_THROW(choose_ranges(statistics_of("x", {1}), {.algorithm = {.name = "guess"}}), Error);
  EXPECT_THROW(needs_histograms("guess"), Error);
}

}  // namespace
}  // namespace quantlens
