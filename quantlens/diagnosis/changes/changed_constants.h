// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/changes/changed_tensor.h"
#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/prepare.h"

namespace quantlens {

/// A constant of an op of the reference that another one stands for.
struct ChangedConstant {
  std::size_t op = 0;       ///< of the reference's view
  std::size_t operand = 0;  ///< likewise
  ChangedTensor change;
  std::string stored;  ///< the constant of the quantized model
};

/// The same change of one constant that several ops read.
struct SharedChange {
  ChangedConstant first;
  std::vector<std::size_t> others;  ///< further ops of the reference
};

std::vector<SharedChange> shared_changes(std::vector<ChangedConstant>&& changes);

/// Those of all matched ops that rounding does not explain, in the order of the reference's ops.
/// Left out is what tools do on purpose: factors and shifts that a neighbour may take back, as it
/// is changed itself, has gone, or is new; corrected biases; and weights trained anew, where a
/// quarter of all differ.
std::vector<ChangedConstant> changed_constants(const FloatView& reference,
                                               const FloatView& quantized, const Prepared& prepared,
                                               const StructureMatch& match);

/// What the constant means, as float32; nothing where it is in blocks, or its scale stands
/// elsewhere.
std::optional<Tensor> values_of(const FloatView::Constant& constant);

}  // namespace quantlens
