// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/integer_ops.h"

#include <algorithm>

#include "quantlens/graph/roles_of.h"

// The one place that knows where operators on codes have their inputs: ONNX files alone have such
// operators, so no role says it.

namespace quantlens {
namespace {

/// Codes at `tensor`, followed by their scale and zero point.
CodeInputs codes_at(std::size_t tensor) {
  return {.tensor = tensor, .scale = tensor + 1, .zero_point = tensor + 2};
}

CodeInputs plain(std::size_t tensor) {
  return {.tensor = tensor, .scale = {}, .zero_point = {}};
}

CodeInputs params_at(std::size_t scale) {
  return {.tensor = 0, .scale = scale, .zero_point = scale + 1};
}

/// (x, scale, zero point, scale and zero point of the output)
IntegerOp unary(Kind computes) {
  return {.computes = computes, .operands = {codes_at(0)}, .output = params_at(3)};
}

/// (a, scale, zero point, b, scale, zero point, scale and zero point of the output)
IntegerOp binary(Kind computes) {
  return {.computes = computes, .operands = {codes_at(0), codes_at(3)}, .output = params_at(6)};
}

IntegerOp accumulating(Kind computes) {
  return {.computes = computes,
          .operands = {{.tensor = 0, .scale = {}, .zero_point = 2},
                       {.tensor = 1, .scale = {}, .zero_point = 3}},
          .output = {},
          .accumulates = true};
}

/// A constant vector that the op adds, where it is given.
void add_bias(IntegerOp& op, const Node& node, std::size_t at) {
  if (!input_of(node, at).empty()) op.operands.push_back(plain(at));
}

IntegerOp convolution(const Node& node) {
  IntegerOp op = binary(Kind::conv);
  add_bias(op, node, 8);
  return op;
}

/// (a, ..., b, ..., c?, scale and zero point of the output?): without these two it gives floats.
IntegerOp gemm(const Node& node) {
  constexpr std::size_t kBias = 6, kScale = 7;
  IntegerOp op = binary(Kind::gemm);
  add_bias(op, node, kBias);
  const bool gives_codes = !input_of(node, kScale).empty();
  op.output = gives_codes ? std::optional(params_at(kScale)) : std::nullopt;
  return op;
}

/// (a, b, scale of a, of b, zero points of a?, of b?, bias?), gives floats
IntegerOp matmul_to_float(const Node& node) {
  IntegerOp op{.computes = Kind::matmul,
               .operands = {{.tensor = 0, .scale = 2, .zero_point = 4},
                            {.tensor = 1, .scale = 3, .zero_point = 5}},
               .output = {}};
  add_bias(op, node, 6);
  return op;
}

/// (floats, b, scale of b, zero point of b?, bias?), gives floats
IntegerOp matmul_of_floats(const Node& node) {
  IntegerOp op{.computes = Kind::matmul,
               .operands = {plain(0), {.tensor = 1, .scale = 2, .zero_point = 3}},
               .output = {}};
  add_bias(op, node, 4);
  return op;
}

/// (scale and zero point of the output, then three inputs for each operand)
IntegerOp concat(const Node& node) {
  IntegerOp op{.computes = Kind::concat, .operands = {}, .output = params_at(0)};
  for (std::size_t i = 2; i + 2 < node.inputs.size(); i += 3) op.operands.push_back(codes_at(i));
  return op;
}

IntegerOp select() {
  return {.computes = Kind::where,
          .operands = {plain(0), codes_at(1), codes_at(4)},
          .output = params_at(7)};
}

/// (floats, a matrix in blocks) and (such a matrix, indices); scales are with the blocks
std::optional<IntegerOp> in_blocks(const Node& node) {
  const auto* matrix = role<roles::BlockMatrix>(node);
  if (matrix == nullptr) return std::nullopt;
  const bool picks = node.kind == Kind::gather_blocks;
  const std::size_t second = picks ? matrix->operands.indices : matrix->operands.codes;
  return IntegerOp{.computes = picks ? Kind::gather : Kind::matmul,
                   .operands = {plain(0), plain(second)},
                   .output = {}};
}

/// (x, weight, recurrent weight, bias?, lengths?, two states?, peepholes?, then scale and zero
/// point of both weights), gives floats
std::optional<IntegerOp> recurrent(const Node& node) {
  const auto* role = quantlens::role<roles::Recurrence>(node);
  if (role == nullptr || !role->has_codes) return std::nullopt;
  IntegerOp op{.computes = Kind::recurrent,
               .operands = {plain(0),
                            {.tensor = role->operands.weight, .scale = 8, .zero_point = 9},
                            {.tensor = role->operands.recurrent, .scale = 10, .zero_point = 11}},
               .output = {}};
  for (std::size_t at = 3; at < 8 && at < node.inputs.size(); ++at)
    op.operands.push_back(plain(at));
  return op;
}

std::optional<IntegerOp> described(const Node& node) {
  switch (node.kind) {
    case Kind::qconv:
      return convolution(node);
    case Kind::qmatmul:
      return binary(Kind::matmul);
    case Kind::qgemm:
      return gemm(node);
    case Kind::qadd:
      return binary(Kind::add);
    case Kind::qmul:
      return binary(Kind::mul);
    case Kind::qconcat:
      return concat(node);
    case Kind::qaverage_pool:
      return unary(Kind::average_pool);
    case Kind::qglobal_average_pool:
      return unary(Kind::global_average_pool);
    case Kind::qleaky_relu:
      return unary(Kind::leaky_relu);
    case Kind::qsigmoid:
      return unary(Kind::sigmoid);
    case Kind::qsoftmax:
      return unary(Kind::softmax);
    case Kind::qwhere:
      return select();
    case Kind::matmul_integer:
      return accumulating(Kind::matmul);
    case Kind::conv_integer:
      return accumulating(Kind::conv);
    case Kind::matmul_integer_to_float:
      return matmul_to_float(node);
    case Kind::dynamic_quantize_matmul:
      return matmul_of_floats(node);
    case Kind::matmul_blocks:
    case Kind::gather_blocks:
      return in_blocks(node);
    case Kind::recurrent:
      return recurrent(node);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<IntegerOp> integer_op(const Node& node) {
  std::optional<IntegerOp> op = described(node);
  if (!op) return std::nullopt;
  for (const CodeInputs& operand : op->operands) {
    if (operand.tensor >= node.inputs.size()) return std::nullopt;
  }
  return op;
}

bool has_codes_inside(const Node& node) {
  return node.kind == Kind::gather_blocks || recurrent(node).has_value();
}

bool carries_codes(const Node& node) {
  switch (node.kind) {
    case Kind::clip:
    case Kind::relu:
    case Kind::max_pool:
    case Kind::slice:
    case Kind::split:
    case Kind::gather:
    case Kind::gather_elements:
    case Kind::tile:
    case Kind::expand:
    case Kind::pad:
    case Kind::reduce_max:
    case Kind::reduce_min:
    case Kind::dropout:
      return true;
    case Kind::resize:
      return role<roles::Resampling>(node)->is_nearest;
    default:
      return moves_elements(node.kind);
  }
}

bool keeps_channels(const Node& node) {
  return node.kind == Kind::clip || node.kind == Kind::relu || node.kind == Kind::max_pool ||
         node.kind == Kind::dropout || node.kind == Kind::identity;
}

bool is_read_as_codes(const GraphIndex& index, const std::string& value) {
  const std::vector<Use>& uses = index.uses(value);
  return !uses.empty() && !index.is_output(value) && std::ranges::all_of(uses, [&](const Use& use) {
    return index.graph().nodes[use.node].kind == Kind::quantize;
  });
}

}  // namespace quantlens
