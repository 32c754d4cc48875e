// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/fit.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

bool matches(std::span<const std::int64_t> sample, std::span<const std::int64_t> wanted) {
  return std::ranges::equal(sample, wanted, [](std::int64_t has, std::int64_t wants) {
    return wants < 0 || has == wants;
  });
}

// How an element type is held in memory, and the C++ number it stands for.

template <class T>
struct Plain {
  using Stored = T;
  static T load(T stored) { return stored; }
  static T store(T value) { return value; }
  static bool holds(T) { return true; }
};

template <float (*widen)(std::uint16_t), std::uint16_t (*narrow)(float)>
struct Short {
  using Stored = std::uint16_t;
  static float load(Stored stored) { return widen(stored); }
  static Stored store(float value) { return narrow(value); }
  static bool holds(float value) {
    return !std::isfinite(value) || std::isfinite(widen(narrow(value)));
  }
};

template <class T, int low, int high>
struct Nibble {
  using Stored = T;
  static T load(T stored) { return stored; }
  static T store(T value) { return value; }
  static bool holds(T value) { return value >= low && value <= high; }
};

struct Truth {
  using Stored = std::uint8_t;
  static std::uint8_t load(Stored stored) { return stored != 0 ? 1 : 0; }
  static Stored store(std::uint8_t value) { return value; }
  static bool holds(std::uint8_t value) { return value <= 1; }
};

/// Calls f with the codec of a numeric type. REQUIRES: `dtype` is not string.
template <class F>
auto with_codec(DType dtype, F f) {
  switch (dtype) {
    case DType::float32:
      return f(Plain<float>{});
    case DType::float64:
      return f(Plain<double>{});
    case DType::float16:
      return f(Short<float_from_half, half_from_float>{});
    case DType::bfloat16:
      return f(Short<float_from_bfloat16, bfloat16_from_float>{});
    case DType::int8:
      return f(Plain<std::int8_t>{});
    case DType::uint8:
      return f(Plain<std::uint8_t>{});
    case DType::int16:
      return f(Plain<std::int16_t>{});
    case DType::uint16:
      return f(Plain<std::uint16_t>{});
    case DType::int32:
      return f(Plain<std::int32_t>{});
    case DType::uint32:
      return f(Plain<std::uint32_t>{});
    case DType::int64:
      return f(Plain<std::int64_t>{});
    case DType::uint64:
      return f(Plain<std::uint64_t>{});
    case DType::int4:
      return f(Nibble<std::int8_t, -8, 7>{});
    case DType::uint4:
      return f(Nibble<std::uint8_t, 0, 15>{});
    case DType::boolean:
    case DType::string:
      break;
  }
  return f(Truth{});
}

/// 2^bits: one more than the largest To, and exact in every floating-point type.
template <std::integral To>
constexpr double kEnd = static_cast<double>(std::uint64_t{1}
                                            << (std::numeric_limits<To>::digits - 1)) *
                        2;

/// Whether the value survives in To, by the rules of `convert`.
template <class To, class From>
bool survives(From value) {
  if constexpr (std::integral<From> && std::integral<To>) {
    return std::in_range<To>(value);
  } else if constexpr (std::integral<From>) {
    const To rounded = static_cast<To>(value);
    return rounded < static_cast<To>(kEnd<From>) && static_cast<From>(rounded) == value;
  } else if constexpr (std::integral<To>) {
    const double least = std::is_signed_v<To> ? -kEnd<To> : 0.0;
    const double wide = static_cast<double>(value);
    return wide >= least && wide < kEnd<To> && wide == std::trunc(wide);
  } else {
    return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
  }
}

[[noreturn]] void fail_value(std::string_view where, const std::string& value, DType to) {
  throw Error(Errc::bad_input,
              fmt::format("{}: the value {} cannot become {} without loss; save the array as {}",
                          printable(where), value, name(to), name(to)));
}

template <class From, class To>
Tensor converted(const Tensor& tensor, DType to, std::string_view where) {
  using Source = decltype(From::load({}));
  using Target = decltype(To::load({}));
  constexpr bool kExact = std::integral<Source>;  // an integer may not be rounded by a half, either
  const auto out =
      std::make_shared<std::vector<typename To::Stored>>(static_cast<std::size_t>(tensor.size()));
  const std::byte* from = tensor.bytes().data();
  for (typename To::Stored& stored : *out) {
    typename From::Stored raw;
    std::memcpy(&raw, from, sizeof(raw));
    from += sizeof(raw);
    const Source value = From::load(raw);
    if (!survives<Target>(value)) fail_value(where, fmt::format("{}", value), to);
    const Target target = static_cast<Target>(value);
    if (!To::holds(target)) fail_value(where, fmt::format("{}", value), to);
    stored = To::store(target);
    if (kExact && To::load(stored) != target) fail_value(where, fmt::format("{}", value), to);
  }
  return Tensor(to, tensor.shape(), std::as_bytes(std::span(*out)), out);
}

}  // namespace

std::optional<Shape> fit_shape(const Shape& sample, const InputSpec& input) {
  if (input.shape.empty()) return sample;
  const auto wanted = std::span(input.shape).subspan(1);
  if (matches(sample, wanted)) return sample;
  const bool has_batch = !sample.empty() && sample.front() == 1;
  if (has_batch && matches(std::span(sample).subspan(1), wanted)) {
    return Shape(sample.begin() + 1, sample.end());
  }
  return std::nullopt;
}

std::string describe(const InputSpec& input) {
  if (input.shape.empty()) return fmt::format("{} of any shape", name(input.dtype));
  std::string extents;
  for (std::size_t i = 1; i < input.shape.size(); ++i) {
    extents += i == 1 ? "" : ",";
    extents += input.shape[i] < 0 ? "?" : std::to_string(input.shape[i]);
  }
  return fmt::format("{} [{}] a sample", name(input.dtype), extents);
}

LabelForm label_form(DType dtype, Shape shape) {
  if (is_float(dtype) || dtype == DType::string) return {dtype, std::move(shape)};
  if (element_count(shape) == 1) shape.clear();
  return {DType::int64, std::move(shape)};
}

bool is_convertible(DType from, DType to) {
  return from == to || (from != DType::string && to != DType::string);
}

Tensor convert(const Tensor& tensor, DType to, std::string_view where) {
  if (tensor.dtype() == to) return tensor;
  return with_codec(tensor.dtype(), [&](auto from) {
    return with_codec(to, [&](auto target) {
      return converted<decltype(from), decltype(target)>(tensor, to, where);
    });
  });
}

}  // namespace quantlens
