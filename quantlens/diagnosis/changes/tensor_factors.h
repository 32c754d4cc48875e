// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quantlens/record/statement.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// What each index of an axis is multiplied by.
struct Factors {
  int axis = 0;
  std::vector<double> of;  ///< 1 where it cannot be told; empty: no such axis

  bool is_trivial() const;  ///< all are 1 to within rounding
  bool is_turned() const;   ///< some are negative
  /// "is 1.1 times the float one", "has the opposite sign in 3 of 16 output channels"
  Statement told(std::string_view channels) const;
};

/// For each channel the median of after / before over its larger elements: what is clipped or
/// otherwise damaged in few of them does not count.
Factors factors_along(const Tensor& before, const Tensor& after, std::optional<int> axis);

Tensor scaled(const Tensor& tensor, const Factors& factors);

/// The number that `before` is to be multiplied with for `after`; nothing where they do not have
/// one size and at least that squared cosine.
std::optional<double> factor_between(const Tensor& before, const Tensor& after,
                                     double least_squared_cosine);

/// 0 where one side is all zero.
double cosine(std::span<const float> x, std::span<const float> y);

}  // namespace quantlens
