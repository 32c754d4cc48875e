// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "quantlens/quant/scheme.h"
#include "quantlens/runtime/oracle/call.h"
#include "quantlens/tensor/half.h"

namespace quantlens::oracle {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 30;

template <class T>
Tensor packed(DType dtype, Shape shape, auto values, auto convert) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return from_bytes(dtype, std::move(shape), std::move(bytes));
}

}  // namespace

std::size_t checked_size(const Shape& shape) {
  const std::optional<std::int64_t> count = element_count(shape);
  if (!count) refuse(fmt::format("a result would have the impossible shape {}", to_string(shape)));
  if (*count > kMostElements) {
    refuse_unknown(
        fmt::format("a result of shape {} is too large for the oracle", to_string(shape)));
  }
  return static_cast<std::size_t>(*count);
}

std::vector<std::byte> room(DType dtype, const Shape& shape) {
  if (dtype == DType::string) refuse_unknown("the oracle computes no strings");
  return std::vector<std::byte>(checked_size(shape) * byte_size(dtype));
}

Tensor from_bytes(DType dtype, Shape shape, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return Tensor(dtype, std::move(shape), *owner, owner);
}

std::vector<double> doubles(const Tensor& tensor) {
  if (tensor.dtype() == DType::float64) {
    const std::span<const double> values = tensor.data<double>();
    return {values.begin(), values.end()};
  }
  if (is_float(tensor.dtype()) || tensor.dtype() == DType::string) {  // strings are refused there
    const Tensor floats = to_float32(tensor);
    const std::span<const float> values = floats.data<float>();
    return {values.begin(), values.end()};
  }
  const std::vector<std::int64_t> values = to_int64(tensor);
  std::vector<double> result(values.size());
  std::ranges::transform(values, result.begin(), [](auto v) { return static_cast<double>(v); });
  return result;
}

Tensor from_doubles(DType dtype, Shape shape, std::span<const double> values) {
  const auto single = [](double value) { return static_cast<float>(value); };
  switch (dtype) {
    case DType::float32:
      return packed<float>(dtype, std::move(shape), values, single);
    case DType::float64:
      return packed<double>(dtype, std::move(shape), values, [](double value) { return value; });
    case DType::float16:
      return packed<std::uint16_t>(dtype, std::move(shape), values,
                                   [&](double value) { return half_from_float(single(value)); });
    case DType::bfloat16:
      return packed<std::uint16_t>(dtype, std::move(shape), values, [&](double value) {
        return bfloat16_from_float(single(value));
      });
    default:
      refuse_unknown(fmt::format("the oracle does not compute this in {}", name(dtype)));
  }
}

Tensor from_integers(DType dtype, Shape shape, std::span<const std::int64_t> values) {
  const auto pack = [&]<class T>(T) {
    return packed<T>(dtype, std::move(shape), values,
                     [](std::int64_t value) { return static_cast<T>(value); });
  };
  switch (dtype) {
    case DType::boolean:
      return packed<std::uint8_t>(dtype, std::move(shape), values, [](std::int64_t value) {
        return static_cast<std::uint8_t>(value != 0);
      });
    case DType::int4:
    case DType::int8:
      return pack(std::int8_t{});
    case DType::uint4:
    case DType::uint8:
      return pack(std::uint8_t{});
    case DType::int16:
      return pack(std::int16_t{});
    case DType::uint16:
      return pack(std::uint16_t{});
    case DType::int32:
      return pack(std::int32_t{});
    case DType::uint32:
      return pack(std::uint32_t{});
    case DType::int64:
      return pack(std::int64_t{});
    case DType::uint64:
      return pack(std::uint64_t{});
    default:
      refuse(fmt::format("{} is no integer type", name(dtype)));
  }
}

std::int64_t saturated(double value, std::int64_t zero_point, DType dtype) {
  const CodeRange limits = code_limits(dtype);
  if (std::isnan(value)) return zero_point;
  const double rounded = std::nearbyint(value) + static_cast<double>(zero_point);
  return static_cast<std::int64_t>(
      std::clamp(rounded, static_cast<double>(limits.min), static_cast<double>(limits.max)));
}

double number(const Tensor& tensor) {
  if (tensor.size() != 1) {
    refuse(fmt::format("a tensor of shape {} stands where one number is wanted",
                       to_string(tensor.shape())));
  }
  return doubles(tensor)[0];
}

}  // namespace quantlens::oracle
