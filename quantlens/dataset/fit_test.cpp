// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/fit.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InputSpec spec_of(Shape shape) {
  return {.name = "x", .dtype = DType::float32, .shape = std::move(shape)};
}

TEST(FitShape, KeepsASampleThatTheModelTakes) {
  EXPECT_EQ(fit_shape({3, 8, 8}, spec_of({-1, 3, 8, 8})), Shape({3, 8, 8}));
  EXPECT_EQ(fit_shape({3, 9, 7}, spec_of({1, 3, -1, -1})), Shape({3, 9, 7}));
  EXPECT_EQ(fit_shape({}, spec_of({-1})), Shape({}));
}

TEST(FitShape, DropsALeadingOneThatStandsForTheBatch) {
  EXPECT_EQ(fit_shape({1, 16000}, spec_of({1, 16000})), Shape({16000}));
  EXPECT_EQ(fit_shape({1, 3, 8, 8}, spec_of({-1, 3, 8, 8})), Shape({3, 8, 8}));
}

TEST(FitShape, KeepsALeadingOneThatTheModelWants) {
  EXPECT_EQ(fit_shape({1, 28, 28}, spec_of({-1, 1, 28, 28})), Shape({1, 28, 28}));
}

TEST(FitShape, FindsNoneForOtherExtentsOrRanks) {
  EXPECT_EQ(fit_shape({3, 8, 9}, spec_of({-1, 3, 8, 8})), std::nullopt);
  EXPECT_EQ(fit_shape({2, 3, 8, 8}, spec_of({-1, 3, 8, 8})), std::nullopt);
  EXPECT_EQ(fit_shape({8, 8}, spec_of({-1, 1, 8, 8})), std::nullopt);
}

TEST(FitShape, TakesEverythingWhereTheModelSaysNothing) {
  EXPECT_EQ(fit_shape({4, 5}, spec_of({})), Shape({4, 5}));
}

TEST(Convert, KeepsTheValuesOfIntegersThatFit) {
  const Tensor narrow =
      convert(Tensor::from<std::int64_t>({3}, {-5, 0, 2147483647}), DType::int32, "a");
  EXPECT_EQ(narrow.dtype(), DType::int32);
  EXPECT_THAT(narrow.data<std::int32_t>(), ElementsAre(-5, 0, 2147483647));
}

TEST(Convert, NamesTheFirstValueThatDoesNotFit) {
  const Tensor wide = Tensor::from<std::int64_t>({2}, {7, 2147483648});
  EXPECT_THAT(sentence([&] { convert(wide, DType::int32, "a.npz: row 3"); }),
              HasSubstr("bad_input: a.npz: row 3: the value 2147483648 cannot become int32"));
}

TEST(Convert, RefusesIntegersThatAFloatWouldRound) {
  const auto to_float = [](std::int64_t value, DType to) {
    return sentence([&] { convert(Tensor::scalar(value), to, "a"); });
  };
  EXPECT_EQ(to_float(16777216, DType::float32), "");
  EXPECT_NE(to_float(16777217, DType::float32), "");
  EXPECT_EQ(to_float(std::numeric_limits<std::int64_t>::min(), DType::float32), "");
  EXPECT_NE(to_float(std::numeric_limits<std::int64_t>::max(), DType::float64), "");
  EXPECT_EQ(to_float(2048, DType::float16), "");
  EXPECT_NE(to_float(2049, DType::float16), "");
  EXPECT_NE(to_float(100000, DType::float16), "");
}

TEST(Convert, RoundsToANarrowerFloatButNeverToInfinity) {
  const Tensor rounded = convert(Tensor::scalar(0.1), DType::float32, "a");
  EXPECT_EQ(rounded.data<float>()[0], 0.1F);
  EXPECT_NE(sentence([] { convert(Tensor::scalar(1e39), DType::float32, "a"); }), "");
  EXPECT_NE(sentence([] { convert(Tensor::scalar(70000.F), DType::float16, "a"); }), "");
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sentence([&] { convert(Tensor::scalar(inf), DType::float16, "a"); }), "");
}

TEST(Convert, TakesFloatsAsIntegersOnlyWhereTheyAreWhole) {
  EXPECT_EQ(convert(Tensor::scalar(-3.F), DType::int8, "a").data<std::int8_t>()[0], -3);
  for (const double value : {0.5, 128.0, -129.0, std::nan(""), 1e300}) {
    EXPECT_NE(sentence([&] { convert(Tensor::scalar(value), DType::int8, "a"); }), "") << value;
  }
  EXPECT_NE(sentence([] { convert(Tensor::scalar(0x1p63), DType::int64, "a"); }), "");
  EXPECT_EQ(sentence([] { convert(Tensor::scalar(-0x1p63), DType::int64, "a"); }), "");
}

TEST(Convert, TakesBooleansAsZeroAndOneBothWays) {
  const Tensor truth = Tensor::from<bool>({2}, {false, true});
  EXPECT_THAT(convert(truth, DType::float32, "a").data<float>(), ElementsAre(0, 1));
  EXPECT_EQ(convert(Tensor::scalar<std::int64_t>(1), DType::boolean, "a").dtype(), DType::boolean);
  EXPECT_NE(sentence([] { convert(Tensor::scalar<std::int64_t>(2), DType::boolean, "a"); }), "");
}

TEST(Convert, ReadsUnalignedViews) {
  const std::string bytes("\x00\x01\x00\x00\x00\xFF\xFF\xFF\xFF", 9);
  const MappedFile file = MappedFile::from_bytes(bytes);
  const Tensor view(DType::int32, {2}, file.bytes().subspan(1), file.owner());
  EXPECT_THAT(convert(view, DType::int64, "a").data<std::int64_t>(), ElementsAre(1, -1));
}

}  // namespace
}  // namespace quantlens
