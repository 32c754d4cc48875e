// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/sample_parts.h"

#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

template <class T>
void convert_elements(const std::byte* from, std::size_t count, float* to, auto&& convert) {
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));  // may be unaligned
    to[i] = convert(element);
  }
}

/// `count` elements as float32; those of quantized codes are dequantized by `params`.
void convert(DType dtype, const std::byte* from, std::size_t count, const QParams* params,
             float* to) {
  const auto number = [params](auto element) {
    if (params == nullptr) return static_cast<float>(element);
    return dequantize(static_cast<std::int32_t>(element), *params);
  };
  switch (dtype) {
    case DType::float32:
      return convert_elements<float>(from, count, to, number);
    case DType::float64:
      return convert_elements<double>(from, count, to, number);
    case DType::float16:
      return convert_elements<std::uint16_t>(from, count, to, float_from_half);
    case DType::bfloat16:
      return convert_elements<std::uint16_t>(from, count, to, float_from_bfloat16);
    case DType::int4:
    case DType::int8:
      return convert_elements<std::int8_t>(from, count, to, number);
    case DType::uint4:
    case DType::uint8:
      return convert_elements<std::uint8_t>(from, count, to, number);
    case DType::int16:
      return convert_elements<std::int16_t>(from, count, to, number);
    case DType::uint16:
      return convert_elements<std::uint16_t>(from, count, to, number);
    case DType::int32:
      return convert_elements<std::int32_t>(from, count, to, number);
    case DType::uint32:
      return convert_elements<std::uint32_t>(from, count, to, number);
    case DType::int64:
      return convert_elements<std::int64_t>(from, count, to, number);
    case DType::uint64:
      return convert_elements<std::uint64_t>(from, count, to, number);
    case DType::boolean:
      return convert_elements<std::uint8_t>(
          from, count, to, [](std::uint8_t byte) { return byte != 0 ? 1.f : 0.f; });
    case DType::string:
      break;
  }
  throw Error(Errc::bad_input, "a tensor of strings has no statistics");
}

bool is_aligned_float(const TensorView& value) {
  return value.dtype == DType::float32 &&
         reinterpret_cast<std::uintptr_t>(value.data) % alignof(float) == 0;
}

}  // namespace

SampleParts parts_of(const TensorView& value, std::size_t samples, int sample_axis,
                     const std::string& name) {
  SampleParts parts;
  parts.samples = samples;
  parts.sample_shape.assign(value.shape.begin(), value.shape.end());
  const std::optional<std::int64_t> count = element_count(value.shape);
  if (!count) throw Error(Errc::bad_input, "a tensor's shape is impossible");
  if (parts.samples == 1) {
    parts.run = static_cast<std::size_t>(*count);
    return parts;
  }
  const int rank = static_cast<int>(value.shape.size());
  const int axis = sample_axis < 0 ? sample_axis + rank : sample_axis;
  const auto count_of_samples = static_cast<std::int64_t>(samples);
  if (axis < 0 || axis >= rank ||
      value.shape[static_cast<std::size_t>(axis)] % count_of_samples != 0) {
    throw Error(Errc::bad_input,
                fmt::format("value '{}' of shape {} does not divide into {} samples along axis {}; "
                            "run with batch size 1",
                            printable(name), to_string(value.shape), samples, sample_axis));
  }
  const auto at = static_cast<std::size_t>(axis);
  parts.sample_shape[at] /= count_of_samples;
  for (std::size_t i = 0; i < at; ++i) parts.outer *= static_cast<std::size_t>(value.shape[i]);
  if (*count != 0) parts.run = static_cast<std::size_t>(*count) / parts.outer / parts.samples;
  return parts;
}

std::span<const float> floats_of(const TensorView& value, const SampleParts& parts, std::size_t s,
                                 const QParams* params, std::vector<float>& buffer) {
  if (parts.size() == 0) return {};
  if (parts.outer == 1 && params == nullptr && is_aligned_float(value)) {
    return {static_cast<const float*>(value.data) + parts.begin(s, 0), parts.size()};
  }
  if (buffer.size() < parts.size()) buffer.resize(parts.size());
  const auto* from = static_cast<const std::byte*>(value.data);
  for (std::size_t row = 0; row < parts.outer; ++row) {
    convert(value.dtype, from + parts.begin(s, row) * byte_size(value.dtype), parts.run, params,
            buffer.data() + row * parts.run);
  }
  return {buffer.data(), parts.size()};
}

std::span<const std::uint8_t> codes_of(const TensorView& value, const SampleParts& parts,
                                       std::size_t s, std::vector<std::uint8_t>& buffer) {
  if (parts.size() == 0) return {};
  const auto* from = static_cast<const std::uint8_t*>(value.data);
  if (parts.outer == 1) return {from + parts.begin(s, 0), parts.size()};
  if (buffer.size() < parts.size()) buffer.resize(parts.size());
  for (std::size_t row = 0; row < parts.outer; ++row) {
    std::memcpy(buffer.data() + row * parts.run, from + parts.begin(s, row), parts.run);
  }
  return {buffer.data(), parts.size()};
}

}  // namespace quantlens
