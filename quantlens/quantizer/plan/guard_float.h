// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/plan/select.h"

namespace quantlens {

/// Sees to it that a Conv, ConvTranspose, Gemm or MatMul that the plan leaves in float also runs in
/// float. Between a DequantizeLinear and a QuantizeLinear, ONNX Runtime gives a Conv, ConvTranspose
/// or Gemm an int8 weight of its own, one scale for all channels (its WeightBiasQuantization),
/// unless the bias is computed. Before that it makes such ops: it folds constant Mul, Add and
/// BatchNormalization behind a Conv into it, makes a Gemm of a MatMul and what is added to it, and
/// moves both links past ops that only move elements. So the bias, or what is added to a MatMul,
/// becomes an int32 that is dequantized, to 2^-30 of its largest value, wherever such a chain leads
/// from codes to codes; an op without a bias gets zeros.
void guard_float(const GraphIndex& index, const Prepared& prepared, const Selection& selection,
                 Plan& plan);

/// Guards these ops (ids) wherever they stand; gives those for which that changes the plan.
std::set<std::string> guard_ops(const GraphIndex& index, const std::set<std::string>& ops,
                                Plan& plan);

}  // namespace quantlens
