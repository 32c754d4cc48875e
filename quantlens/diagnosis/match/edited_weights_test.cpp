// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/edited_weights.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr float kWeightStep = 0.03F;

/// x -> Conv c -> Tanh -> Div by 4 -> Conv y -> Exp, the division perhaps in the second weight.
Model reference(bool is_folded) {
  SmallGraph net;
  net.input("x").weight("w", {4, 4, 3, 3}, numbers(144, 1)).weight("four", {}, {4});
  net.weight("v", {4, 4, 3, 3}, scaled(numbers(144, 2), is_folded ? 0.25F : 1));
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::tanh, {"c"}, "t");
  if (!is_folded) net.node(Kind::div, {"t", "four"}, "d");
  net.node(Kind::conv, {is_folded ? "t" : "d", "v"}, "y").node(Kind::exp, {"y"}, "e");
  return net.output("e").model();
}

/// The same by names that say nothing, its second weight times a factor, in codes.
Model quantized(bool is_folded, float times) {
  SmallGraph net;
  std::vector<std::int8_t> codes;
  for (const float value : scaled(numbers(144, 2), times))
    codes.push_back(static_cast<std::int8_t>(quantize(value, {kWeightStep, 0}, DType::int8)));
  net.input("0").weight("s", {}, {kWeightStep}).weight("w", {4, 4, 3, 3}, numbers(144, 1));
  net.constant("v", Tensor::from<std::int8_t>({4, 4, 3, 3}, codes)).weight("f", {}, {4});
  net.node(Kind::conv, {"0", "w"}, "1").node(Kind::tanh, {"1"}, "2");
  if (!is_folded) net.node(Kind::div, {"2", "f"}, "3");
  net.node(Kind::dequantize, {"v", "s"}, "v_dq");
  net.node(Kind::conv, {is_folded ? "2" : "3", "v_dq"}, "4").node(Kind::exp, {"4"}, "5");
  return net.output("5").model();
}

bool is_edited(const Model& quantized) {
  Plan plan;
  plan.input_edits.push_back({.use = {"y", 1}, .weight = "v/with", .original = "v"});
  return has_edited_weights(quantized, reference(false), reference(true), plan);
}

TEST(EditedWeights, ThoseThatFitTellWhatTheFileWasMadeFrom) {
  EXPECT_TRUE(is_edited(quantized(true, 0.25F)));
  EXPECT_FALSE(is_edited(quantized(false, 1)));
  EXPECT_FALSE(is_edited(quantized(true, 1))) << "the division is lost, not folded";
}

TEST(EditedWeights, ThoseThatFitNeitherSayNothing) {
  EXPECT_FALSE(is_edited(quantized(true, -0.25F)));
}

}  // namespace
}  // namespace quantlens
