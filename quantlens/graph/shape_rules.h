// What ops make of the shapes of their inputs, each rule by itself; shapes.h says which op has
// which. An extent that cannot be told is a Dim with neither number nor name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

using Dims = std::vector<Dim>;

namespace shape_rules {

/// Extents from 0 to what products and sums of them can have without an overflow.
bool is_usable(std::int64_t extent);

Dims dims_of(std::span<const std::int64_t> extents);

Dim times(const Dim& dim, std::int64_t factor);
/// With so many more in front and behind; less where these are below 0.
Dim widened(const Dim& dim, std::int64_t before, std::int64_t behind);

/// `axis`, which may be counted from the end; nothing where there is no such axis.
std::optional<std::size_t> axis_number(std::int64_t axis, std::size_t rank);

/// Of two operands whose axes are matched from the last: what one has beside 1, both have.
Dims broadcast(const Dims& a, const Dims& b);

/// What a window makes of each axis from `first` on; `back`: as a transposed convolution has it.
Dims slid(Dims data, std::size_t first, const roles::Window& window,
          std::span<const std::int64_t> kernel, bool back);

/// REQUIRES: at least one part, all of one rank above `axis`.
Dims joined(std::span<const Dims> parts, std::size_t axis);

/// By a target that has -1 for what is left over, and 0 for the data's own extent where
/// `copies_zeros`.
Dims reshaped(const std::optional<Dims>& data, const Dims& target, bool copies_zeros);

Dims flattened(const Dims& data, std::size_t axis);

/// What a slice takes: numbers that are absent are not known.
struct Slice {
  std::optional<std::int64_t> begin, end, step;
};
Dim sliced(const Dim& data, const Slice& slice);

/// Without these axes, or with an extent of 1 in their places.
Dims without(const Dims& data, std::span<const std::size_t> axes, bool keeps);

/// With an axis of 1 in each of these places of the result. REQUIRES: each is below its rank.
Dims with(const Dims& data, std::span<const std::size_t> axes);

}  // namespace shape_rules
}  // namespace quantlens
