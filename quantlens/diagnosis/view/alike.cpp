// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/alike.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace quantlens {
namespace {

constexpr std::size_t kLongestChain = 4;

/// Kinds that say little of what an op computes.
bool is_vague(Kind kind) {
  return kind == Kind::other || kind == Kind::recurrent || kind == Kind::control_flow;
}

/// The type of the op on floats that a node stands for.
std::string_view float_type(const Node& node) {
  constexpr std::string_view kOnCodes = "DynamicQuantize";
  std::string_view type = node.type;
  if (type.starts_with(kOnCodes)) type.remove_prefix(kOnCodes.size());
  return type;
}

struct SameNumbers {
  bool operator()(std::int64_t a, std::int64_t b) const { return a == b || a < 0 || b < 0; }
  bool operator()(const Tensor&, const Tensor&) const { return true; }
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return true;  // an integer for a float and the like: no evidence
  }
};

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
         (is_constant_vector(view, op.operands[0]) || is_constant_vector(view, op.operands[1]));
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
  return !is_vague(kind) || float_type(a.node(of_a)) == float_type(b.node(of_b));
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

std::size_t different_attributes(const Node& a, const Node& b) {
  std::size_t different = 0;
  for (const auto& [key, value] : a.attributes) {
    const auto found = b.attributes.find(key);
    if (found == b.attributes.end() || key == "auto_pad") continue;
    if (!std::visit(SameNumbers(), value, found->second)) ++different;
  }
  return different;
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
