// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// What weights of matched ops say of ops around them: `r` is an op of the reference, `q` its
/// counterpart in the quantized model.
class ComparedWeights {
 public:
  /// Views both.
  ComparedWeights(const FloatView& reference, const FloatView& quantized)
      : reference_(reference), quantized_(quantized) {}

  /// The other op of the reference whose weight, of one shape, `q` has instead of that of `r`. Of a
  /// few: where more are other ones, the two files are of other trainings, and nothing is told.
  std::optional<std::size_t> other_owner(std::size_t q, std::size_t r);

  /// Whether op `maker` of the reference multiplies by one number, or divides by it, which the
  /// weight of `q` holds beside that of `r`.
  bool hold_factor_of(std::size_t maker, std::size_t q, std::size_t r) const;

 private:
  /// The number by which a Mul or Div by one constant number multiplies.
  std::optional<double> single_factor(std::size_t r) const;

  const FloatView& reference_;
  const FloatView& quantized_;
  std::size_t unlike_ = 0;  // weights so far that are not their counterparts'
};

}  // namespace quantlens
