// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_tensor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"

namespace quantlens {
namespace {

const Shape kShape{16, 4, 3, 3};
constexpr std::size_t kPerChannel = 36;

/// A weight of a Conv, and its codes of 8 bits with a scale for each output channel.
class Weight {
 public:
  Weight() : values_(numbers(16 * kPerChannel, 3)), params_(16) {
    for (std::size_t c = 0; c < params_.size(); ++c) {
      float reach = 0;
      for (std::size_t i = 0; i < kPerChannel; ++i)
        reach = std::max(reach, std::abs(values_[c * kPerChannel + i]));
      params_[c].scale = reach / 127;
    }
    scheme_ = {.dtype = DType::int8, .symmetric = true, .axis = 0};
  }

  Tensor tensor() const { return Tensor::from<float>(kShape, values_); }
  std::vector<float>& values() { return values_; }
  std::vector<QParams>& params() { return params_; }

  /// What the codes of `values` mean.
  Tensor coded(const std::vector<float>& values) const {
    const Tensor codes = quantize(Tensor::from<float>(kShape, values), params_, scheme_);
    return dequantize(codes, params_, scheme_.axis);
  }

  std::optional<ChangedTensor> compare(const Tensor& after) const {
    const Tensor before = tensor();
    return changed_tensor(
        {.before = before, .after = after, .output_axis = 0, .scheme = scheme_, .params = params_});
  }

 private:
  std::vector<float> values_;
  std::vector<QParams> params_;
  Scheme scheme_;
};

Difference difference_of(const std::optional<ChangedTensor>& change) {
  EXPECT_TRUE(change) << "nothing was found";
  return change ? change->difference : Difference::similar;
}

TEST(ChangedTensor, RoundingToTheNextCodeIsNoChange) {
  Weight weight;
  EXPECT_FALSE(weight.compare(weight.coded(weight.values())));
}

TEST(ChangedTensor, RoundingToEitherNeighbourIsNoChange) {
  Weight weight;
  std::vector<float> moved = weight.values();
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const float step = weight.params()[i / kPerChannel].scale;
    moved[i] = (i % 2 == 0 ? std::floor(moved[i] / step) : std::ceil(moved[i] / step)) * step;
  }
  EXPECT_FALSE(weight.compare(Tensor::from<float>(kShape, moved)));
}

TEST(ChangedTensor, ClippingToTheReachOfTheCodesIsNoChange) {
  Weight weight;
  for (QParams& params : weight.params()) params.scale /= 2;
  EXPECT_FALSE(weight.compare(weight.coded(weight.values())));
}

TEST(ChangedTensor, ChannelsInAnotherOrderAreSwapped) {
  Weight weight;
  const Tensor right = weight.coded(weight.values());
  std::vector<float> values(right.data<float>().begin(), right.data<float>().end());
  std::swap_ranges(values.begin(), values.begin() + kPerChannel, values.begin() + 5 * kPerChannel);
  const auto change = weight.compare(Tensor::from<float>(kShape, values));
  EXPECT_EQ(difference_of(change), Difference::swapped);
  EXPECT_EQ(said(change->how), "constant.channels_moved(channels: 16, from: 5, moved: 2, to: 0)");
}

TEST(ChangedTensor, ChannelsWithTheOppositeSignAreNegated) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (std::size_t i = 0; i < 3 * kPerChannel; ++i) values[i] = -values[i];
  const auto change = weight.compare(weight.coded(values));
  EXPECT_EQ(difference_of(change), Difference::negated);
  EXPECT_EQ(said(change->how), R"(constant.signs(channels: "output channels", of: 16, turned: 3))");
}

TEST(ChangedTensor, KernelsReadBackwardsAreFlipped) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (std::size_t k = 0; k < values.size(); k += 9)
    std::reverse(values.begin() + static_cast<std::ptrdiff_t>(k),
                 values.begin() + static_cast<std::ptrdiff_t>(k + 9));
  const auto change = weight.compare(weight.coded(values));
  EXPECT_EQ(difference_of(change), Difference::flipped);
  EXPECT_EQ(said(change->how), R"(constant.turned(of: "kernels", turn: "flipped"))");
}

TEST(ChangedTensor, AFactorIsToldThoughTheGreatestCodesAreClipped) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (float& value : values) value *= 1.1F;
  const auto change = weight.compare(weight.coded(values));
  EXPECT_EQ(difference_of(change), Difference::output_factors);
  EXPECT_EQ(change->how.says, "constant.factors");
  EXPECT_FALSE(change->how.figures.contains("changed")) << "of all channels";
}

TEST(ChangedTensor, FactorsOfInputChannelsAreToldApartFromThoseOfOutputs) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= 0.5F + 0.1F * static_cast<float>(i / 9 % 4);
  EXPECT_EQ(difference_of(weight.compare(weight.coded(values))), Difference::input_factors);
}

TEST(ChangedTensor, CodesThatLeftTheirRangeHaveWrappedAround) {
  Weight weight;
  for (QParams& params : weight.params()) params.scale /= 1.5F;
  std::vector<float> values = weight.values();
  std::size_t left = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float step = weight.params()[i / kPerChannel].scale;
    const float code = std::round(values[i] / step);
    values[i] = code * step;
    if (std::abs(code) <= 127) continue;
    values[i] -= std::copysign(256 * step, code);
    ++left;
  }
  ASSERT_GT(left, 0U);
  const auto change = weight.compare(Tensor::from<float>(kShape, values));
  EXPECT_EQ(difference_of(change), Difference::wrapped_around);
}

TEST(ChangedTensor, ElementsThatAreZeroAndWereNotArePruned) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (float& value : values) value = std::abs(value) < 0.7F ? 0 : value;
  EXPECT_EQ(difference_of(weight.compare(weight.coded(values))), Difference::zeroed);
}

TEST(ChangedTensor, SevenOf256CodesAreThreeBits) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float step = weight.params()[i / kPerChannel].scale * 42;
    values[i] = std::round(values[i] / step) * step;
  }
  const auto change = weight.compare(weight.coded(values));
  EXPECT_EQ(difference_of(change), Difference::fewer_bits);
  EXPECT_EQ(said(change->how), "constant.few_codes(bits: 3, codes: 256, gap: 42, used: 7)");
}

TEST(ChangedTensor, OtherNumbersAreOther) {
  const Weight weight;
  EXPECT_EQ(difference_of(weight.compare(weight.coded(numbers(16 * kPerChannel, 99)))),
            Difference::other);
}

TEST(ChangedTensor, NumbersTrainedOnAreSimilar) {
  Weight weight;
  std::vector<float> values = weight.values();
  const std::vector<float> noise = numbers(values.size(), 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.2F * noise[i];
  EXPECT_EQ(difference_of(weight.compare(weight.coded(values))), Difference::similar);
}

TEST(ChangedTensor, FloatsOfHalfPrecisionAreNoChangeAndOthersAre) {
  const Tensor before = Tensor::from<float>({4}, {1, -2, 3, 0.5F});
  const auto compare = [&](std::vector<float> after) {
    const Tensor other = Tensor::from<float>({4}, std::move(after));
    return changed_tensor(
        {.before = before, .after = other, .output_axis = {}, .scheme = {}, .params = {}});
  };
  EXPECT_FALSE(compare({1.0009F, -1.998F, 3.002F, 0.4997F}));
  EXPECT_EQ(difference_of(compare({3, 1, -2, 0.5F})), Difference::swapped);
  EXPECT_EQ(difference_of(compare({1.5F, -3, 4.5F, 0.75F})), Difference::output_factors);
}

/// A vector and what stands in its place, both as they are.
std::optional<ChangedTensor> compare_vectors(const std::vector<float>& before,
                                             const std::vector<float>& after) {
  const Shape shape{static_cast<std::int64_t>(before.size())};
  const Tensor x = Tensor::from<float>(shape, before), y = Tensor::from<float>(shape, after);
  return changed_tensor({.before = x, .after = y, .output_axis = {}, .scheme = {}, .params = {}});
}

TEST(ChangedTensor, ManyNumbersChangedALittleAreNotInAnotherOrder) {
  const std::vector<float> bias = numbers(1536, 5), shifts = numbers(1536, 6);
  std::vector<float> corrected = bias;
  for (std::size_t i = 0; i < bias.size(); ++i) corrected[i] += 0.05F * shifts[i];
  const Difference found = difference_of(compare_vectors(bias, corrected));
  EXPECT_EQ(found, Difference::similar) << "sorted, both are nearly equal";
}

TEST(ChangedTensor, NumbersInAnotherOrderAreSwapped) {
  const std::vector<float> bias = numbers(64, 5);
  std::vector<float> turned(bias.rbegin(), bias.rend());
  EXPECT_EQ(difference_of(compare_vectors(bias, turned)), Difference::swapped);
}

/// NaN, an infinity of each sign, and a whole channel of NaN.
void spoil(std::vector<float>& values) {
  values[7] = NAN;
  values[50] = INFINITY;
  values[90] = -INFINITY;
  std::fill_n(values.begin() + 5 * kPerChannel, kPerChannel, NAN);
}

TEST(ChangedTensor, ElementsThatAreNotFiniteAreLeftOut) {
  Weight weight;
  const Tensor codes = weight.coded(weight.values());
  spoil(weight.values());
  EXPECT_FALSE(weight.compare(codes)) << "whatever the codes are";
  EXPECT_FALSE(weight.compare(weight.coded(weight.values())));
}

TEST(ChangedTensor, NonfiniteElementsHideNoChange) {
  Weight weight;
  std::vector<float> values = weight.values();
  for (std::size_t i = 0; i < 3 * kPerChannel; ++i) values[i] = -values[i];
  const Tensor after = weight.coded(values);
  spoil(weight.values());
  const auto change = weight.compare(after);
  EXPECT_EQ(difference_of(change), Difference::negated);
  EXPECT_EQ(said(change->how), R"(constant.signs(channels: "output channels", of: 16, turned: 3))");
}

TEST(ChangedTensor, FloatsOfBothFilesMayBeNonfinite) {
  std::vector<float> values = numbers(16 * kPerChannel, 3);
  spoil(values);
  const Tensor same = Tensor::from<float>(kShape, values);
  const auto floats = [&](const Tensor& before, const Tensor& after) {
    return changed_tensor(
        {.before = before, .after = after, .output_axis = 0, .scheme = {}, .params = {}});
  };
  EXPECT_FALSE(floats(same, same));
  const Tensor all = Tensor::from<float>({2}, {NAN, NAN});
  EXPECT_FALSE(floats(all, all));
}

TEST(ChangedTensor, NumbersThatBecomeNaNAreAChange) {
  const Tensor before = Tensor::from<float>({4}, {1, 2, 3, -1e30F});
  const auto floats = [&](std::vector<float> after) {
    return changed_tensor({.before = before,
                           .after = Tensor::from<float>({4}, std::move(after)),
                           .output_axis = {},
                           .scheme = {},
                           .params = {}});
  };
  const auto change = floats({1, NAN, 3, -INFINITY});
  EXPECT_EQ(difference_of(change), Difference::nonfinite);
  EXPECT_EQ(said(change->how), "constant.nonfinite(elements: 4, nonfinite: 1)");
  EXPECT_FALSE(floats({1, 2, 3, -INFINITY})) << "in half precision";
  EXPECT_TRUE(floats({1, 2, 3, INFINITY}));
}

}  // namespace
}  // namespace quantlens
