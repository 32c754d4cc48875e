// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

[[noreturn]] void fail_size(DType dtype, const Shape& shape, std::size_t size, const char* unit) {
  throw Error(Errc::bad_input, fmt::format("a {} tensor of shape {} cannot be made of {} {}; its "
                                           "file is damaged or not what it claims",
                                           name(dtype), to_string(shape), size, unit));
}

/// The element at `index` of a buffer that may be unaligned.
template <class T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls convert(element) for each element, read as T.
template <class T, class Out, class Convert>
std::vector<Out> converted(const Tensor& tensor, Convert convert) {
  std::vector<Out> out(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 element is a number, no character
    out[i] = static_cast<Out>(convert(load<T>(tensor.bytes(), i)));
  }
  return out;
}

constexpr auto kSame = [](auto value) { return value; };
constexpr auto kTruth = [](std::uint8_t byte) { return byte != 0 ? 1 : 0; };

std::vector<float> floats(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::float32:
      return converted<float, float>(tensor, kSame);
    case DType::float64:
      return converted<double, float>(tensor, kSame);
    case DType::float16:
      return converted<std::uint16_t, float>(tensor, float_from_half);
    case DType::bfloat16:
      return converted<std::uint16_t, float>(tensor, float_from_bfloat16);
    case DType::int8:
    case DType::int4:
      return converted<std::int8_t, float>(tensor, kSame);
    case DType::uint8:
    case DType::uint4:
      return converted<std::uint8_t, float>(tensor, kSame);
    case DType::int16:
      return converted<std::int16_t, float>(tensor, kSame);
    case DType::uint16:
      return converted<std::uint16_t, float>(tensor, kSame);
    case DType::int32:
      return converted<std::int32_t, float>(tensor, kSame);
    case DType::uint32:
      return converted<std::uint32_t, float>(tensor, kSame);
    case DType::int64:
      return converted<std::int64_t, float>(tensor, kSame);
    case DType::uint64:
      return converted<std::uint64_t, float>(tensor, kSame);
    case DType::boolean:
      return converted<std::uint8_t, float>(tensor, kTruth);
    case DType::string:
      break;
  }
  throw Error(Errc::unsupported, fmt::format("a {} tensor holds no numbers; choose another value",
                                             name(tensor.dtype())));
}

bool is_aligned(const Tensor& tensor) {
  const std::size_t size = byte_size(tensor.dtype());
  return size == 0 || reinterpret_cast<std::uintptr_t>(tensor.bytes().data()) % size == 0;
}

std::int64_t signed_of(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(
        Errc::bad_input,
        fmt::format("{} in a uint64 tensor is too large for an int64; correct the model", value));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape, std::span<const std::byte> bytes,
               std::shared_ptr<const void> owner)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(bytes), owner_(std::move(owner)) {
  const std::optional<std::int64_t> count = element_count(shape_);
  const std::size_t element = byte_size(dtype);
  if (!count || element == 0 || bytes.size() % element != 0 ||
      bytes.size() / element != static_cast<std::size_t>(*count)) {
    fail_size(dtype, shape_, bytes.size(), "bytes");
  }
  size_ = *count;
}

Tensor Tensor::from_strings(Shape shape, std::vector<std::string> values) {
  const std::optional<std::int64_t> count = element_count(shape);
  if (!count || values.size() != static_cast<std::size_t>(*count)) {
    fail_size(DType::string, shape, values.size(), "strings");
  }
  Tensor tensor;
  tensor.dtype_ = DType::string;
  tensor.shape_ = std::move(shape);
  tensor.size_ = *count;
  tensor.strings_ = std::make_shared<const std::vector<std::string>>(std::move(values));
  return tensor;
}

const std::vector<std::string>& Tensor::strings() const {
  static const std::vector<std::string> kNone;
  return strings_ ? *strings_ : kNone;
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != size_) {
    throw Error(Errc::bad_input,
                fmt::format("a tensor of shape {} cannot take the shape {}: it has {} elements; "
                            "choose a shape with as many",
                            to_string(shape_), to_string(shape), size_));
  }
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  return tensor;
}

Tensor aligned(const Tensor& tensor) {
  if (is_aligned(tensor)) return tensor;
  const std::span<const std::byte> bytes = tensor.bytes();
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return Tensor(tensor.dtype(), tensor.shape(), *copy, copy);
}

Tensor to_float32(const Tensor& tensor) {
  if (tensor.dtype() == DType::float32) return aligned(tensor);
  return Tensor::from<float>(tensor.shape(), floats(tensor));
}

std::vector<std::int64_t> to_int64(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::int8:
    case DType::int4:
      return converted<std::int8_t, std::int64_t>(tensor, kSame);
    case DType::uint8:
    case DType::uint4:
      return converted<std::uint8_t, std::int64_t>(tensor, kSame);
    case DType::int16:
      return converted<std::int16_t, std::int64_t>(tensor, kSame);
    case DType::uint16:
      return converted<std::uint16_t, std::int64_t>(tensor, kSame);
    case DType::int32:
      return converted<std::int32_t, std::int64_t>(tensor, kSame);
    case DType::uint32:
      return converted<std::uint32_t, std::int64_t>(tensor, kSame);
    case DType::int64:
      return converted<std::int64_t, std::int64_t>(tensor, kSame);
    case DType::uint64:
      return converted<std::uint64_t, std::int64_t>(tensor, signed_of);
    case DType::boolean:
      return converted<std::uint8_t, std::int64_t>(tensor, kTruth);
    case DType::float32:
    case DType::float64:
    case DType::float16:
    case DType::bfloat16:
    case DType::string:
      break;
  }
  throw Error(Errc::bad_input, fmt::format("expected integers in a tensor of shape {}, found {}; "
                                           "correct the model or the data",
                                           to_string(tensor.shape()), name(tensor.dtype())));
}

}  // namespace quantlens
