// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/coarse_constant.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

constexpr Scheme kCodes{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};

Tensor numbers(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from<float>({count}, std::move(values));
}

std::string of_mul(const std::vector<float>& values, float data, float result) {
  return coarse_constant(Kind::mul, numbers(values), {{0, data}, {0, result}}, kCodes);
}

TEST(CoarseConstant, IsOneWhoseSmallNumbersTheDataEvenOut) {
  // Codes are steps of 1 / 255 = 0.0039: 0.001 becomes 0, and 0.001 times 1000 is all there is.
  const std::string reason = of_mul({1, 0.001F}, 1000, 1);
  EXPECT_NE(reason.find("0.001 would become 0"), std::string::npos) << reason;
  EXPECT_NE(reason.find("255 step(s)"), std::string::npos) << reason;
}

TEST(CoarseConstant, IsNoneWhereSmallNumbersMakeSmallResults) {
  EXPECT_EQ(of_mul({1, 0.001F}, 1, 1), "") << "0.001 of at most 1 is a quarter of a step";
}

TEST(CoarseConstant, IsNoneOfNumbersAlikeWhateverTheRangesAre) {
  // A number of at least half the largest errs by 1/255 of itself at most: so does what it makes.
  std::vector<float> alike;
  for (int i = 0; i <= 100; ++i) alike.push_back(0.505F + 0.00495F * static_cast<float>(i));
  for (const float data : {0.1F, 1.0F, 30.0F, 1e6F, 1e30F}) EXPECT_EQ(of_mul(alike, data, 1), "");
}

TEST(CoarseConstant, IsTheBoundOfOneStepOfTheResult) {
  // A tenth of a step of the constant is lost, times data of about ten: a step of the result.
  const float number = 10.1F / 255;
  EXPECT_EQ(of_mul({1, number}, 9.8F, 1), "");
  EXPECT_NE(of_mul({1, number}, 10.2F, 1), "");
}

TEST(CoarseConstant, CountsWhatIsAddedAsItIs) {
  const Range cancelled{-1, 1};
  EXPECT_NE(coarse_constant(Kind::add, numbers({1000, 0.5F}), {{-1000, 1}, cancelled}, kCodes), "");
  EXPECT_EQ(coarse_constant(Kind::add, numbers({1, 0.5F}), {{-1, 1}, cancelled}, kCodes), "");
  EXPECT_EQ(coarse_constant(Kind::add, numbers({-1e4F, 0}), {{-1, 1}, cancelled}, kCodes), "")
      << "a mask's numbers are codes themselves";
}

TEST(CoarseConstant, IsNeverASingleNumberOrAnotherOp) {
  EXPECT_EQ(coarse_constant(Kind::mul, numbers({0.001F}), {{0, 1000}, {0, 1}}, kCodes), "");
  EXPECT_EQ(coarse_constant(Kind::max, numbers({1, 0.001F}), {{0, 1000}, {0, 1}}, kCodes), "");
}

/// A Mul "m" of what a Relu makes, up to `data`; its result is up to 1.
Plan planned(float data, const Recipe& recipe = {}) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 1}).weight("v", {1, 2, 1, 1}, {1, 1});
  net.weight("k", {1, 2, 1, 1}, {1, 0.001F}).node(Kind::conv, {"x", "w"}, "c");
  net.node(Kind::relu, {"c"}, "r").node(Kind::mul, {"r", "k"}, "m").node(Kind::relu, {"m"}, "s");
  net.node(Kind::conv, {"s", "v"}, "d").node(Kind::softmax, {"d"}, "y").output("y");
  Ranges ranges;
  for (const std::string& value : Planned(net.model(), recipe).draft.values_to_calibrate()) {
    ranges.values.push_back({.value = value,
                             .min = 0,
                             .max = value == "r" ? data : 1,
                             .algorithm = RangeAlgorithm::minmax});
  }
  return make_plan(Planned(net.model(), recipe).draft, ranges, {}).plan;
}

const OpPlan* op_plan(const Plan& plan, const std::string& id) {
  const auto found =
      std::ranges::find_if(plan.ops, [&](const OpPlan& op) { return op.op.id == id; });
  return found == plan.ops.end() ? nullptr : &*found;
}

const OpPlan& mul(const Plan& plan) {
  return *op_plan(plan, "m");
}

TEST(CoarseConstant, KeepsItsOpInFloatAndNoOther) {
  EXPECT_TRUE(mul(planned(1)).quantized) << mul(planned(1)).reason;
  const Plan plan = planned(1000);
  EXPECT_FALSE(mul(plan).quantized);
  EXPECT_NE(mul(plan).reason.find("far apart"), std::string::npos) << mul(plan).reason;
  EXPECT_TRUE(op_plan(plan, "d")->quantized);
}

TEST(CoarseConstant, IsCodesWhereARecipeAsksForItByName) {
  Recipe forced;
  forced.op_name_dict["node_m"].activation.dtype = AskedDtype::uint8;
  EXPECT_TRUE(mul(planned(1000, forced)).quantized) << mul(planned(1000, forced)).reason;
}

}  // namespace
}  // namespace quantlens
