// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/suspects.h"

#include <numeric>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"

namespace quantlens {
namespace {

PairStats stats_of(const std::vector<float>& x, const std::vector<float>& y,
                   std::uint64_t sample = 0) {
  PairStats stats;
  stats.add(sample, x, y);
  return stats;
}

/// Pearson's, as the books have it.
double plain_correlation(const std::vector<float>& x, const std::vector<float>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

TEST(Correlation, IsPearsons) {
  const std::vector<float> x = numbers(1000, 1), noise = numbers(1000, 2);
  for (const float share : {0.0F, 0.3F, 1.0F, 5.0F}) {
    std::vector<float> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = 3 - x[i] + share * noise[i];
    EXPECT_NEAR(*correlation(stats_of(x, y), 0), plain_correlation(x, y), 1e-6);
  }
}

TEST(Correlation, OfConstantsIsDefined) {
  const std::vector<float> moving = numbers(16, 1), constant(16, 0.1F), other(16, 7);
  EXPECT_EQ(correlation(stats_of(constant, other), 0), 1) << "nothing contradicts it";
  EXPECT_EQ(correlation(stats_of(moving, constant), 0), 0);
  EXPECT_EQ(correlation(stats_of(constant, moving), 0), 0);
}

TEST(Correlation, NeedsSomeElementsOfThatSample) {
  EXPECT_EQ(correlation(stats_of(numbers(7, 1), numbers(7, 1)), 0), std::nullopt);
  EXPECT_EQ(correlation(stats_of(numbers(8, 1), numbers(8, 1), 1), 0), std::nullopt);
  EXPECT_NEAR(*correlation(stats_of(numbers(8, 1), numbers(8, 1), 1), 1), 1, 1e-9);
}

ValuePair suspect_pair(const std::string& name, FoundBy found_by, bool confirmed) {
  return {.op = {.id = name, .name = "op " + name},
          .type = "Add",
          .reference = name,
          .quantized = name + "_q",
          .found_by = found_by,
          .confirmed = confirmed};
}

TEST(Suspects, AreThePairsThatNeitherOpsNorValuesSpeakFor) {
  Pairing pairing;
  TapState state;
  const auto add = [&](const std::string& name, FoundBy found_by, bool confirmed, unsigned seed) {
    pairing.pairs.push_back(suspect_pair(name, found_by, confirmed));
    state.pairs.push_back({.reference = name,
                           .quantized = name + "_q",
                           .pairs = stats_of(numbers(64, 1), numbers(64, seed))});
  };
  add("bad", FoundBy::name, false, 2);
  add("bad, but confirmed", FoundBy::structure, true, 2);
  add("bad, but from metadata", FoundBy::metadata, false, 2);
  add("good", FoundBy::structure, false, 1);
  pairing.pairs.push_back(suspect_pair("moved", FoundBy::name, false));
  pairing.pairs.back().same_as = 0;
  find_suspects(state, 0, pairing);
  ASSERT_EQ(pairing.suspects.size(), 2U);
  EXPECT_EQ(pairing.suspects[0].value, "bad");
  EXPECT_EQ(pairing.suspects[0].op.name, "op bad");
  EXPECT_LT(pairing.suspects[0].correlation, kLeastCorrelation);
  EXPECT_EQ(pairing.suspects[1].value, "moved") << "its elements are those of the first";
}

}  // namespace
}  // namespace quantlens
