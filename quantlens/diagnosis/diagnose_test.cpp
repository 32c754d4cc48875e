// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/diagnose.h"

#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

const SampleNames kNames = [](std::uint64_t sample) { return "sample " + std::to_string(sample); };

ValuePair value_pair(const std::string& name) {
  return {.op = {.id = name, .name = "op " + name},
          .type = "Conv",
          .reference = name,
          .quantized = name + "_q"};
}

PairedStats paired(const std::string& name, float error_of_sample_1) {
  PairedStats stats{.reference = name, .quantized = name + "_q"};
  const std::vector<float> x{1, -1, 2, -2};
  stats.pairs.add(0, x, std::vector<float>{1, -1, 2, -1.5F});
  std::vector<float> y = x;
  y[0] += error_of_sample_1;
  stats.pairs.add(1, x, y);
  return stats;
}

TEST(Diagnose, ListsFloatOutputsWithoutARow) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"x"}, "b").output("a").output("b");
  Pairing pairing;
  pairing.pairs = {value_pair("a")};
  TapState state;
  state.samples.insert(0);
  state.pairs = {paired("a", 0)};
  const Diagnosis diagnosis = diagnose(OwnModels(net.model(), net.model(), pairing), state, kNames);
  EXPECT_EQ(diagnosis.outputs_not_compared, std::vector<std::string>{"b"});
}

TEST(Diagnose, AWeightThatIsCodesInTheReferenceHasNoRow) {
  SmallGraph net;
  net.input("x").constant("w", Tensor::from<std::int8_t>({2, 2}, {100, -50, 3, 7}));
  net.node(Kind::matmul_integer, {"x", "w"}, "y").output("y");
  Pairing pairing;
  pairing.weights.push_back({.op = {.id = "y", .name = "y"},
                             .type = "MatMulInteger",
                             .reference = "w",
                             .quantized = "w",
                             .scheme = {.dtype = DType::int8},
                             .params = {{.scale = 0.01F}}});
  EXPECT_TRUE(diagnose(OwnModels(net.model(), net.model(), pairing), {}, kNames).weights.empty());
}

TEST(Diagnose, NamesTheWorstChannelAndHowUnequalTheyAre) {
  const Model none;
  Pairing pairing;
  pairing.pairs = {value_pair("a"), value_pair("b")};
  pairing.pairs[1].same_as = 0;
  TapState state;
  state.samples.insert(0);
  PairedStats stats = paired("a", 0);
  stats.channel_axis = 1;
  const AxisLayout layout{1, 4, 2};
  stats.reference_channels.add(std::vector<float>{0, 4, 0, 1, 0, 8, 3, 3}, layout);
  stats.error_channels.add(std::vector<float>{0, 1, 0, 1, 0, 2, 1, 1}, layout);
  state.pairs = {stats};
  const Diagnosis diagnosis = diagnose(OwnModels(none, none, pairing), state, kNames);
  ASSERT_EQ(diagnosis.activations.size(), 2U);
  const ActivationRow& row = diagnosis.activations[0];
  EXPECT_EQ(row.channels, 4U);
  EXPECT_EQ(row.worst_channel, 2U) << "not the one whose SQNR is least";
  EXPECT_EQ(row.worst_channel_share, 0.5);
  EXPECT_DOUBLE_EQ(*row.worst_channel_sqnr_db, 10 * std::log10(16.0));
  EXPECT_EQ(row.channel_spread, 2) << "8 over 4, the upper one of 1, 3, 4, 8";
  EXPECT_EQ(diagnosis.activations[1].channels, 0U) << "what is moved has its axis elsewhere";
  EXPECT_FALSE(diagnosis.activations[1].worst_channel);
}

/// The weight "w" of the conv "c" and its codes "w_q".
Pairing conv_weights(float scale) {
  Pairing pairing;
  pairing.weights.push_back({.op = {.id = "c", .name = "conv"},
                             .type = "Conv",
                             .reference = "w",
                             .quantized = "w_q",
                             .scheme = {.dtype = DType::int8},
                             .params = {{.scale = scale}}});
  return pairing;
}

TEST(Diagnose, PutsTheLowestSqnrFirstAndNamesTheWorstSamples) {
  const Model none;
  Pairing pairing;
  pairing.pairs = {value_pair("a"), value_pair("b")};
  TapState state;
  state.samples.insert(0);
  state.samples.insert(1);
  state.pairs = {paired("a", 0.25F), paired("b", 3)};
  const Diagnosis diagnosis = diagnose(OwnModels(none, none, pairing), state, kNames);
  ASSERT_EQ(diagnosis.activations.size(), 2U);
  EXPECT_EQ(diagnosis.paired, 2U);
  const ActivationRow& worst = diagnosis.activations[0];
  EXPECT_EQ(worst.op.name, "op b");
  EXPECT_DOUBLE_EQ(worst.mse, (9 + 0.25) / 8);
  EXPECT_NEAR(worst.sqnr_db, 10 * std::log10(20 / 9.25), 1e-12);
  EXPECT_EQ(worst.worst_samples.at(0).name, "sample 1");
  EXPECT_NEAR(worst.worst_samples.at(0).share, 9 / 9.25, 1e-12);
  EXPECT_EQ(worst.data_range, 4);
}

TEST(Diagnose, GivesIntervalsAndRanksWhereThreeBlocksHoldSamples) {
  const Model none;
  Pairing pairing;
  pairing.pairs = {value_pair("a"), value_pair("moved"), value_pair("b")};
  pairing.pairs[1].same_as = 0;
  TapState state;
  PairedStats a{.reference = "a", .quantized = "a_q"};
  PairedStats b{.reference = "b", .quantized = "b_q"};
  for (std::uint64_t sample = 0; sample < 8; ++sample) {
    state.samples.insert(sample);
    const float more = static_cast<float>(sample) / 8;
    a.pairs.add(sample, std::vector<float>{1, 2}, std::vector<float>{1, 2.5F + more});
    b.pairs.add(sample, std::vector<float>{1, 2}, std::vector<float>{1, 2.2F + more / 2});
  }
  state.pairs = {a, b};
  const std::vector<ActivationRow> rows =
      diagnose(OwnModels(none, none, pairing), state, kNames).activations;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].rank, 1U);
  EXPECT_EQ(rows[1].rank, 1U) << "what is moved has the same error";
  EXPECT_TRUE(rows[1].tied_with_previous);
  EXPECT_EQ(rows[2].value, "b");
  EXPECT_EQ(rows[2].rank, 3U) << "less error in each sample";
  EXPECT_FALSE(rows[2].tied_with_previous);
  for (const ActivationRow& row : rows) {
    EXPECT_LT((*row.mse_interval)[0], row.mse);
    EXPECT_GT((*row.mse_interval)[1], row.mse);
    EXPECT_LT((*row.sqnr_db_interval)[0], row.sqnr_db);
    EXPECT_GT((*row.cosine_interval)[1], row.cosine);
    EXPECT_FALSE(row.clip_rate_interval) << "nothing is clipped";
  }
  EXPECT_GT((*rows[0].mse_interval)[1], (*rows[2].mse_interval)[0]) << "they overlap";
}

TEST(Diagnose, LeavesOutWhatNoTapMeasured) {
  const Model none;
  Pairing pairing;
  pairing.pairs = {value_pair("a"), value_pair("b")};
  TapState state;
  state.pairs = {paired("a", 1)};
  EXPECT_EQ(diagnose(OwnModels(none, none, pairing), state, kNames).activations.size(), 1U);
}

TEST(Diagnose, RanksNoSuspectPairsAmongTheErrors) {
  const Model none;
  Pairing pairing;
  pairing.pairs = {value_pair("a"), value_pair("b")};
  pairing.suspects = {{"b", "b_q", {"b", "op b"}, FoundBy::name, 0.1}};
  TapState state;
  state.pairs = {paired("a", 1), paired("b", 30)};
  const Diagnosis diagnosis = diagnose(OwnModels(none, none, pairing), state, kNames);
  ASSERT_EQ(diagnosis.activations.size(), 1U);
  EXPECT_EQ(diagnosis.activations[0].value, "a");
  EXPECT_EQ(diagnosis.paired, 1U);
  EXPECT_EQ(diagnosis.suspects, pairing.suspects);
}

TEST(Diagnose, CountsChannelsWhoseScalesAreNotTheirs) {
  SmallGraph reference;
  reference.input("x").weight("w", {2, 2, 1, 1}, {1, 2, 3, 6});
  reference.node(Kind::conv, {"x", "w"}, "c");
  SmallGraph quantized;
  quantized.constant("w_q", Tensor::from<std::int8_t>({2, 2, 1, 1}, {10, 20, 30, 60}));
  Pairing pairing = conv_weights(1);
  pairing.weights[0].scheme.axis = 0;
  pairing.weights[0].params = {{.scale = 0.1F}, {.scale = 0.2F}};
  const Diagnosis diagnosis =
      diagnose(OwnModels(reference.model(), quantized.model(), pairing), {}, kNames);
  ASSERT_EQ(diagnosis.weights.size(), 1U);
  EXPECT_EQ(diagnosis.weights[0].misfit_channels, 1U);
  EXPECT_NEAR(diagnosis.weights[0].misfit_share, 1, 1e-6);
}

TEST(Diagnose, ComparesWeightsThatAreStoredTheOtherWayRound) {
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
                             .params = {{.scale = 0.1F}, {.scale = 0.2F}, {.scale = 0.2F}}});
  const Diagnosis diagnosis =
      diagnose(OwnModels(reference.model(), quantized.model(), pairing), {}, kNames);
  ASSERT_EQ(diagnosis.weights.size(), 1U);
  // codes become 1, 2 | 2, 5 | 2, 6; the columns of w are 1, 4 | 2, 5 | 3, 6
  EXPECT_NEAR(diagnosis.weights[0].mse, (4 + 1) / 6.0, 1e-6);
  EXPECT_EQ(diagnosis.weights[0].channels, 3U);
  EXPECT_EQ(diagnosis.weights[0].worst_channel, 0U);
}

TEST(Diagnose, QuantizesTheWeightsThatAModelStoresAsFloats) {
  SmallGraph reference;
  reference.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).node(Kind::conv, {"x", "w"}, "c");
  SmallGraph quantized;
  quantized.weight("w", {2, 1, 1, 1}, {1, 2}).weight("s", {}, {0.75F});
  quantized.constant("z", Tensor::from<std::int8_t>({}, {0}));
  quantized.node(Kind::quantize, {"w", "s", "z"}, "w_q");
  const Pairing pairing = conv_weights(0.75F);
  const Diagnosis diagnosis =
      diagnose(OwnModels(reference.model(), quantized.model(), pairing), {}, kNames);
  ASSERT_EQ(diagnosis.weights.size(), 1U);
  EXPECT_NEAR(diagnosis.weights[0].mse, (0.25 * 0.25 + 0.25 * 0.25) / 2, 1e-9) << "0.75 and 2.25";
}

TEST(Diagnose, ComparesWeightsAndFindsTheWorstChannel) {
  SmallGraph reference;
  reference.input("x")
      .weight("w", {2, 1, 1, 2}, {1, -1, 0.1F, 0.05F})
      .node(Kind::conv, {"x", "w"}, "c");
  SmallGraph quantized;
  quantized.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 2}, {100, -100, 10, 6}));
  const Pairing pairing = conv_weights(0.01F);
  const Diagnosis diagnosis =
      diagnose(OwnModels(reference.model(), quantized.model(), pairing), {}, kNames);
  ASSERT_EQ(diagnosis.weights.size(), 1U);
  const WeightRow& row = diagnosis.weights[0];
  EXPECT_NEAR(row.mse, 0.01 * 0.01 / 4, 1e-8);
  EXPECT_EQ(row.worst_channel, 1U);
  EXPECT_EQ(row.channels, 2U);
  EXPECT_NEAR(row.channel_spread, 1.0, 1e-6) << "of two channels the upper one is the median";
  EXPECT_NEAR(row.reference.mean, 0.15 / 4, 1e-7);
  EXPECT_EQ(row.granularity, Granularity::per_tensor);
}

TEST(Diagnose, ComparesWhatIsFiniteOfAWeight) {
  SmallGraph reference;
  reference.input("x")
      .weight("w", {2, 1, 1, 2}, {1, NAN, 0.1F, INFINITY})
      .node(Kind::conv, {"x", "w"}, "c");
  SmallGraph quantized;
  quantized.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 2}, {100, 0, 12, 127}));
  const Pairing pairing = conv_weights(0.01F);
  const Diagnosis diagnosis =
      diagnose(OwnModels(reference.model(), quantized.model(), pairing), {}, kNames);
  ASSERT_EQ(diagnosis.weights.size(), 1U);
  const WeightRow& row = diagnosis.weights[0];
  EXPECT_NEAR(row.mse, 0.02 * 0.02 / 2, 1e-8);
  EXPECT_EQ(row.worst_channel, 1U);
  EXPECT_NEAR(row.worst_channel_sqnr_db, 20 * std::log10(5), 1e-3);
}

}  // namespace
}  // namespace quantlens
