// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// How many times as much a Gemm's product and bias count in the quantized model, by its alpha and
/// beta and by what its weight and bias have taken over of them.
struct GemmFactors {
  double product = 1;  ///< 1 where it is not known
  double bias = 1;     ///< likewise
  Statements changes;  ///< none where both are nearly 1
};

/// What the weight of `after` is to be multiplied with so that it counts as that of `before`, the
/// op that it stands for: 1 but for a Gemm with another alpha.
double alpha_ratio(const Node& before, const Node& after);

/// Of a Gemm of the reference and the op that stands for it. What alpha and beta do not account for
/// is none of it: another weight or bias is a change of its own.
GemmFactors gemm_factors(const FloatView& reference, const FloatView::Op& before,
                         const FloatView& quantized, const FloatView::Op& after,
                         const Prepared& prepared);

}  // namespace quantlens
