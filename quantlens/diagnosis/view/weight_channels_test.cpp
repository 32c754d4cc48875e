// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/weight_channels.h"

#include <cmath>
#include <optional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/diagnose.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/view/weights.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/histograms.h"

namespace quantlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Channels with these reaches and errors of a signal of 1.
std::vector<WeightChannel> channels(const std::vector<float>& reaches,
                                    const std::vector<double>& noises) {
  std::vector<WeightChannel> all;
  for (std::size_t c = 0; c < reaches.size(); ++c)
    all.push_back({.signal = 1, .noise = noises[c], .reach = reaches[c]});
  return all;
}

TEST(WeightChannels, MarksTheWorstTheWidestAndTheNarrowest) {
  const auto some = channels({3, 9, 1, 5, 0.5F, 4}, {0, 0, 0, 0, 0, 0.1});
  EXPECT_THAT(MarkedWeightChannels(1, {.histograms_of_one = 3}).next(some), ElementsAre(1, 4, 5));
  EXPECT_THAT(MarkedWeightChannels(1, {.histograms_of_one = 4}).next(some),
              ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(MarkedWeightChannels(1, {}).next(some), ElementsAre(0, 1, 2, 3, 4, 5));
  const auto exact = channels({1, 2, 3}, {0, 0, 0});
  EXPECT_FALSE(worst_channel(exact));
  EXPECT_THAT(MarkedWeightChannels(1, {.histograms_of_one = 2}).next(exact), ElementsAre(0, 2));
  EXPECT_THAT(MarkedWeightChannels(1, {}).next({}), IsEmpty());
}

TEST(WeightChannels, ShareWhatTheLimitsAllow) {
  const auto many = channels(std::vector<float>(100, 1), std::vector<double>(100, 0.5));
  MarkedWeightChannels few(10, {.histograms = 100});
  for (int weight = 0; weight < 10; ++weight) EXPECT_EQ(few.next(many).size(), 10U);
  MarkedWeightChannels scarce(100, {.histograms = 10});
  for (const std::size_t left : {3U, 3U, 3U, 1U, 0U}) EXPECT_EQ(scarce.next(many).size(), left);
}

std::vector<PairedStats> stats_of(const PairedModels& models, const ChannelLimits& limits = {}) {
  std::vector<PairedStats> all;
  for_each_weight_stats(
      models, [&](const PairedStats& one) { all.push_back(one); }, limits);
  return all;
}

/// A conv of 40 channels, each wider than the last, and the codes of its weight.
class WeightStats : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<std::int8_t> codes;
    for (std::int64_t i = 0; i < kChannels * kEach; ++i) {
      const std::int64_t channel = i / kEach;
      before_.push_back(normal(random) * static_cast<float>(channel + 1) * 0.01F);
      codes.push_back(static_cast<std::int8_t>(std::round(before_.back() / kScale)));
      after_.push_back(static_cast<float>(codes.back()) * kScale);
    }
    SmallGraph reference;
    reference.input("x").weight("w", {kChannels, 2, 3, 3}, before_);
    reference.node(Kind::conv, {"x", "w"}, "c").output("c");
    SmallGraph quantized;
    quantized.constant("w_q", Tensor::from<std::int8_t>({kChannels, 2, 3, 3}, codes));
    Pairing pairing;
    pairing.weights.push_back({.op = {.id = "c", .name = "conv"},
                               .type = "Conv",
                               .reference = "w",
                               .quantized = "w_q",
                               .scheme = {.dtype = DType::int8},
                               .params = {{.scale = kScale}}});
    models_.emplace(reference.model(), quantized.model(), pairing);
  }

  static FloatHistogram counted(const std::vector<float>& values, std::uint32_t channel) {
    FloatHistogram histogram;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i / kEach == channel) histogram.add(std::span(values).subspan(i, 1));
    }
    return histogram;
  }

  static constexpr std::int64_t kChannels = 40, kEach = 18;
  static constexpr float kScale = 0.02F;
  std::vector<float> before_, after_;
  std::optional<OwnModels> models_;
};

TEST_F(WeightStats, CountTheMarkedChannelsOfBothSides) {
  const auto all = stats_of(*models_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].channel_axis, 0);
  ASSERT_EQ(all[0].channel_histograms.size(), 16U);
  for (const PairedChannelHistogram& one : all[0].channel_histograms) {
    EXPECT_EQ(one.reference, counted(before_, one.channel));
    EXPECT_EQ(one.quantized, counted(after_, one.channel));
    EXPECT_EQ(one.codes.count(), 0U);
  }
}

TEST_F(WeightStats, CountTheWorstChannelOfTheRow) {
  const WeightRow row = weight_rows(*models_).at(0);
  const auto all = stats_of(*models_, {.histograms_of_one = 3});
  EXPECT_THAT(
      all.at(0).channel_histograms,
      ::testing::Contains(::testing::Field(&PairedChannelHistogram::channel, row.worst_channel)));
}

TEST_F(WeightStats, ComeBackFromTheBytesOfHistograms) {
  const auto written = [&] {
    return histograms_to_bytes({},
                               [&](const auto& tell) { for_each_weight_stats(*models_, tell); });
  };
  const std::string bytes = written();
  EXPECT_EQ(bytes, written());
  const auto expected = stats_of(*models_);
  EXPECT_EQ(histograms_from_bytes(bytes, "histograms.bin").weights, expected);
  EXPECT_EQ(HistogramsReader(bytes, "histograms.bin").find("w", "w_q"), expected.at(0));
}

TEST_F(WeightStats, OfAMatrixStoredTheOtherWayRoundAreOfTheReferencesChannels) {
  SmallGraph reference;
  reference.input("x").weight("w", {2, 3}, {1, 2, 3, 4, 5, 6}).node(Kind::gemm, {"x", "w"}, "g");
  SmallGraph quantized;
  quantized.constant("w_q", Tensor::from<std::int8_t>({3, 2}, {10, 20, 10, 25, 10, 30}));
  Pairing pairing;
  pairing.weights.push_back({.op = {.id = "g", .name = "gemm"},
                             .type = "Gemm",
                             .reference = "w",
                             .quantized = "w_q",
                             .transposed = true,
                             .scheme = {.dtype = DType::int8, .axis = 0},
                             .params = {{.scale = 0.5F}, {.scale = 0.25F}, {.scale = 0.125F}}});
  const auto all = stats_of(OwnModels(reference.model(), quantized.model(), pairing));
  ASSERT_EQ(all.at(0).channel_histograms.size(), 3U);
  EXPECT_EQ(all[0].channel_axis, 1);
  FloatHistogram before, after;
  before.add(std::vector<float>{2, 5});
  after.add(std::vector<float>{2.5F, 6.25F});
  EXPECT_EQ(all[0].channel_histograms[1].reference, before);
  EXPECT_EQ(all[0].channel_histograms[1].quantized, after);
}

}  // namespace
}  // namespace quantlens
