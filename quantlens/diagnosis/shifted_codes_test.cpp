// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/shifted_codes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/pair.h"
#include "quantlens/diagnosis/testing.h"
#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

constexpr std::size_t kLayers = 12;

/// x -> (matmul -> activation) times kLayers; between codes, each with a zero point and a scale of
/// its own.
struct Layers {
  Kind activation = Kind::relu;
  std::vector<std::uint8_t> zeros = std::vector<std::uint8_t>(kLayers, 0);
  std::vector<float> scales = {0.11F, 0.12F, 0.13F, 0.14F, 0.15F, 0.16F,
                               0.17F, 0.18F, 0.19F, 0.21F, 0.22F, 0.23F};

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

  std::vector<Change> changes() const {
    const SmallGraph before = net(false), after = net(true);
    return pair(before.model(), after.model()).changes;
  }
};

TEST(ShiftedCodes, ThatLieOnOneSideOfZeroAreAChoice) {
  Layers layers;
  layers.zeros.assign(kLayers, 128);
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[4] = 0;  // as the fixed figures of a Softmax, or an input that is never negative
  EXPECT_TRUE(layers.changes().empty());
  layers.activation = Kind::tanh;
  EXPECT_TRUE(layers.changes().empty());
}

TEST(ShiftedCodes, OfWhatIsNeverNegativeBeginAtZeroAsTheFilesOthersDo) {
  Layers layers;
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[4] = 8;
  const std::vector<Change> changes = layers.changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].rule, "shifted_codes");
  EXPECT_EQ(changes[0].value, "a4");
  EXPECT_NE(changes[0].because.find("is 8, that of 11 of the file's 11 other values which are "
                                    "never negative is 0: its codes reach from -1.2 to 37"),
            std::string::npos)
      << changes[0].because;
}

TEST(ShiftedCodes, AreNoneWhereTheMakerKnowsNoRule) {
  Layers layers;
  layers.zeros = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 8, 9};
  EXPECT_TRUE(layers.changes().empty()) << "three of twelve";
  layers.activation = Kind::tanh;
  layers.zeros = {120, 131, 128, 122, 127, 128, 125, 119, 133, 128, 128, 126};
  EXPECT_TRUE(layers.changes().empty()) << "ranges that data decide";
}

TEST(ShiftedCodes, OfASymmetricSchemeAreCentred) {
  Layers layers;
  layers.activation = Kind::tanh;
  layers.zeros = std::vector<std::uint8_t>(kLayers, 128);
  EXPECT_TRUE(layers.changes().empty());
  layers.zeros[7] = 136;
  ASSERT_EQ(layers.changes().size(), 1U);
  EXPECT_EQ(layers.changes()[0].value, "a7");
}

TEST(ShiftedCodes, MayBeSharedWithAValueThatIsNegative) {
  Layers layers;
  layers.zeros[11] = 100;
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
  EXPECT_TRUE(pair(before.model(), after.model()).changes.empty());
}

}  // namespace
}  // namespace quantlens
