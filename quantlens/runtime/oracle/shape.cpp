// SPDX-License-Identifier: Apache-2.0
// Ops that keep their elements and change the shape or the type, and those that make constants.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/layout.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// ONNX's numbers for element types.
DType dtype_of_number(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::float32;
    case 2:
      return DType::uint8;
    case 3:
      return DType::int8;
    case 4:
      return DType::uint16;
    case 5:
      return DType::int16;
    case 6:
      return DType::int32;
    case 7:
      return DType::int64;
    case 9:
      return DType::boolean;
    case 10:
      return DType::float16;
    case 11:
      return DType::float64;
    case 12:
      return DType::uint32;
    case 13:
      return DType::uint64;
    case 16:
      return DType::bfloat16;
    case 21:
      return DType::uint4;
    case 22:
      return DType::int4;
    default:
      refuse_unknown(fmt::format("the oracle does not know element type {}", number));
  }
}

template <class T>
Tensor list(std::vector<T> values) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  return Tensor::from<T>(shape, std::move(values));
}

/// A float as an integer: its whole part; NaN and what no int64 holds become the least one.
std::int64_t whole(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value > -kLimit && value < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace

DType dtype_attribute(const Call& call, const std::string& key, DType otherwise) {
  const std::int64_t number = attribute_int(call.node, key, 0);
  return number == 0 ? otherwise : dtype_of_number(number);
}

Results reshape(const Call& call) {
  const Tensor& x = call.input(0);
  Shape shape = to_int64(call.input(1));
  const bool keep_zero = attribute_int(call.node, "allowzero", 0) != 0;
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !keep_zero) {
      if (i >= x.shape().size()) refuse("its shape copies an axis that the input does not have");
      shape[i] = x.shape()[i];
    }
    if (shape[i] == -1) {
      if (open) refuse("its shape has two unknown extents");
      open = i;
    } else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known)) {
      refuse(fmt::format("its shape {} is impossible", to_string(shape)));
    }
  }
  if (open) {
    if (known == 0 || x.size() % known != 0) {
      refuse(fmt::format("{} elements do not fill the shape {}", x.size(), to_string(shape)));
    }
    shape[*open] = x.size() / known;
  }
  return {x.reshaped(shape)};
}

Results flatten(const Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t rank = x.shape().size();
  const std::int64_t given = attribute_int(call.node, "axis", 1);
  const std::size_t axis = given == static_cast<std::int64_t>(rank) ? rank : axis_in(given, rank);
  Shape shape{1, 1};
  for (std::size_t i = 0; i < rank; ++i) shape[i < axis ? 0 : 1] *= x.shape()[i];
  return {x.reshaped(shape)};
}

Results squeeze(const Call& call) {
  const Tensor& x = call.input(0);
  const auto given = ints(call, "axes", 1);
  const std::vector<std::size_t> axes =
      axes_in(given.value_or(std::vector<std::int64_t>{}), x.shape().size());
  Shape shape;
  for (std::size_t i = 0; i < x.shape().size(); ++i) {
    const bool drop = given ? std::ranges::binary_search(axes, i) : x.shape()[i] == 1;
    if (!drop) shape.push_back(x.shape()[i]);
  }
  return {x.reshaped(shape)};
}

Results unsqueeze(const Call& call) {
  const Tensor& x = call.input(0);
  const auto given = ints(call, "axes", 1);
  if (!given) refuse("its axes are missing");
  const std::size_t rank = x.shape().size() + given->size();
  const std::vector<std::size_t> axes = axes_in(*given, rank);
  Shape shape = x.shape();
  for (const std::size_t axis : axes) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  }
  return {x.reshaped(shape)};
}

Results shape_of(const Call& call) {
  const Shape& shape = call.input(0).shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = bound(attribute_int(call.node, "start", 0));
  const std::int64_t end = std::max(begin, bound(attribute_int(call.node, "end", rank)));
  return {list(Shape(shape.begin() + begin, shape.begin() + end))};
}

Results cast(const Call& call) {
  const Tensor& x = call.input(0);
  const DType to = dtype_attribute(call, "to", x.dtype());
  if (to == x.dtype()) return {x};
  if (is_float(to)) return {from_doubles(to, x.shape(), doubles(x))};
  if (!is_float(x.dtype())) return {from_integers(to, x.shape(), to_int64(x))};
  const std::vector<double> values = doubles(x);
  std::vector<std::int64_t> result(values.size());
  std::ranges::transform(values, result.begin(), [to](double value) -> std::int64_t {
    return to == DType::boolean ? value != 0 : whole(value);
  });
  return {from_integers(to, x.shape(), result)};
}

Results constant(const Call& call) {
  for (const auto& [key, value] : call.node.attributes) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) return {aligned(*tensor)};
    if (const auto* number = std::get_if<float>(&value)) return {Tensor::scalar(*number)};
    if (const auto* number = std::get_if<std::int64_t>(&value)) return {Tensor::scalar(*number)};
    if (const auto* floats = std::get_if<std::vector<float>>(&value)) return {list(*floats)};
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) {
      return {list(*numbers)};
    }
  }
  refuse_unknown("the oracle does not know this form of constant");
}

Results constant_of_shape(const Call& call) {
  const Shape shape = to_int64(call.input(0));
  const auto found = call.node.attributes.find("value");
  const Tensor* value =
      found == call.node.attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
  const Tensor one = value != nullptr ? aligned(*value) : Tensor::scalar(0.0f);
  if (one.size() != 1) refuse("its value is not one number");
  return {checked_rearranged(one, shape, Strides(shape.size(), 0))};
}

Results expand(const Call& call) {
  const Tensor& x = call.input(0);
  const Shape shape = broadcast(x.shape(), to_int64(call.input(1)));
  return {checked_rearranged(x, shape, broadcast_strides(x.shape(), shape))};
}

}  // namespace quantlens::oracle
