// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// One kind for all that are written for each other; `computes`: what the node computes on floats.
Kind family(const Node& node, Kind computes);

/// Whether two ops compute the same function as far as their kinds tell: exporters and quantizers
/// write a Gemm for a MatMul, a Clip for a Relu, a Reshape for a Flatten.
bool alike(const FloatView& a, const FloatView::Op& of_a, const FloatView& b,
           const FloatView::Op& of_b);

/// Whether an op multiplies by a weight, its second input: Conv, ConvTranspose, MatMul and Gemm.
bool multiplies_by_weight(Kind kind);

/// Whether the order of its two operands changes nothing.
bool commutes(const FloatView::Op& op);

/// Whether an op maps each element of one value by a function that no kernel before it does along,
/// as kernels clip and add: where it is left out, something else is computed.
bool is_function(Kind kind);

/// Whether a kernel may do the work of `next` together with the op before it, whose output it
/// reads: an activation that clips, a batch norm, the bias behind a matrix product.
bool may_absorb(const FloatView& view, const FloatView::Op& before, const FloatView::Op& next);

/// A value, then those that an op which ends in it may stand for in its place, in order of flow.
std::vector<std::size_t> absorbed_chain(const FloatView& view, std::size_t value);

}  // namespace quantlens
