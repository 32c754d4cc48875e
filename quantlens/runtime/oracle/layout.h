// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "quantlens/tensor/strides.h"

namespace quantlens::oracle {

/// The shape that both broadcast to. Throws Errc::bad_input where there is none.
Shape broadcast(const Shape& a, const Shape& b);
/// Strides of a dense tensor of shape `from`, seen as shape `to`. Throws Errc::bad_input where
/// `from` does not broadcast to it.
Strides broadcast_strides(const Shape& from, const Shape& to);

/// An axis as 0..rank-1; negative ones count from the end. Throws Errc::bad_input out of range.
std::size_t axis_in(std::int64_t axis, std::size_t rank);
/// Axes likewise, sorted. Throws for one given twice.
std::vector<std::size_t> axes_in(const std::vector<std::int64_t>& axes, std::size_t rank);

/// Extents before, at and behind an axis, multiplied.
struct Around {
  std::size_t outer = 1, extent = 1, inner = 1;
};
Around around(const Shape& shape, std::size_t axis);

/// As quantlens::rearranged. Throws where `room` does.
Tensor checked_rearranged(const Tensor& from, Shape shape, const Strides& steps,
                          std::int64_t start = 0);

}  // namespace quantlens::oracle
