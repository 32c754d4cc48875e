// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/tensor/tensor.h"

namespace quantlens::oracle {

/// Any numeric tensor as doubles; exact but for integers above 2^53.
std::vector<double> doubles(const Tensor& tensor);

/// Doubles as a tensor of a float type, each rounded once (float16 and bfloat16: by way of
/// float32).
Tensor from_doubles(DType dtype, Shape shape, std::span<const double> values);

/// Integers as a tensor of an integer type, modulo its size.
Tensor from_integers(DType dtype, Shape shape, std::span<const std::int64_t> values);

/// round half to even of `value`, plus the zero point, cut to the limits of an integer type of at
/// most 32 bits; NaN becomes the zero point.
std::int64_t saturated(double value, std::int64_t zero_point, DType dtype);

/// Room for a tensor of this shape, zeroed. Throws Errc::bad_input for impossible shapes and
/// Errc::unsupported for those beyond the memory of a test machine.
std::vector<std::byte> room(DType dtype, const Shape& shape);
std::size_t checked_size(const Shape& shape);  ///< elements, with the same limits

/// A tensor that owns these bytes.
Tensor from_bytes(DType dtype, Shape shape, std::vector<std::byte> bytes);

/// The only element of a tensor of one.
double number(const Tensor& tensor);

}  // namespace quantlens::oracle
