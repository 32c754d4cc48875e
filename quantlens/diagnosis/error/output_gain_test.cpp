// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/output_gain.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// One output, ten samples of ten elements of 1; sample s is off by `error` (1 + s / 10).
TapState outputs_off_by(double error) {
  TapState state;
  PairedStats& output = state.pairs.emplace_back();
  output.reference = output.quantized = "y";
  for (std::uint64_t sample = 0; sample < 10; ++sample) {
    const auto off = static_cast<float>(error * (1 + static_cast<double>(sample) / 10));
    output.pairs.add(sample, std::vector<float>(10, 1), std::vector<float>(10, 1 + off));
    state.samples.insert(sample);
  }
  return state;
}

TEST(OutputGain, IsTheShareOfTheErrorThatIsGone) {
  const Gain gain = output_gain(outputs_off_by(0.1), outputs_off_by(0.05));
  EXPECT_NEAR(gain.share, 0.75, 1e-5) << "of squares";
  EXPECT_NEAR(gain.interval[0], 0.75, 1e-4) << "each sample gains alike";
  EXPECT_NEAR(gain.interval[1], 0.75, 1e-4);
}

TEST(OutputGain, IsBelowZeroWhereThereIsMore) {
  EXPECT_NEAR(output_gain(outputs_off_by(0.1), outputs_off_by(0.2)).share, -3, 1e-4);
}

TEST(OutputGain, IsLessSureWhereSamplesDiffer) {
  TapState after = outputs_off_by(0.05);
  after.pairs.front().pairs.add(9, std::vector<float>(10, 1), std::vector<float>(10, 1.2F));
  const Gain gain = output_gain(outputs_off_by(0.1), after);
  EXPECT_GT(gain.interval[1] - gain.interval[0], 0.1);
  EXPECT_LE(gain.interval[1], 1);
}

TEST(OutputGain, IsLessSureWhereAnotherSampleHasMuchOfTheError) {
  TapState after = outputs_off_by(0.05);
  after.pairs.front().pairs.add(9, std::vector<float>(10, 1), std::vector<float>(10, 1.2F));
  const Gain measured = output_gain(outputs_off_by(0.1), after);
  EXPECT_TRUE(measured.samples.contains(9));
  Gain gain = measured;
  widen_for_others({}, gain);
  EXPECT_NEAR(gain.interval[0], measured.interval[0], 1e-12) << "all samples were measured";
  const std::vector<double> small(8, 0.01);
  widen_for_others(small, gain);
  const double width = measured.interval[1] - measured.interval[0];
  EXPECT_LT(gain.interval[1] - gain.interval[0], 1.1 * width) << "none has much of it";
  const std::vector<double> large = {0.42, 0.12};
  widen_for_others(large, gain);
  EXPECT_LT(gain.interval[0], gain.share - 2 * 0.43 * measured.spread);
  EXPECT_EQ(gain.share, measured.share);
  Gain alike = output_gain(outputs_off_by(0.1), outputs_off_by(0.05));
  widen_for_others(large, alike);
  EXPECT_NEAR(alike.interval[0], 0.75, 1e-4) << "what each sample gains, another will, too";
}

TEST(OutputGain, OfNothingIsNothing) {
  EXPECT_EQ(output_gain(outputs_off_by(0), outputs_off_by(0.1)).share, 0);
  EXPECT_EQ(output_gain({}, {}).share, 0);
}

}  // namespace
}  // namespace quantlens
