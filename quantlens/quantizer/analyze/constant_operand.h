// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/order.h"

namespace quantlens {

/// The constant that an op multiplies by.
struct ConstantOperand {
  const Tensor* weight = nullptr;  ///< of floats, with at least one element
  std::size_t input = 1;           ///< of the op, which is that weight
  std::size_t data = 0;            ///< the input that it multiplies
  bool is_left = false;            ///< it is the first operand of a MatMul
};

/// Of a Conv, ConvTranspose, Gemm or MatMul (also one whose first operand is the constant); nothing
/// for other ops. Views the index.
std::optional<ConstantOperand> constant_operand(const GraphIndex& index, const Node& node);

}  // namespace quantlens
