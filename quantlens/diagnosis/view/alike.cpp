// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/alike.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::size_t kLongestChain = 4;

/// Kinds that say little of what an op computes.
bool is_vague(Kind kind) {
  return kind == Kind::other || kind == Kind::recurrent || kind == Kind::control_flow;
}

/// Whether both do the same on floats, whatever their weights are stored in.
bool is_same_function(const Node& a, const Node& b) {
  const auto* of_a = role<roles::Recurrence>(a);
  const auto* of_b = role<roles::Recurrence>(b);
  if (of_a != nullptr && of_b != nullptr) return of_a->cell == of_b->cell;
  return have_same_type(a, b);
}

/// One number for each index of the last axis, perhaps written as a row.
bool is_constant_vector(const FloatView& view, const FloatView::Operand& operand) {
  if (!operand.constant) return false;
  const Tensor* stored = view.constants()[*operand.constant].stored;
  if (stored == nullptr) return false;
  const Shape& shape = stored->shape();
  return shape.empty() || stored->size() == shape.back();
}

bool adds_bias(const FloatView& view, const FloatView::Op& op) {
  return op.kind == Kind::add && op.operands.size() == 2 &&
         std::ranges::any_of(op.operands, [&](const FloatView::Operand& operand) {
           return is_constant_vector(view, operand);
         });
}

/// The op that alone reads the value, which is no output of the graph.
std::optional<std::size_t> only_reader(const FloatView& view, std::size_t value) {
  const FloatView::Value& read = view.values()[value];
  if (read.readers.size() != 1 || read.is_output) return std::nullopt;
  return read.readers[0].op;
}

}  // namespace

Kind family(const Node& node, Kind computes) {
  switch (computes) {
    case Kind::cast:
    case Kind::dropout:
      return only_moves(node) ? Kind::identity : computes;
    case Kind::clip:
      return Kind::relu;
    case Kind::gemm:
      return Kind::matmul;
    case Kind::flatten:
    case Kind::squeeze:
    case Kind::unsqueeze:
      return Kind::reshape;
    default:
      return computes;
  }
}

bool alike(const FloatView& a, const FloatView::Op& of_a, const FloatView& b,
           const FloatView::Op& of_b) {
  const Kind kind = family(a.node(of_a), of_a.kind);
  if (kind != family(b.node(of_b), of_b.kind)) return false;
  return !is_vague(kind) || is_same_function(a.node(of_a), b.node(of_b));
}

bool multiplies_by_weight(Kind kind) {
  return kind == Kind::conv || kind == Kind::conv_transpose || kind == Kind::matmul ||
         kind == Kind::gemm;
}

bool commutes(const FloatView::Op& op) {
  if (op.operands.size() != 2) return false;
  return op.kind == Kind::add || op.kind == Kind::mul || op.kind == Kind::max ||
         op.kind == Kind::min;
}

bool is_function(Kind kind) {
  switch (kind) {
    case Kind::sigmoid:
    case Kind::erf:
    case Kind::tanh:
    case Kind::gelu:
    case Kind::hard_swish:
    case Kind::hard_sigmoid:
    case Kind::leaky_relu:
    case Kind::prelu:
    case Kind::elu:
    case Kind::exp:
    case Kind::log:
    case Kind::pow:
    case Kind::sqrt:
    case Kind::reciprocal:
    case Kind::neg:
    case Kind::abs:
    case Kind::softmax:
      return true;
    default:
      return false;
  }
}

bool may_absorb(const FloatView& view, const FloatView::Op& before, const FloatView::Op& next) {
  if (next.outputs.empty() || !next.outputs[0]) return false;
  switch (next.kind) {
    case Kind::relu:
    case Kind::clip:
      return true;
    case Kind::batch_norm:
      return before.kind == Kind::conv || before.kind == Kind::conv_transpose;
    case Kind::add:
      return adds_bias(view, next) && (before.kind == Kind::matmul || before.kind == Kind::gemm ||
                                       before.kind == Kind::conv);
    default:
      return false;
  }
}

std::vector<std::size_t> absorbed_chain(const FloatView& view, std::size_t value) {
  std::vector<std::size_t> chain{value};
  const std::optional<std::size_t> producer = view.values()[value].producer;
  while (producer && chain.size() < kLongestChain) {
    const std::optional<std::size_t> reader = only_reader(view, chain.back());
    if (!reader) break;
    const FloatView::Op& next = view.ops()[*reader];
    if (!may_absorb(view, view.ops()[*producer], next)) break;
    chain.push_back(*next.outputs[0]);
  }
  return chain;
}

}  // namespace quantlens
