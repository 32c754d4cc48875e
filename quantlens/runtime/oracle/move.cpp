// SPDX-License-Identifier: Apache-2.0
// Ops that copy elements from place to place, whatever their type.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/layout.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// Elements [begin, begin + extent) of one axis.
Tensor part_of(const Tensor& x, std::size_t axis, std::int64_t begin, std::int64_t extent) {
  Shape shape = x.shape();
  shape[axis] = extent;
  const Strides steps = strides(x.shape());
  return checked_rearranged(x, shape, steps, begin * steps[axis]);
}

/// What Slice takes of one axis: `extent` elements from `begin` on, every `step`-th.
struct Cut {
  std::int64_t begin = 0, extent = 0, step = 1;
};

Cut cut(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t in) {
  if (step == 0) refuse("it steps by zero");
  Cut result{.step = step};
  if (in == 0) return result;
  const auto bound = [in](std::int64_t at, std::int64_t low, std::int64_t high) {
    if (at < 0) at = at < -in ? -1 : at + in;
    return std::clamp(at, low, high);
  };
  if (step > 0) {
    result.begin = bound(begin, 0, in);
    const std::int64_t last = bound(end, 0, in);
    if (last > result.begin) result.extent = (last - result.begin - 1) / step + 1;
  } else {
    result.begin = bound(begin, 0, in - 1);  // unlike NumPy's, which may begin before the first
    const std::int64_t last = bound(end, -1, in - 1);
    if (last < result.begin) result.extent = (last - result.begin + 1) / step + 1;
  }
  return result;
}

std::vector<std::int64_t> split_extents(const Call& call, std::int64_t extent) {
  if (const auto given = ints(call, "split", 1)) return *given;
  const auto parts =
      attribute_int(call.node, "num_outputs", static_cast<std::int64_t>(call.node.outputs.size()));
  if (parts < 1 || parts > extent + 1) refuse(fmt::format("it splits into {} parts", parts));
  const std::int64_t each = (extent + parts - 1) / parts;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(parts), each);
  extents.back() = extent - each * (parts - 1);
  return extents;
}

/// Begin and end of the padding of each axis.
std::vector<std::pair<std::int64_t, std::int64_t>> paddings(const Call& call, std::size_t rank) {
  const auto pads = ints(call, "pads", 1);
  if (!pads) refuse("its pads are missing");
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (call.has(3)) {
    axes.clear();
    for (const std::int64_t axis : to_int64(call.input(3))) axes.push_back(axis_in(axis, rank));
  }
  if (pads->size() != 2 * axes.size()) {
    refuse(fmt::format("it has {} pads for {} axes", pads->size(), axes.size()));
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> result(rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result[axes[i]] = {(*pads)[i], (*pads)[i + axes.size()]};
  }
  return result;
}

Tensor pad_value(const Call& call, DType dtype) {
  if (call.opset >= 11) {
    if (call.has(2)) return call.input(2);
    return from_bytes(dtype, {}, room(dtype, {}));
  }
  const std::vector<double> value{attribute_float(call.node, "value", 0)};
  return from_doubles(dtype, {}, value);
}

}  // namespace

Results transpose(const Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t rank = x.shape().size();
  std::vector<std::int64_t> order = attribute_ints(call.node, "perm");
  if (order.empty()) {
    for (std::size_t i = rank; i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
  }
  if (order.size() != rank || axes_in(order, rank).size() != rank) refuse("its perm is not one");
  const Strides dense = strides(x.shape());
  Shape shape;
  Strides steps;
  for (const std::int64_t axis : order) {
    shape.push_back(x.shape()[axis_in(axis, rank)]);
    steps.push_back(dense[axis_in(axis, rank)]);
  }
  return {checked_rearranged(x, shape, steps)};
}

Results concat(const Call& call) {
  const Tensor& first = call.input(0);
  const std::size_t axis =
      axis_in(attribute_int(call.node, "axis", call.opset < 4 ? 1 : 0), first.shape().size());
  Shape shape = first.shape();
  shape[axis] = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& x = call.input(i);
    Shape wanted = shape;
    if (x.shape().size() == wanted.size()) wanted[axis] = x.shape()[axis];
    if (x.dtype() != first.dtype() || x.shape() != wanted) {
      refuse(fmt::format("it joins {} {} and {} {}", name(first.dtype()), to_string(first.shape()),
                         name(x.dtype()), to_string(x.shape())));
    }
    shape[axis] += x.shape()[axis];
  }
  std::vector<std::byte> bytes = room(first.dtype(), shape);
  const Around size = around(shape, axis);
  const std::size_t row = size.inner * byte_size(first.dtype());
  std::size_t at = 0;  // along the axis
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& x = call.input(i);
    const std::size_t chunk = static_cast<std::size_t>(x.shape()[axis]) * row;
    for (std::size_t o = 0; o < size.outer && chunk > 0; ++o) {
      std::memcpy(bytes.data() + (o * size.extent + at) * row, x.bytes().data() + o * chunk, chunk);
    }
    at += static_cast<std::size_t>(x.shape()[axis]);
  }
  return {from_bytes(first.dtype(), shape, std::move(bytes))};
}

Results split(const Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t axis = axis_in(attribute_int(call.node, "axis", 0), x.shape().size());
  Results results;
  std::int64_t begin = 0;
  for (const std::int64_t extent : split_extents(call, x.shape()[axis])) {
    if (extent < 0 || extent > x.shape()[axis] - begin) refuse("its parts exceed the axis");
    results.push_back(part_of(x, axis, begin, extent));
    begin += extent;
  }
  if (begin != x.shape()[axis]) refuse("its parts do not fill the axis");
  return results;
}

Results slice(const Call& call) {
  const Tensor& x = call.input(0);
  const auto begins = ints(call, "starts", 1);
  const auto ends = ints(call, "ends", 2);
  if (!begins || !ends) refuse("its starts or ends are missing");
  const std::size_t count = begins->size();
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const auto axes = ints(call, "axes", 3).value_or(all);
  const std::vector<std::int64_t> steps =
      call.has(4) ? to_int64(call.input(4)) : std::vector<std::int64_t>(count, 1);
  if (ends->size() != count || axes.size() != count || steps.size() != count) {
    refuse("its starts, ends, axes and steps differ in number");
  }
  Shape shape = x.shape();
  Strides places = strides(x.shape());
  std::int64_t start = 0;
  axes_in(axes, shape.size());  // none twice
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axis_in(axes[i], shape.size());
    const Cut taken = cut((*begins)[i], (*ends)[i], steps[i], shape[axis]);
    start += taken.begin * places[axis];
    shape[axis] = taken.extent;
    if (taken.extent > 1) places[axis] *= taken.step;
  }
  return {checked_rearranged(x, shape, places, start)};
}

Results gather(const Call& call) {
  const Tensor& x = call.input(0);
  const Tensor& which = call.input(1);
  const std::size_t axis = axis_in(attribute_int(call.node, "axis", 0), x.shape().size());
  const Around size = around(x.shape(), axis);
  Shape shape(x.shape().begin(), x.shape().begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), which.shape().begin(), which.shape().end());
  shape.insert(shape.end(), x.shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1,
               x.shape().end());
  std::vector<std::byte> bytes = room(x.dtype(), shape);
  const std::size_t row = size.inner * byte_size(x.dtype());
  std::vector<std::int64_t> indices = to_int64(which);
  const auto extent = static_cast<std::int64_t>(size.extent);
  for (std::int64_t& index : indices) {
    if (index < -extent || index >= extent) {
      refuse(fmt::format("index {} is outside an axis of {}", index, extent));
    }
    if (index < 0) index += extent;
  }
  std::byte* to = bytes.data();
  for (std::size_t o = 0; o < size.outer && !bytes.empty(); ++o) {
    for (const std::int64_t index : indices) {
      const std::size_t from = o * size.extent + static_cast<std::size_t>(index);
      std::memcpy(to, x.bytes().data() + from * row, row);
      to += row;
    }
  }
  return {from_bytes(x.dtype(), shape, std::move(bytes))};
}

Results pad(const Call& call) {
  const Tensor& x = call.input(0);
  if (attribute_string(call.node, "mode", "constant") != "constant") {
    refuse_unknown("the oracle pads with constants only");
  }
  const auto pads = paddings(call, x.shape().size());
  Shape shape = x.shape(), kept = x.shape();
  Strides from = strides(x.shape());
  std::int64_t read = 0, write = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto [begin, end] = pads[i];
    const std::int64_t most = std::int64_t{1} << 31;
    if (std::abs(begin) > most || std::abs(end) > most) refuse("a pad is impossible");
    shape[i] += begin + end;
    kept[i] += std::min<std::int64_t>(begin, 0) + std::min<std::int64_t>(end, 0);
    if (kept[i] < 0) refuse("negative pads remove more than there is");
    read += std::max<std::int64_t>(-begin, 0) * from[i];
  }
  const Tensor filled = pad_value(call, x.dtype());
  if (filled.dtype() != x.dtype() || filled.size() != 1) refuse("its value is not one number");
  std::vector<std::byte> bytes = room(x.dtype(), shape);
  const std::size_t size = byte_size(x.dtype());
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    std::memcpy(bytes.data() + i, filled.bytes().data(), size);
  }
  const Strides to = strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    write += std::max<std::int64_t>(pads[i].first, 0) * to[i];
  }
  walk<2>(kept, {from, to}, [&](const std::array<std::int64_t, 2>& at) {
    std::memcpy(bytes.data() + static_cast<std::size_t>(write + at[1]) * size,
                x.bytes().data() + static_cast<std::size_t>(read + at[0]) * size, size);
  });
  return {from_bytes(x.dtype(), shape, std::move(bytes))};
}

Results where(const Call& call) {
  const Tensor& which = call.input(0);
  const Tensor& a = call.input(1);
  const Tensor& b = call.input(2);
  if (a.dtype() != b.dtype()) refuse("its two values differ in type");
  const Shape shape = broadcast(broadcast(a.shape(), b.shape()), which.shape());
  const std::vector<std::int64_t> truth = to_int64(which);
  std::vector<std::byte> bytes = room(a.dtype(), shape);
  const std::size_t size = byte_size(a.dtype());
  std::byte* to = bytes.data();
  walk<3>(shape,
          {broadcast_strides(which.shape(), shape), broadcast_strides(a.shape(), shape),
           broadcast_strides(b.shape(), shape)},
          [&](const std::array<std::int64_t, 3>& at) {
            const bool first = truth[static_cast<std::size_t>(at[0])] != 0;
            const Tensor& from = first ? a : b;
            const auto place = static_cast<std::size_t>(first ? at[1] : at[2]);
            std::memcpy(to, from.bytes().data() + place * size, size);
            to += size;
          });
  return {from_bytes(a.dtype(), shape, std::move(bytes))};
}

}  // namespace quantlens::oracle
