// tensor: typed, shaped, immutable arrays and the NumPy file format. No arithmetic on purpose
// (stats/ and quant/ have that), no model formats. Start with tensor.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quantlens {

/// Element types. `int4` and `uint4` hold one element a byte in memory here (files pack two).
// clang-format off
enum class DType : std::uint8_t {
  float32, float64, float16, bfloat16,
  int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  int4, uint4, boolean, string,
};
// clang-format on

std::string_view name(DType dtype);                      ///< "float32", "int8", ...
std::optional<DType> dtype_from_name(std::string_view);  ///< nothing where unknown
std::size_t byte_size(DType dtype);                      ///< of one element in memory; 0 for string
bool is_float(DType dtype);

/// The DType of a C++ element type, e.g. dtype_of<float>().
// clang-format off
template <class T> constexpr DType dtype_of();
template <> constexpr DType dtype_of<float>() { return DType::float32; }
template <> constexpr DType dtype_of<double>() { return DType::float64; }
template <> constexpr DType dtype_of<std::int8_t>() { return DType::int8; }
template <> constexpr DType dtype_of<std::uint8_t>() { return DType::uint8; }
template <> constexpr DType dtype_of<std::int16_t>() { return DType::int16; }
template <> constexpr DType dtype_of<std::uint16_t>() { return DType::uint16; }
template <> constexpr DType dtype_of<std::int32_t>() { return DType::int32; }
template <> constexpr DType dtype_of<std::uint32_t>() { return DType::uint32; }
template <> constexpr DType dtype_of<std::int64_t>() { return DType::int64; }
template <> constexpr DType dtype_of<std::uint64_t>() { return DType::uint64; }
template <> constexpr DType dtype_of<bool>() { return DType::boolean; }
// clang-format on

}  // namespace quantlens
