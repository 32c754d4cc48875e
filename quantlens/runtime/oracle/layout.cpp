// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/layout.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/call.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {

Shape broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  const std::size_t skip_a = shape.size() - a.size();
  const std::size_t skip_b = shape.size() - b.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t x = i < skip_a ? 1 : a[i - skip_a];
    const std::int64_t y = i < skip_b ? 1 : b[i - skip_b];
    if (x != y && x != 1 && y != 1) {
      refuse(fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)));
    }
    shape[i] = x == 1 ? y : x;
  }
  return shape;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  if (from.size() > to.size() || broadcast(from, to) != to) {
    refuse(fmt::format("shape {} does not broadcast to {}", to_string(from), to_string(to)));
  }
  const Strides dense = strides(from);
  const std::size_t skip = to.size() - from.size();
  Strides result(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) result[i + skip] = dense[i];
  }
  return result;
}

std::size_t axis_in(std::int64_t axis, std::size_t rank) {
  const auto extent = static_cast<std::int64_t>(rank);
  if (axis < -extent || axis >= extent) {
    refuse(fmt::format("axis {} is outside a tensor of {} axes", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + extent : axis);
}

std::vector<std::size_t> axes_in(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<std::size_t> result;
  result.reserve(axes.size());
  for (const std::int64_t axis : axes) result.push_back(axis_in(axis, rank));
  std::ranges::sort(result);
  if (std::ranges::adjacent_find(result) != result.end()) refuse("an axis is given twice");
  return result;
}

Around around(const Shape& shape, std::size_t axis) {
  Around result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::size_t& part = i < axis ? result.outer : i == axis ? result.extent : result.inner;
    part *= static_cast<std::size_t>(shape[i]);
  }
  return result;
}

Tensor checked_rearranged(const Tensor& from, Shape shape, const Strides& steps,
                          std::int64_t start) {
  if (from.dtype() == DType::string) refuse_unknown("the oracle computes no strings");
  checked_size(shape);
  return quantlens::rearranged(from, std::move(shape), steps, start);
}

}  // namespace quantlens::oracle
