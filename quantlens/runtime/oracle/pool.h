// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "quantlens/runtime/oracle/windows.h"

namespace quantlens::oracle {

/// The extents of a pool over [batch, channels, …].
struct PoolShape {
  std::array<Window, 3> windows;
  Shape result;
  bool count_padding = false;  ///< an average divides by the elements of the padding, too
};

PoolShape pool_shape(const Call& call, const Tensor& x);
PoolShape global_pool_shape(const Tensor& x);

std::vector<double> averages(const PoolShape& shape, std::span<const double> x);

}  // namespace quantlens::oracle
