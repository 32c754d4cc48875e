// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "quantlens/diagnosis/match/match_weights.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/diagnosis/view/tails.h"

namespace quantlens {

/// What speaks for an op of the quantized model computing one of the reference.
struct OpComparison {
  bool possible = false;          ///< nothing rules it out
  bool complete = false;          ///< all operands are known to agree
  bool swapped = false;           ///< the operands stand in the other order
  bool telling = false;           ///< a weight of many numbers agrees well
  std::size_t disagreements = 0;  ///< constants and attributes that speak against it
  /// Not possible for its weight alone, which has as many elements: it may have been damaged.
  bool weight_differs = false;
  double score = 0;  ///< the more the better
};

/// What is known of an operand of the quantized op that is held against one of the reference's.
enum class OperandState { agrees, agrees_moved, open, contradicts };

/// Compares ops of two graphs by kind, attributes, constants, and operands as far as known.
class OpComparer {
 public:
  using OperandCheck = std::function<OperandState(std::size_t quantized, std::size_t reference)>;

  OpComparer(const FloatView& reference, const FloatView& quantized);

  /// `check` says what is known of two values.
  OpComparison compare(const FloatView::Op& quantized, const FloatView::Op& reference,
                       const OperandCheck& check);

  /// The same with the operands of two in the other order, though it matters.
  OpComparison compare_exchanged(const FloatView::Op& quantized, const FloatView::Op& reference,
                                 const OperandCheck& check);

  Sketches& reference_sketches() { return reference_sketches_; }
  Sketches& quantized_sketches() { return quantized_sketches_; }

  /// Whether the constants of this operand stand with their axes swapped (transB).
  static bool is_swapped(const FloatView& view, const FloatView::Op& op, std::size_t operand);

  /// Of the reference.
  Tails& tails() { return tails_; }
  const Tails& tails() const { return tails_; }

 private:
  OpComparison compare_in_order(const FloatView::Op& quantized, const FloatView::Op& reference,
                                bool swapped, const OperandCheck& check);
  void compare_constants(const FloatView::Op& quantized, const FloatView::Op& reference,
                         std::size_t of_quantized, std::size_t of_reference, OpComparison& result);

  const FloatView& reference_;
  const FloatView& quantized_;
  Sketches reference_sketches_, quantized_sketches_;
  Tails tails_;
};

}  // namespace quantlens
