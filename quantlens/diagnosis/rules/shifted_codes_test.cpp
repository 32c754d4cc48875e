// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

constexpr std::size_t kLayers = 12;

/// Rows as a diagnosis has them, of these ranges by value; the others' are unknown.
std::vector<ActivationRow> rows_of(const Pairing& pairing,
                                   const std::map<std::string, std::array<double, 2>>& ranges) {
  std::vector<ActivationRow> rows;
  for (const ValuePair& pair : pairing.pairs) {
    const auto range = ranges.find(pair.reference);
    if (range == ranges.end()) continue;
    ActivationRow& row = rows.emplace_back();
    row.op = pair.op;
    row.value = pair.reference;
    row.quantized = pair.quantized;
    row.elements = 1000;
    row.min = range->second[0];
    row.max = range->second[1];
  }
  return rows;
}

/// x -> (matmul -> activation) times kLayers; between codes, each with a zero point and a scale of
/// its own.
struct Layers {
  Kind activation = Kind::relu;
  std::vector<std::uint8_t> zeros = std::vector<std::uint8_t>(kLayers, 0);
  std::vector<float> scales = {0.11F, 0.12F, 0.13F, 0.14F, 0.15F, 0.16F,
                               0.17F, 0.18F, 0.19F, 0.21F, 0.22F, 0.23F};
  /// Measured, in steps; where all codes are used, of an affine scheme with zero point z: -z to
  /// 255 - z.
  std::vector<std::array<double, 2>> steps = std::vector<std::array<double, 2>>(kLayers, {0, 254});

  Layers& of_both_signs() {
    activation = Kind::tanh;
    zeros.assign(kLayers, 128);
    steps.assign(kLayers, {-40, 126});
    return *this;
  }

  SmallGraph net(bool is_quantized) const {
    SmallGraph graph;
    graph.input("x");
    std::string at = "x";
    for (std::size_t i = 0; i < kLayers; ++i) {
      const std::string n = std::to_string(i);
      graph.weight("w" + n, {8, 8}, numbers(64, static_cast<unsigned>(i + 1)));
      graph.node(Kind::matmul, {at, "w" + n}, "m" + n).node(activation, {"m" + n}, "a" + n);
      at = "a" + n;
      if (!is_quantized) continue;
      graph.weight("s" + n, {}, {scales[i]});
      graph.constant("z" + n, Tensor::from<std::uint8_t>({}, {zeros[i]}));
      graph.node(Kind::quantize, {at, "s" + n, "z" + n}, "q" + n);
      graph.node(Kind::dequantize, {"q" + n, "s" + n, "z" + n}, "d" + n);
      at = "d" + n;
    }
    return graph.output(at);
  }

  std::map<std::string, std::array<double, 2>> ranges() const {
    std::map<std::string, std::array<double, 2>> ranges;
    for (std::size_t i = 0; i < kLayers; ++i)
      ranges["a" + std::to_string(i)] = {steps[i][0] * scales[i], steps[i][1] * scales[i]};
    return ranges;
  }

  std::vector<Change> changes() const { return changes_of(net(false), net(true)); }

  std::vector<Change> changes_of(const SmallGraph& before, const SmallGraph& after) const {
    const Pairing pairing = pair(before.model(), after.model());
    Diagnosis diagnosis;
    diagnosis.activations = rows_of(pairing, ranges());
    return shifted_codes(Evidence(OwnModels(before.model(), after.model(), pairing), diagnosis));
  }
};

TEST(ShiftedCodes, ThatLieOnOneSideOfZeroAreAChoice) {
  Layers layers;
  layers.zeros.assign(kLayers, 128);
  layers.steps.assign(kLayers, {0, 126});
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[4] = 0;  // as the fixed figures of a Softmax, or an input that is never negative
  layers.steps[4] = {0, 255};
  EXPECT_TRUE(layers.changes().empty());
  layers.of_both_signs().zeros[4] = 0;
  EXPECT_TRUE(layers.changes().empty());
}

TEST(ShiftedCodes, OfWhatIsNeverNegativeBeginAtZeroAsTheFilesOthersDo) {
  Layers layers;
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[4] = 8;
  const std::vector<Change> changes = layers.changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].rule, ChangeRule::shifted_codes);
  EXPECT_EQ(changes[0].value, "a4");
  EXPECT_EQ(changes[0].ops.front(), op_ref("node_m4"));
  const Statements& told = changes[0].reasons;
  EXPECT_EQ(said(std::span(told).first(1)),
            R"(shifted_codes(kind: "never negative", other_values: 11, usual_of: 11, )"
            "usual_zero_point: 0, zero_point: 8)");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1].says, "shifted_codes.cut");
  const auto number = [&](const char* name) {
    return json::decode<double>(told[1].figures.at(name).value, name);
  };
  EXPECT_NEAR(number("cut"), 7, 1e-4);
  EXPECT_EQ(told[1].figures.at("side"), figure::text("above"));
  EXPECT_NEAR(number("unused"), 8, 1e-4);
  EXPECT_NEAR(number("usual_cut"), 0, 1e-4);
}

/// As Layers of Relus; the codes of a4 have a scale for each of eight channels.
std::vector<Change> changes_by_channel(std::uint8_t zero, double clip_rate) {
  Layers layers;
  layers.zeros[4] = zero;
  const SmallGraph before = layers.net(false);
  SmallGraph after = layers.net(true);
  Pairing pairing = pair(before.model(), after.model());
  Diagnosis diagnosis;
  diagnosis.activations = rows_of(pairing, layers.ranges());
  for (ValuePair& one : pairing.pairs) {
    if (one.reference == "a4") one.channel_params.assign(8, *one.params);
  }
  for (ActivationRow& row : diagnosis.activations) {
    if (row.value == "a4") row.clip_rate = clip_rate;
  }
  return shifted_codes(Evidence(OwnModels(before.model(), after.model(), pairing), diagnosis));
}

TEST(ShiftedCodes, WithAScaleForEachChannelAreJudgedByWhatIsClipped) {
  EXPECT_TRUE(changes_by_channel(8, 0).empty());
  EXPECT_TRUE(changes_by_channel(0, 0.03).empty()) << "as the others";
  const std::vector<Change> changes = changes_by_channel(8, 0.03);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(said(std::span(changes[0].reasons).last(1)),
            "shifted_codes.cut_in_channels(clipped: 0.03, unused: 8)");
}

TEST(ShiftedCodes, AreNoneWhereNothingIsLost) {
  Layers layers;
  layers.zeros[4] = 8;
  layers.steps[4] = {0, 240};
  EXPECT_TRUE(layers.changes().empty()) << "codes to spare on both sides";
  layers.steps[4] = {0, 2000};
  EXPECT_TRUE(layers.changes().empty()) << "clipped as much with any zero point";
  layers.of_both_signs().zeros[7] = 120;
  layers.steps[7] = {-119, 134};
  EXPECT_TRUE(layers.changes().empty()) << "the values reach as far as the codes";
}

TEST(ShiftedCodes, AreNoneWhereTheMakerKnowsNoRule) {
  Layers layers;
  layers.zeros = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 8, 9};
  EXPECT_TRUE(layers.changes().empty()) << "three of twelve";
  layers.of_both_signs();
  layers.zeros = {120, 131, 128, 122, 127, 128, 125, 119, 133, 128, 128, 126};
  EXPECT_TRUE(layers.changes().empty()) << "ranges that data decide";
}

TEST(ShiftedCodes, OfASymmetricSchemeAreCentred) {
  Layers layers;
  layers.of_both_signs();
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[7] = 136;
  ASSERT_EQ(layers.changes().size(), 1U);
  EXPECT_EQ(layers.changes()[0].value, "a7");
  EXPECT_EQ(said(std::span(layers.changes()[0].reasons).first(1)),
            R"(shifted_codes(kind: "uneven", other_values: 11, usual_of: 11, )"
            "usual_zero_point: 128, zero_point: 136)");
}

TEST(ShiftedCodes, ValuesWithSymmetricRangesTellNoScheme) {
  Layers layers;
  layers.of_both_signs().steps.assign(kLayers, {-127, 127});
  layers.zeros[7] = 96;  // affine, of a value that is seldom negative
  layers.steps[7] = {-99, 155};
  EXPECT_TRUE(layers.changes().empty());
  layers.steps[7] = {-90, 163};
  EXPECT_TRUE(layers.changes().empty()) << "calibrated with other data";
}

TEST(ShiftedCodes, OfAnyRangeAreHeldAgainstASymmetricScheme) {
  Layers layers;
  layers.of_both_signs().steps[3] = {-127, 127};
  layers.zeros[3] = 136;
  ASSERT_EQ(layers.changes().size(), 1U);
  EXPECT_EQ(layers.changes()[0].value, "a3");
  const Statement told = layers.changes()[0].reasons.front();
  EXPECT_EQ(told.figures.at("usual_of"), figure::count(11));
  EXPECT_EQ(told.figures.at("other_values"), figure::count(11));
}

TEST(ShiftedCodes, MayBeSharedWithAValueThatIsNegative) {
  Layers layers;
  layers.zeros[11] = 100;
  ASSERT_EQ(layers.changes().size(), 1U);
  const auto net = [&](bool is_quantized) {
    SmallGraph graph = layers.net(is_quantized);
    graph.node(Kind::tanh, {"x"}, "t");
    if (is_quantized) {
      graph.node(Kind::quantize, {"t", "s11", "z11"}, "t_q");
      graph.node(Kind::dequantize, {"t_q", "s11", "z11"}, "t_d");
    }
    const std::string last = is_quantized ? "d11" : "a11";
    return graph.node(Kind::concat, {last, is_quantized ? "t_d" : "t"}, "y").output("y");
  };
  const SmallGraph before = net(false), after = net(true);
  EXPECT_TRUE(layers.changes_of(before, after).empty());
}

}  // namespace
}  // namespace quantlens
