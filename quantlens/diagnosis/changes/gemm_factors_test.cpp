// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/gemm_factors.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr float kOfData = 0.25F, kOfWeight = 0.0625F;

std::vector<float> times(std::vector<float> values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

/// A Gemm as a file has it.
struct Form {
  float alpha = 1, beta = 1;
  float weight = 1, bias = 1;  ///< factors of the float model's
};

SmallGraph& add_factors(SmallGraph& net, const Form& form) {
  return net.set(&roles::MatrixProduct::alpha, form.alpha)
      .set(&roles::MatrixProduct::beta, form.beta);
}

Model reference(const Form& form) {
  SmallGraph net;
  net.input("x").weight("w", {6, 5}, numbers(30, 1)).weight("b", {5}, numbers(5, 2));
  net.node(Kind::gemm, {"x", "w", "b"}, "g");
  add_factors(net, form).node(Kind::relu, {"g"}, "y").output("y");
  return net.model();
}

/// Its data and weight are codes; its bias is int32 codes in steps of both together times `steps`.
Model quantized(const Form& form, float steps = 1) {
  const float step = kOfData * kOfWeight * steps;
  SmallGraph net;
  net.input("x").weight("s", {}, {kOfData}).weight("ws", {}, {kOfWeight}).weight("bs", {}, {step});
  net.constant("z", Tensor::from<std::uint8_t>({}, {128}));
  std::vector<std::int8_t> codes;
  for (const float value : times(numbers(30, 1), form.weight / kOfWeight))
    codes.push_back(static_cast<std::int8_t>(std::lround(std::clamp(value, -127.0F, 127.0F))));
  std::vector<std::int32_t> bias;
  for (const float value : times(numbers(5, 2), form.bias / step))
    bias.push_back(static_cast<std::int32_t>(std::lround(value)));
  net.constant("w_q", Tensor::from<std::int8_t>({6, 5}, std::move(codes)));
  net.constant("b_q", Tensor::from<std::int32_t>({5}, std::move(bias)));
  net.node(Kind::quantize, {"x", "s", "z"}, "x_q");
  net.node(Kind::dequantize, {"x_q", "s", "z"}, "x_d");
  net.node(Kind::dequantize, {"w_q", "ws"}, "w_d").node(Kind::dequantize, {"b_q", "bs"}, "b_d");
  net.node(Kind::gemm, {"x_d", "w_d", "b_d"}, "g");
  add_factors(net, form).node(Kind::relu, {"g"}, "y").output("y");
  return net.model();
}

std::vector<std::string> changes_of(const Model& before, const Model& after) {
  std::vector<std::string> told;
  for (const Change& change : pair(before, after).changes)
    told.push_back(std::string(word(change.rule)) + ": " + said(change.reasons));
  return told;
}

TEST(GemmFactors, ThatAreFoldedAreNoChange) {
  const Model before = reference({.alpha = 0.5F, .beta = 2});
  EXPECT_THAT(changes_of(before, quantized({.alpha = 0.5F, .beta = 2})), IsEmpty());
  EXPECT_THAT(changes_of(before, quantized({.alpha = 0.5F, .beta = 1, .bias = 2})), IsEmpty());
  EXPECT_THAT(changes_of(before, quantized({.weight = 0.5F, .bias = 2})), IsEmpty());
}

TEST(GemmFactors, ThatAreLostAreAChangedOpAndNothingElse) {
  const Model before = reference({.alpha = 0.5F, .beta = 2});
  EXPECT_THAT(changes_of(before, quantized({.alpha = 0.5F, .beta = 1})),
              ElementsAre("changed_op: changed_op.beta(is: 1, was: 2)"));
  EXPECT_THAT(changes_of(before, quantized({.alpha = 1, .beta = 2})),
              ElementsAre("changed_op: changed_op.alpha(is: 1, was: 0.5)"));
}

/// ONNX Runtime's quantizer leaves the beta in the bias' scale alone.
TEST(GemmFactors, ALostBetaIsNoFaultOfTheBiasScale) {
  EXPECT_THAT(changes_of(reference({.beta = 2}), quantized({.beta = 1}, 2)),
              ElementsAre("changed_op: changed_op.beta(is: 1, was: 2)"));
  EXPECT_THAT(changes_of(reference({}), quantized({}, 2)),
              ElementsAre(StartsWith("unequal_codes: unequal_codes.of_bias(")));
}

TEST(GemmFactors, QGemmTakesItsBiasTimesAlpha) {
  const auto integer = [](float bias) {
    const Model form = quantized({.bias = bias});
    SmallGraph net;
    net.input("x");
    for (const auto& [name, tensor] : form.graph.weights) net.constant(name, tensor);
    net.constant("wz", Tensor::from<std::int8_t>({}, {0}));
    net.node(Kind::quantize, {"x", "s", "z"}, "x_q");
    net.node(Kind::qgemm, {"x_q", "s", "z", "w_q", "ws", "wz", "b_q"}, "g");
    net.set(&roles::MatrixProduct::alpha, 0.5F).node(Kind::relu, {"g"}, "y").output("y");
    return net.model();
  };
  const Model before = reference({.alpha = 0.5F, .beta = 2});
  EXPECT_THAT(changes_of(before, integer(0.5F)),
              ElementsAre(StartsWith(
                  "changed_op: changed_op.bias_factor(alpha: 0.5, beta: 2, times: 0.12")));
  EXPECT_THAT(changes_of(before, integer(4)), IsEmpty());
}

}  // namespace
}  // namespace quantlens
