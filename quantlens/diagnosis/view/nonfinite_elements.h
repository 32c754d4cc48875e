// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/tensor/tensor.h"

namespace quantlens {

// Of float32 tensors.

/// How many elements are NaN or infinite.
std::size_t count_nonfinite(const Tensor& values);

std::size_t count_nan(const Tensor& values);

/// Each NaN and infinity becomes `number`.
Tensor with_nonfinite_as(float number, const Tensor& values);

}  // namespace quantlens
