// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/constant_operand.h"

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

bool multiplies(Kind kind) {
  return kind == Kind::conv || kind == Kind::conv_transpose || kind == Kind::gemm ||
         kind == Kind::matmul;
}

}  // namespace

std::optional<ConstantOperand> constant_operand(const GraphIndex& index, const Node& node) {
  const roles::Operands* operands = multiplies(node.kind) ? operands_of(node) : nullptr;
  if (operands == nullptr || node.inputs.size() < 2) return std::nullopt;
  const bool is_left = node.kind == Kind::matmul && index.constant(weight_of(node)) == nullptr;
  const Tensor* weight = index.constant(is_left ? data_of(node) : weight_of(node));
  if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0)
    return std::nullopt;
  return ConstantOperand{.weight = weight,
                         .input = is_left ? operands->data : operands->weight,
                         .data = is_left ? operands->weight : operands->data,
                         .is_left = is_left};
}

}  // namespace quantlens
