// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/runtime/oracle/windows.h"

namespace quantlens::oracle {

/// The extents of a convolution: x [batch, groups * in, …], w [groups * out, in, …].
struct ConvShape {
  std::int64_t batch = 1, groups = 1;
  std::int64_t in = 1, out = 1;  ///< channels of one group
  std::array<Window, 3> windows;
  Shape result;
};

/// Reads them from the node and the shapes of input and weight. Throws Errc::bad_input.
ConvShape conv_shape(const Call& call, const Tensor& x, const Tensor& w);

/// Where a window's outputs begin and end whose element k lies inside the input.
struct Inside {
  std::int64_t begin = 0, end = 0;
};
inline Inside inside(const Window& window, std::int64_t k) {
  const std::int64_t first = -window.place(0, k);  // o * stride >= first
  const std::int64_t begin = first <= 0 ? 0 : (first + window.stride - 1) / window.stride;
  const std::int64_t last = window.in - 1 + first;  // o * stride <= last
  const std::int64_t end = last < 0 ? 0 : last / window.stride + 1;
  return {begin, std::min(end, window.out)};
}

/// Adds one channel of input, convolved with its kernel, to one channel of output.
template <class T>
void convolve_channel(const std::array<Window, 3>& windows, const T* x, const T* w, T* y) {
  const auto& [d, h, v] = windows;
  for (std::int64_t kd = 0; kd < d.kernel; ++kd) {
    for (std::int64_t kh = 0; kh < h.kernel; ++kh) {
      for (std::int64_t kv = 0; kv < v.kernel; ++kv, ++w) {
        const Inside in_d = inside(d, kd), in_h = inside(h, kh), in_v = inside(v, kv);
        for (std::int64_t od = in_d.begin; od < in_d.end; ++od) {
          for (std::int64_t oh = in_h.begin; oh < in_h.end; ++oh) {
            const T* row = x + (d.place(od, kd) * h.in + h.place(oh, kh)) * v.in;
            T* to = y + (od * h.out + oh) * v.out;
            for (std::int64_t ov = in_v.begin; ov < in_v.end; ++ov) {
              to[ov] += *w * row[v.place(ov, kv)];
            }
          }
        }
      }
    }
  }
}

/// The whole convolution, without bias; padding is zero.
template <class T>
std::vector<T> convolve(const ConvShape& shape, std::span<const T> x, std::span<const T> w) {
  const auto& [d, h, v] = shape.windows;
  const std::int64_t in_size = d.in * h.in * v.in;
  const std::int64_t out_size = d.out * h.out * v.out;
  const std::int64_t kernel = d.kernel * h.kernel * v.kernel;
  const std::int64_t channels = shape.groups * shape.out;
  std::vector<T> y(static_cast<std::size_t>(shape.batch * channels * out_size));
  if (y.empty() || x.empty()) return y;
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t oc = 0; oc < channels; ++oc) {
      const std::int64_t group = oc / shape.out;
      for (std::int64_t ic = 0; ic < shape.in; ++ic) {
        const std::int64_t channel = n * shape.groups * shape.in + group * shape.in + ic;
        convolve_channel(shape.windows, x.data() + channel * in_size,
                         w.data() + (oc * shape.in + ic) * kernel,
                         y.data() + (n * channels + oc) * out_size);
      }
    }
  }
  return y;
}

}  // namespace quantlens::oracle
