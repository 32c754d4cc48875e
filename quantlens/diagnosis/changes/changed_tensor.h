// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/record/pairing.h"
#include "quantlens/record/statement.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// How a constant differs beyond what rounding and clipping of its codes make.
enum class Difference {
  output_factors,  ///< each output channel is the float one times a factor
  input_factors,   ///< likewise each input channel
  both_factors,    ///< both at once
  negated,         ///< output channels with the opposite sign
  swapped,         ///< channels in another order
  flipped,         ///< a kernel, read backwards or with its axes exchanged
  wrapped_around,  ///< codes that left their range and came in again at its other end
  zeroed,          ///< elements that are 0 and were not
  fewer_bits,      ///< codes in steps of several
  nonfinite,       ///< elements that are NaN or infinite and were finite
  similar,         ///< other numbers that point the same way, as after training
  other,           ///< other numbers
};

struct ChangedTensor {
  Difference difference = Difference::other;
  Statement how;  ///< goes on from "its weight …": "is 1.1 times the float one"
};

/// Both sides of a constant: float32, of one shape.
struct TensorSides {
  const Tensor& before;
  const Tensor& after;
  std::optional<int> output_axis;  ///< of its output channels
  /// How `after` is written; `scheme.axis` is an axis of these two. No params: floats.
  Scheme scheme;
  std::span<const QParams> params;
};

/// Nothing where rounding by at most one step (three of codes of 4 bits and fewer, whose tools let
/// one weight make up for another), clipping to the codes' reach and half precision explain all but
/// 0.1 % of the energy (30 dB). Elements that are NaN or infinite in `before` are left out,
/// whatever they are in `after`; so is what lies beyond half precision and became an infinity.
std::optional<ChangedTensor> changed_tensor(const TensorSides& sides);

}  // namespace quantlens
