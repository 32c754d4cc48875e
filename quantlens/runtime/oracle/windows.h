// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/runtime/oracle/call.h"

namespace quantlens::oracle {

/// How a kernel slides along one spatial axis: its element k at output o reads input
/// o * stride - pad_begin + k * dilation, which may lie in the padding.
struct Window {
  std::int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

  std::int64_t place(std::int64_t o, std::int64_t k) const {
    return o * stride - pad_begin + k * dilation;
  }
};

/// The windows of a convolution or a pool, from its attributes (strides, pads, auto_pad, dilations,
/// ceil_mode). Throws Errc::bad_input for what does not fit.
std::vector<Window> windows(const Call& call, std::span<const std::int64_t> spatial,
                            std::span<const std::int64_t> kernel);

/// The same as three windows (leading ones of extent 1), so that one loop serves 1-D to 3-D.
/// Throws Errc::unsupported for more.
std::array<Window, 3> three(const std::vector<Window>& windows);

}  // namespace quantlens::oracle
