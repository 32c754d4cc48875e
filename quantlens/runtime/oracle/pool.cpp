// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// Calls visit(input place) for each element of a window that lies inside the input.
void for_each_inside(const std::array<Window, 3>& w, const std::array<std::int64_t, 3>& out,
                     auto visit) {
  std::array<std::int64_t, 3> at{};
  const auto inside = [&](std::size_t i, std::int64_t k) {
    at[i] = w[i].place(out[i], k);
    return at[i] >= 0 && at[i] < w[i].in;
  };
  for (std::int64_t d = 0; d < w[0].kernel; ++d) {
    if (!inside(0, d)) continue;
    for (std::int64_t h = 0; h < w[1].kernel; ++h) {
      if (!inside(1, h)) continue;
      for (std::int64_t v = 0; v < w[2].kernel; ++v) {
        if (inside(2, v)) visit((at[0] * w[1].in + at[1]) * w[2].in + at[2]);
      }
    }
  }
}

/// Elements of a window that lie inside the input or its padding.
std::int64_t with_padding(const std::array<Window, 3>& windows,
                          const std::array<std::int64_t, 3>& out) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const Window& w = windows[i];
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < w.kernel; ++k) inside += w.place(out[i], k) < w.in + w.pad_end;
    count *= inside;
  }
  return count;
}

/// reduce(channel's first element, output place) for every element of the result, row-major.
template <class T>
std::vector<T> for_each_output(const PoolShape& shape, auto reduce) {
  std::vector<T> result;
  result.reserve(checked_size(shape.result));
  const auto& [d, h, v] = shape.windows;
  const std::int64_t channels = shape.result[0] * shape.result[1];
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const std::int64_t begin = channel * d.in * h.in * v.in;
    for (std::int64_t od = 0; od < d.out; ++od) {
      for (std::int64_t oh = 0; oh < h.out; ++oh) {
        for (std::int64_t ov = 0; ov < v.out; ++ov) result.push_back(reduce(begin, {od, oh, ov}));
      }
    }
  }
  return result;
}

using Place = std::array<std::int64_t, 3>;

template <class T>
std::vector<T> maxima(const PoolShape& shape, const std::vector<T>& x) {
  return for_each_output<T>(shape, [&](std::int64_t begin, const Place& out) {
    T greatest = std::numeric_limits<T>::lowest();
    for_each_inside(shape.windows, out, [&](std::int64_t place) {
      greatest = std::max(greatest, x[static_cast<std::size_t>(begin + place)]);
    });
    return greatest;
  });
}

void check_rank(const Tensor& x) {
  if (x.shape().size() < 3) {
    refuse(fmt::format("its input {} has no spatial axes", to_string(x.shape())));
  }
}

}  // namespace

PoolShape pool_shape(const Call& call, const Tensor& x) {
  check_rank(x);
  const auto found =
      windows(call, std::span(x.shape()).subspan(2), attribute_ints(call.node, "kernel_shape"));
  PoolShape shape;
  shape.windows = three(found);
  shape.result = {x.shape()[0], x.shape()[1]};
  for (const Window& window : found) shape.result.push_back(window.out);
  shape.count_padding = attribute_int(call.node, "count_include_pad", 0) != 0;
  return shape;
}

PoolShape global_pool_shape(const Tensor& x) {
  check_rank(x);
  if (x.shape().size() > 5) refuse_unknown("the oracle knows at most three spatial axes");
  PoolShape shape;
  shape.result = x.shape();
  for (std::size_t i = 2; i < x.shape().size(); ++i) {
    shape.windows[i - 2].in = shape.windows[i - 2].kernel = x.shape()[i];
    shape.result[i] = 1;
  }
  return shape;
}

std::vector<double> averages(const PoolShape& shape, std::span<const double> x) {
  return for_each_output<double>(shape, [&](std::int64_t begin, const Place& out) {
    double sum = 0;
    std::int64_t count = 0;
    for_each_inside(shape.windows, out, [&](std::int64_t place) {
      sum += x[static_cast<std::size_t>(begin + place)];
      ++count;
    });
    if (shape.count_padding) count = with_padding(shape.windows, out);
    return sum / static_cast<double>(count);
  });
}

Results max_pool(const Call& call) {
  const Tensor& x = call.input(0);
  if (call.wants(1)) refuse_unknown("the oracle does not make the indices of maxima");
  const PoolShape shape = pool_shape(call, x);
  if (is_float(x.dtype())) {
    return {from_doubles(x.dtype(), shape.result, maxima(shape, doubles(x)))};
  }
  return {from_integers(x.dtype(), shape.result, maxima(shape, to_int64(x)))};
}

Results average_pool(const Call& call) {
  const Tensor& x = call.input(0);
  const PoolShape shape = pool_shape(call, x);
  return {from_doubles(x.dtype(), shape.result, averages(shape, doubles(x)))};
}

Results global_average_pool(const Call& call) {
  const Tensor& x = call.input(0);
  const PoolShape shape = global_pool_shape(x);
  return {from_doubles(x.dtype(), shape.result, averages(shape, doubles(x)))};
}

Results global_max_pool(const Call& call) {
  const Tensor& x = call.input(0);
  const PoolShape shape = global_pool_shape(x);
  return {from_doubles(x.dtype(), shape.result, maxima(shape, doubles(x)))};
}

}  // namespace quantlens::oracle
