// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// By how many elements the place of an element grows with each axis of a shape; 0 where an axis is
/// broadcast, negative where it runs backwards.
using Strides = std::vector<std::int64_t>;

Strides strides(const Shape& shape);  ///< of a dense row-major tensor

/// The tensor of this shape whose element at an index is that of `from` at
/// start + sum(index[i] * steps[i]). REQUIRES: all those places are inside; no strings.
Tensor rearranged(const Tensor& from, Shape shape, const Strides& steps, std::int64_t start = 0);

/// Calls visit(places) for each index of `shape` in row-major order, where
/// places[k] = sum(index[i] * steps[k][i]).
template <std::size_t K, class Visit>
void walk(const Shape& shape, const std::array<Strides, K>& steps, Visit visit) {
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  std::array<std::int64_t, K> places{};
  std::vector<std::int64_t> index(shape.size());
  for (;;) {
    visit(places);
    std::size_t axis = shape.size();
    for (;;) {
      if (axis == 0) return;
      --axis;
      for (std::size_t k = 0; k < K; ++k) places[k] += steps[k][axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t k = 0; k < K; ++k) places[k] -= steps[k][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace quantlens
