// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/match_weights.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"

namespace quantlens {
namespace {

Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<float>& values) {
  return Tensor::from<float>({rows, columns}, values);
}

FloatView::Constant constant(const Tensor& tensor) {
  return {.name = "c", .stored = &tensor, .codes = {}};
}

Tensor codes_of(const std::vector<float>& values, Shape shape, float step) {
  std::vector<std::int8_t> codes;
  for (const float value : values)
    codes.push_back(static_cast<std::int8_t>(quantize(value, {step, 0}, DType::int8)));
  return Tensor::from<std::int8_t>(std::move(shape), std::move(codes));
}

FloatView::Constant quantized(const Tensor& codes, float step) {
  return {.name = "c",
          .stored = &codes,
          .codes = Codes{.tensor = "c", .scheme = {.dtype = DType::int8}, .params = {{step, 0}}}};
}

TEST(Sketch, OfAWeightLooksLikeItsCodesAndLikeNoOtherWeight) {
  constexpr float kStep = 0.04F;
  const Tensor one = matrix(64, 96, numbers(6144, 1)), other = matrix(64, 96, numbers(6144, 2));
  const Tensor codes = codes_of(numbers(6144, 1), {64, 96}, kStep);
  const Sketch sketch = sketch_of(quantized(codes, kStep), false);
  EXPECT_GT(agreement(sketch_of(constant(one), false), sketch), 0.999);
  EXPECT_LT(std::abs(agreement(sketch_of(constant(other), false), sketch)), 0.3);
  EXPECT_LE(sketch.values.size(), 2048U) << "a large weight is looked at in places";
}

TEST(Sketch, OfATransposedMatrixIsThatOfTheMatrix) {
  const std::vector<float> values = numbers(6144, 1);
  std::vector<float> swapped(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) swapped[i % 96 * 64 + i / 96] = values[i];
  const Tensor plain = matrix(64, 96, values), transposed = matrix(96, 64, swapped);
  EXPECT_EQ(sketch_of(constant(plain), false).values, sketch_of(constant(transposed), true).values);
  FloatView::Constant read = constant(transposed);
  read.transposed = true;
  EXPECT_EQ(sketch_of(constant(plain), false).values, sketch_of(read, false).values);
}

TEST(Sketch, UsesTheScaleOfEachChannel) {
  const Tensor codes = Tensor::from<std::int8_t>({2, 3}, {1, 2, 3, 1, 2, 3});
  FloatView::Constant weight = quantized(codes, 1);
  weight.codes->params = {{0.5F, 0}, {2, 1}};
  weight.codes->scheme.axis = 0;
  EXPECT_EQ(sketch_of(weight, false).values, (std::vector<float>{0.5F, 1, 1.5F, 0, 2, 4}));
}

TEST(Agreement, OfAFewNumbersIsTheirRelativeError) {
  const auto of = [](const std::vector<float>& a, const std::vector<float>& b) {
    const Tensor x = Tensor::from<float>({static_cast<std::int64_t>(a.size())}, a);
    const Tensor y = Tensor::from<float>({static_cast<std::int64_t>(b.size())}, b);
    return agreement(sketch_of(constant(x), false), sketch_of(constant(y), false));
  };
  EXPECT_DOUBLE_EQ(of({2}, {2}), 1);
  EXPECT_NEAR(of({2}, {1.9F}), 0.95, 1e-6);
  EXPECT_LT(of({2}, {-2}), 0);
  EXPECT_DOUBLE_EQ(of({1e-12F}, {0}), 1) << "an epsilon that vanished";
  EXPECT_DOUBLE_EQ(of({-3.4e38F}, {-65504}), 1) << "a mask";
  EXPECT_DOUBLE_EQ(of({1}, {0}), 0);
  EXPECT_DOUBLE_EQ(of({1, 2}, {1, 2, 3}), 0) << "other sizes";
}

TEST(Agreement, LeavesOutWhatIsNotFinite) {
  constexpr float kStep = 0.04F;
  std::vector<float> values = numbers(6144, 1);
  const Tensor codes = codes_of(values, {64, 96}, kStep);
  values[0] = NAN;
  values[1] = std::copysign(INFINITY, values[1]);
  const Tensor spoilt = matrix(64, 96, values);
  const Sketch sketch = sketch_of(quantized(codes, kStep), false);
  EXPECT_GT(agreement(sketch_of(constant(spoilt), false), sketch), 0.999);
  const Tensor nothing = matrix(64, 96, std::vector<float>(6144, NAN));
  EXPECT_EQ(agreement(sketch_of(constant(nothing), false), sketch), kAgrees);
  const Tensor mask = matrix(1, 4, {0, 0, -INFINITY, -INFINITY});
  const Tensor other = matrix(1, 4, {0, -INFINITY, 0, 0});
  EXPECT_LT(agreement(sketch_of(constant(mask), false), sketch_of(constant(other), false)), 0.5);
}

TEST(Agreement, OfShapesAllowsForExtentsThatAreInferred) {
  const auto of = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    const Tensor x = Tensor::from<std::int64_t>({static_cast<std::int64_t>(a.size())}, a);
    const Tensor y = Tensor::from<std::int64_t>({static_cast<std::int64_t>(b.size())}, b);
    return agreement(sketch_of(constant(x), false), sketch_of(constant(y), false));
  };
  EXPECT_DOUBLE_EQ(of({1, 64}, {1, 64}), 1);
  EXPECT_GE(of({-1, 64}, {98, 64}), kAgrees);
  EXPECT_LT(of({2, 64}, {98, 64}), kAgrees);
}

TEST(BestCounterparts, AreMutualAndSure) {
  std::vector<Sketch> before, after;
  for (unsigned i = 0; i < 20; ++i) {
    const Tensor weight = matrix(16, 16, numbers(256, i));
    before.push_back(sketch_of(constant(weight), false));
    const Tensor codes = codes_of(numbers(256, 19 - i), {16, 16}, 0.03F);
    after.push_back(sketch_of(quantized(codes, 0.03F), false));
  }
  before.push_back(before[3]);  // a weight that two ops have tells nothing
  std::vector<Wanted> reference, model;
  for (std::size_t i = 0; i < before.size(); ++i) reference.push_back({i, {&before[i]}});
  for (std::size_t i = 0; i < after.size(); ++i) model.push_back({i, {&after[i]}});
  const auto pairs = best_counterparts(reference, model);
  EXPECT_EQ(pairs.size(), 19U);
  for (const auto& [r, q] : pairs) EXPECT_EQ(r, 19 - q);
}

}  // namespace
}  // namespace quantlens
