// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// An op of the reference in whose place the quantized model computes something else.
struct ReplacedOp {
  std::size_t reference = 0;  ///< op of the reference's view
  Statement how;              ///< "the quantized model has Max …"
};

/// Ops that no op of the quantized model stands for, where that has an op of another function, or
/// with another order of its inputs, that reads the same values and gives one of the same name; and
/// those whose bounds or places, which are constant integers, are others. Only functions that
/// nobody writes for each other: pools for pools, sums for products, curves for curves; and what
/// only passes on what the reference's op reads. In the order of the quantized model's ops.
std::vector<ReplacedOp> replaced_ops(const FloatView& reference, const FloatView& quantized,
                                     const StructureMatch& match);

}  // namespace quantlens
