// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/local_errors.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

ValuePair local_pair(const std::string& name) {
  ValuePair pair;
  pair.reference = name;
  pair.quantized = name + "_q";
  pair.params = QParams{};
  pair.channel_axis = 1;
  pair.channel_histograms = {0};
  return pair;
}

TEST(LocalErrors, AreAskedOfPairsWithStatisticsThatAreNoSuspects) {
  Pairing pairing;
  pairing.pairs = {local_pair("a"), local_pair("moved"), local_pair("odd")};
  pairing.pairs[1].same_as = 0;
  pairing.suspects.push_back({.value = "odd", .quantized = "odd_q"});
  const TapSpec spec = local_taps_for(pairing);
  EXPECT_TRUE(spec.local);
  ASSERT_EQ(spec.pairs.size(), 1U);
  EXPECT_EQ(spec.pairs[0].reference, "a");
  EXPECT_EQ(spec.pairs[0].params, QParams{});
  EXPECT_FALSE(spec.pairs[0].histogram);
  EXPECT_EQ(spec.pairs[0].channel_axis, 1);
  EXPECT_TRUE(spec.pairs[0].channel_histograms.empty());
}

TEST(LocalErrors, StandInTheRowsThatWereGathered) {
  Diagnosis diagnosis;
  diagnosis.activations.resize(2);
  diagnosis.activations[0].value = "other";
  diagnosis.activations[1].value = "a";
  diagnosis.activations[1].quantized = "a_q";
  TapState state;
  state.samples.insert(4);
  state.samples.insert(5);
  PairedStats stats;
  stats.reference = "a";
  stats.quantized = "a_q";
  stats.pairs.add(4, std::vector<float>{10, 0}, std::vector<float>{11, 0});
  state.pairs.push_back(stats);
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").output("a");
  add_local_errors(net.graph(), {}, {state, state}, diagnosis);
  EXPECT_EQ(diagnosis.local_samples, 2U);
  EXPECT_FALSE(diagnosis.activations[0].local_mse);
  EXPECT_EQ(diagnosis.activations[1].local_mse, 0.5);
  EXPECT_DOUBLE_EQ(diagnosis.activations[1].local_sqnr_db.value(), 20);
  EXPECT_FALSE(diagnosis.activations[1].local_sqnr_db_interval) << "of one sample";
  EXPECT_DOUBLE_EQ(diagnosis.activations[1].shift_share.value(), 0.5);
}

TEST(LocalErrors, HaveTheirIntervalOverTheBlocksOfSamples) {
  Diagnosis diagnosis;
  diagnosis.activations.resize(1);
  diagnosis.activations[0].value = "a";
  diagnosis.activations[0].quantized = "a_q";
  TapState state;
  PairedStats stats{.reference = "a", .quantized = "a_q"};
  for (const std::uint64_t sample : {0, 1, 2, 35}) {
    state.samples.insert(sample);
    stats.pairs.add(sample, std::vector<float>{10},
                    std::vector<float>{sample == 1 ? 12.0F : 11.0F});
  }
  state.pairs.push_back(stats);
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").output("a");
  add_local_errors(net.graph(), {}, {state, state}, diagnosis);
  // SQNR of 400 over 7; without one of the three alike 300 over 6, without the other 300 over 3
  const double without[] = {10 * std::log10(50), 20, 10 * std::log10(50), 10 * std::log10(50)};
  double squares = 0;
  const double mean = (3 * without[0] + without[1]) / 4;
  for (const double one : without) squares += (one - mean) * (one - mean);
  const double half = 3.182 * std::sqrt(3.0 / 4 * squares);
  const auto [low, high] = diagnosis.activations[0].local_sqnr_db_interval.value();
  EXPECT_NEAR(low, 10 * std::log10(400.0 / 7) - half, 0.02 * half);
  EXPECT_NEAR(high, 10 * std::log10(400.0 / 7) + half, 0.02 * half);
}

TEST(LocalErrors, TellWhatIsConstantInEachChannel) {
  Diagnosis diagnosis;
  diagnosis.activations.resize(1);
  diagnosis.activations[0].value = "a";
  diagnosis.activations[0].quantized = "a_q";
  TapState state;
  state.samples.insert(0);
  PairedStats stats{.reference = "a", .quantized = "a_q"};
  stats.pairs.add(0, std::vector<float>{0, 0, 0, 0}, std::vector<float>{1, 1, -1, -1});
  stats.error_channels.add(std::vector<float>{-1, -1, 1, 1}, AxisLayout{1, 2, 2});
  state.pairs.push_back(stats);
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").output("a");
  add_local_errors(net.graph(), {}, {state, state}, diagnosis);
  EXPECT_EQ(diagnosis.activations[0].shift_share, 1) << "of the whole it is nothing";
}

}  // namespace
}  // namespace quantlens
