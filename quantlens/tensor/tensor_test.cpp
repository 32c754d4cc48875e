// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// The same elements, one byte off alignment.
Tensor unaligned(const Tensor& tensor) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(tensor.bytes().size() + 1);
  std::ranges::copy(tensor.bytes(), bytes->begin() + 1);
  return Tensor(tensor.dtype(), tensor.shape(), std::span(*bytes).subspan(1), bytes);
}

/// A tensor of a type without a C++ type of its own, out of the integers that hold its bits.
template <class T>
Tensor retyped(DType dtype, std::vector<T> values) {
  const Tensor raw = Tensor::from({static_cast<std::int64_t>(values.size())}, values);
  return Tensor(dtype, raw.shape(), raw.bytes(), raw.owner());
}

template <class Action>
Errc code_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Errc::failed;
}

TEST(DTypeName, ReadsBack) {
  for (int i = 0; i <= static_cast<int>(DType::string); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("float128"), std::nullopt);
  EXPECT_EQ(name(static_cast<DType>(99)), "unknown");
}

TEST(DTypeSize, IsOfOneElementInMemory) {
  EXPECT_EQ(byte_size(DType::float64), 8U);
  EXPECT_EQ(byte_size(DType::bfloat16), 2U);
  EXPECT_EQ(byte_size(DType::int4), 1U);
  EXPECT_EQ(byte_size(DType::string), 0U);
  EXPECT_TRUE(is_float(DType::float16));
  EXPECT_FALSE(is_float(DType::int8));
}

TEST(Tensor, IsEmptyByDefault) {
  const Tensor tensor;
  EXPECT_EQ(tensor.size(), 0);
  EXPECT_TRUE(tensor.data<float>().empty());
  EXPECT_TRUE(tensor.strings().empty());
  EXPECT_EQ(to_float32(tensor).size(), 0);
}

TEST(Tensor, TakesAVectorOver) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const float* buffer = values.data();
  const Tensor tensor = Tensor::from({2, 3}, std::move(values));
  EXPECT_EQ(tensor.data<float>().data(), buffer);
  EXPECT_THAT(tensor.data<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Tensor, SharesItsBufferWithCopiesThatOutliveIt) {
  Tensor copy;
  {
    const Tensor tensor = Tensor::from<std::int64_t>({2}, {7, 8});
    copy = tensor;
    EXPECT_EQ(copy.bytes().data(), tensor.bytes().data());
  }
  EXPECT_THAT(copy.data<std::int64_t>(), ElementsAre(7, 8));
}

TEST(Tensor, HoldsScalarsAndBooleansAndStrings) {
  EXPECT_THAT(Tensor::scalar<std::int32_t>(-3).data<std::int32_t>(), ElementsAre(-3));
  EXPECT_TRUE(Tensor::scalar(1.0).shape().empty());
  const Tensor truth = Tensor::from<bool>({3}, {true, false, true});
  EXPECT_EQ(truth.dtype(), DType::boolean);
  EXPECT_THAT(truth.data<std::uint8_t>(), ElementsAre(1, 0, 1));
  EXPECT_THAT(Tensor::scalar(true).data<std::uint8_t>(), ElementsAre(1));
  EXPECT_THAT(Tensor::from_strings({2}, {"a", ""}).strings(), ElementsAre("a", ""));
}

TEST(Tensor, RefusesBuffersThatDoNotFitItsShape) {
  const std::array<std::byte, 8> eight = {};
  const auto make = [&](DType dtype, const Shape& shape, std::size_t bytes) {
    return code_of([&] { (void)Tensor(dtype, shape, std::span(eight).first(bytes), nullptr); });
  };
  EXPECT_EQ(make(DType::float32, {3}, 8), Errc::bad_input);
  EXPECT_EQ(make(DType::float32, {2}, 7), Errc::bad_input);
  EXPECT_EQ(make(DType::float32, {-1}, 8), Errc::bad_input);
  EXPECT_EQ(make(DType::int8, {std::int64_t{1} << 62, 4}, 8), Errc::bad_input);
  EXPECT_EQ(make(DType::int64, {(std::int64_t{1} << 61) + 1}, 8), Errc::bad_input);  // bytes wrap
  EXPECT_EQ(make(DType::string, {}, 0), Errc::bad_input);
  EXPECT_EQ(code_of([] { (void)Tensor::from<float>({2}, {1}); }), Errc::bad_input);
  EXPECT_EQ(code_of([] { (void)Tensor::from_strings({2}, {"a"}); }), Errc::bad_input);
}

TEST(Tensor, TakesAnotherShapeWithAsManyElements) {
  const Tensor tensor = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor flat = tensor.reshaped({6});
  EXPECT_EQ(flat.bytes().data(), tensor.bytes().data());
  EXPECT_EQ(flat.shape(), Shape{6});
  EXPECT_EQ(code_of([&] { (void)tensor.reshaped({7}); }), Errc::bad_input);
  EXPECT_EQ(code_of([&] { (void)tensor.reshaped({-1, 6}); }), Errc::bad_input);
}

TEST(Aligned, CopiesOnlyWhatIsNotAligned) {
  const Tensor tensor = Tensor::from<float>({2}, {1, 2});
  EXPECT_EQ(aligned(tensor).bytes().data(), tensor.bytes().data());
  EXPECT_THAT(aligned(unaligned(tensor)).data<float>(), ElementsAre(1, 2));
  const Tensor bytes = Tensor::from<std::int8_t>({2}, {1, 2});
  EXPECT_THAT(unaligned(bytes).data<std::int8_t>(), ElementsAre(1, 2));
  EXPECT_THAT(aligned(Tensor::from_strings({1}, {"a"})).strings(), ElementsAre("a"));
}

TEST(ToFloat32, ConvertsEveryNumericTypeAlignedOrNot) {
  const Tensor tensors[] = {
      Tensor::from<float>({2}, {0, 3}),
      Tensor::from<double>({2}, {0, 3}),
      retyped<std::uint16_t>(DType::float16, {0, half_from_float(3)}),
      retyped<std::uint16_t>(DType::bfloat16, {0, bfloat16_from_float(3)}),
      Tensor::from<std::int8_t>({2}, {0, 3}),
      Tensor::from<std::uint8_t>({2}, {0, 3}),
      Tensor::from<std::int16_t>({2}, {0, 3}),
      Tensor::from<std::uint16_t>({2}, {0, 3}),
      Tensor::from<std::int32_t>({2}, {0, 3}),
      Tensor::from<std::uint32_t>({2}, {0, 3}),
      Tensor::from<std::int64_t>({2}, {0, 3}),
      Tensor::from<std::uint64_t>({2}, {0, 3}),
      retyped<std::int8_t>(DType::int4, {0, 3}),
      retyped<std::uint8_t>(DType::uint4, {0, 3}),
  };
  for (const Tensor& tensor : tensors) {
    EXPECT_THAT(to_float32(tensor).data<float>(), ElementsAre(0, 3)) << name(tensor.dtype());
    EXPECT_THAT(to_float32(unaligned(tensor)).data<float>(), ElementsAre(0, 3));
  }
}

TEST(ToFloat32, KeepsTheShapeAndSharesWhatIsFloatAlready) {
  const Tensor tensor = Tensor::from<float>({1, 2}, {1, 2});
  EXPECT_EQ(to_float32(tensor).bytes().data(), tensor.bytes().data());
  EXPECT_EQ(to_float32(Tensor::from<std::int8_t>({2, 1}, {1, 2})).shape(), (Shape{2, 1}));
}

TEST(ToFloat32, TakesAnyByteButZeroForTrue) {
  EXPECT_THAT(to_float32(retyped<std::uint8_t>(DType::boolean, {0, 1, 255})).data<float>(),
              ElementsAre(0, 1, 1));
}

TEST(ToFloat32, OverflowsToInfinity) {
  const Tensor tensor = Tensor::from<double>({2}, {1e300, std::nan("")});
  EXPECT_EQ(to_float32(tensor).data<float>()[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_float32(tensor).data<float>()[1]));
}

TEST(ToFloat32, RefusesStrings) {
  EXPECT_EQ(code_of([] { (void)to_float32(Tensor::from_strings({1}, {"1"})); }), Errc::unsupported);
}

TEST(ToInt64, ConvertsIntegersAndBooleans) {
  EXPECT_THAT(to_int64(Tensor::from<std::int8_t>({2}, {-128, 127})), ElementsAre(-128, 127));
  EXPECT_THAT(to_int64(unaligned(Tensor::from<std::uint32_t>({1}, {4294967295U}))),
              ElementsAre(4294967295));
  EXPECT_THAT(to_int64(retyped<std::uint8_t>(DType::boolean, {0, 7})), ElementsAre(0, 1));
  EXPECT_THAT(to_int64(Tensor::from<std::int64_t>({0}, {})), ElementsAre());
}

TEST(ToInt64, RefusesFloatsStringsAndWhatDoesNotFit) {
  EXPECT_EQ(code_of([] { (void)to_int64(Tensor::scalar(1.0F)); }), Errc::bad_input);
  EXPECT_EQ(code_of([] { (void)to_int64(Tensor::from_strings({1}, {"1"})); }), Errc::bad_input);
  EXPECT_EQ(code_of([] { (void)to_int64(Tensor::scalar(~std::uint64_t{0})); }), Errc::bad_input);
}

}  // namespace
}  // namespace quantlens
