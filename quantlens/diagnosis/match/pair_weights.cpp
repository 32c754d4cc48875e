// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/pair_weights.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/diagnosis/match/compare_ops.h"
#include "quantlens/diagnosis/match/input_factors.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

bool are_swapped(const Shape& a, const Shape& b) {
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

/// REQUIRES: codes of int8 or uint8.
bool lie_in(const Tensor& codes, const CodeRange& range) {
  const auto lie = [&](auto values) {
    return std::ranges::all_of(values,
                               [&](auto code) { return code >= range.min && code <= range.max; });
  };
  return codes.dtype() == DType::int8 ? lie(codes.data<std::int8_t>())
                                      : lie(codes.data<std::uint8_t>());
}

class WeightPairer {
 public:
  WeightPairer(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
               Pairing& pairing)
      : reference_(reference), quantized_(quantized), prepared_(prepared), pairing_(pairing) {}

  /// `q`: number of `other` in its view.
  void pair(const FloatView::Op& op, std::size_t q, const StructureMatch& match) {
    const FloatView::Op& other = quantized_.ops()[q];
    const bool swapped = match.ops[q] && match.ops[q]->swapped;
    const std::size_t count = std::min<std::size_t>({op.operands.size(), other.operands.size(), 2});
    for (std::size_t input = 0; input < count; ++input) {
      const std::size_t at = swapped ? 1 - input : input;
      if (!op.operands[input].constant || !other.operands[at].constant) continue;
      const FloatView::Constant& stored = quantized_.constants()[*other.operands[at].constant];
      if (stored.stored == nullptr) continue;
      if (stored.blocks) add_blocks(op, input, stored);
      if (!stored.codes) continue;
      const std::size_t pairs = pairing_.weights.size();
      add(op, input, other, at, stored);
      const auto factors = factors_of_weight(reference_, quantized_, match, q, at);
      if (factors && pairing_.weights.size() > pairs)
        pairing_.weights.back().input_factors = factors->name;
    }
  }

  /// An op that nothing of the quantized model is known to compute: its weight has no row.
  void miss(const FloatView::Op& op) {
    if (!prepared_.able->has(op.kind, Role::compute)) return;
    const Node& node = reference_.node(op);
    for (std::size_t input = 0; input < std::min<std::size_t>(op.operands.size(), 2); ++input) {
      if (!op.operands[input].constant) continue;
      pairing_.not_compared.push_back(
          {node.inputs[input],
           fmt::format("no op of the quantized model is known to compute '{}': its weight has no "
                       "counterpart",
                       printable(op_name(node)))});
    }
  }

 private:
  static bool scales_fit(const FloatView::Constant& stored) {
    const Codes& codes = *stored.codes;
    if (codes.params.size() == 1) return true;
    const Shape& shape = stored.stored->shape();
    const auto axis = static_cast<std::size_t>(codes.scheme.axis.value_or(-1));
    return axis < shape.size() && shape[axis] == static_cast<std::int64_t>(codes.params.size());
  }

  /// Files do not say that codes of 8 bits keep to 7 of them, as those of `reduce_range` do. Such
  /// codes reach beyond 6 bits: what is left of a damaged or empty weight is no such choice.
  static Scheme scheme_in_use(const FloatView::Constant& stored) {
    Scheme scheme = stored.codes->scheme;
    if (stored.is_computed || stored.stored->dtype() != scheme.dtype) return scheme;
    if (scheme.dtype != DType::int8 && scheme.dtype != DType::uint8) return scheme;
    const auto keeps_to = [&](int bits) {
      Scheme fewer = scheme;
      fewer.symmetric = false;
      fewer.bits = bits;
      return lie_in(*stored.stored, code_range(fewer));
    };
    if (keeps_to(kReducedBits) && !keeps_to(kReducedBits - 1)) scheme.bits = kReducedBits;
    return scheme;
  }

  /// A matrix [K, N] in blocks along its columns.
  void add_blocks(const FloatView::Op& op, std::size_t input, const FloatView::Constant& stored) {
    const Node& node = reference_.node(op);
    const FloatView::Constant& weight = reference_.constants()[*op.operands[input].constant];
    const bool transposed = OpComparer::is_swapped(reference_, op, input) != weight.transposed;
    const Shape shape{stored.blocks->length(), stored.blocks->lines()};
    const Shape& wanted = weight.stored->shape();
    if (transposed ? !are_swapped(wanted, shape) : wanted != shape) {
      pairing_.not_compared.push_back(
          {node.inputs[input],
           fmt::format("the weight's shape is {} in the reference and {} in the quantized model",
                       to_string(wanted), to_string(shape))});
      return;
    }
    const int bits = stored.blocks->bits();
    pairing_.weights.push_back({.op = ref_of(node),
                                .type = node.type,
                                .reference = node.inputs[input],
                                .quantized = stored.name,
                                .folded = is_folded(op, input),
                                .transposed = transposed,
                                .scheme = {.dtype = bits == 4 ? DType::uint4 : DType::uint8,
                                           .symmetric = stored.blocks->is_symmetric(),
                                           .axis = {},
                                           .bits = bits},
                                .params = {},
                                .in_blocks = true});
  }

  void add(const FloatView::Op& op, std::size_t input, const FloatView::Op& other, std::size_t at,
           const FloatView::Constant& stored) {
    const Node& node = reference_.node(op);
    const FloatView::Constant& weight = reference_.constants()[*op.operands[input].constant];
    const bool transposed = (OpComparer::is_swapped(reference_, op, input) != weight.transposed) !=
                            (OpComparer::is_swapped(quantized_, other, at) != stored.transposed);
    const Shape& shape = weight.stored->shape();
    const bool fits =
        transposed ? are_swapped(shape, stored.stored->shape()) : shape == stored.stored->shape();
    if (!fits) {
      pairing_.not_compared.push_back(
          {node.inputs[input],
           fmt::format("the weight's shape is {} in the reference and {} in the quantized model",
                       to_string(shape), to_string(stored.stored->shape()))});
      return;
    }
    if (!scales_fit(stored)) {
      pairing_.not_compared.push_back(
          {node.inputs[input], "the weight's scales do not fit its shape"});
      return;
    }
    pairing_.weights.push_back({.op = ref_of(node),
                                .type = node.type,
                                .reference = node.inputs[input],
                                .quantized = stored.name,
                                .folded = is_folded(op, input),
                                .transposed = transposed,
                                .scheme = scheme_in_use(stored),
                                .params = stored.codes->params});
  }

  /// Whether the quantized model has something of the ops behind in this weight.
  bool is_folded(const FloatView::Op& op, std::size_t input) const {
    return prepared_.input_edits.find(op_id(reference_.node(op)), input) != nullptr;
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const Prepared& prepared_;
  Pairing& pairing_;
};

/// Of ops that structure did not match because their weights are beyond recognition, those whose
/// activations were paired and that have kept name and type: number of the quantized model's op by
/// number of the reference's.
std::map<std::size_t, std::size_t> alike_by_name(
    const FloatView& reference, const FloatView& quantized, const StructureMatch& match,
    const std::vector<std::optional<std::size_t>>& computed_by, const Pairing& pairing) {
  std::set<std::string> paired;
  for (const ValuePair& pair : pairing.pairs) paired.insert(pair.op.id);
  std::map<std::pair<std::string, std::string>, std::size_t> left;
  for (std::size_t q = 0; q < quantized.ops().size(); ++q) {
    const Node& node = quantized.node(quantized.ops()[q]);
    if (!match.ops[q] && !node.name.empty()) left.emplace(std::pair(node.name, node.type), q);
  }
  std::map<std::size_t, std::size_t> alike;
  for (std::size_t r = 0; r < reference.ops().size(); ++r) {
    const Node& node = reference.node(reference.ops()[r]);
    const auto found = left.find({node.name, node.type});
    if (!computed_by[r] && found != left.end() && paired.contains(op_id(node)))
      alike.emplace(r, found->second);
  }
  return alike;
}

/// Kinds whose constants have rows: weights, and what is added or multiplied.
bool has_constants(const Capabilities& able, Kind kind) {
  return able.has(kind, Role::compute) || kind == Kind::conv_transpose || kind == Kind::add ||
         kind == Kind::sub || kind == Kind::mul || kind == Kind::div;
}

}  // namespace

void pair_weights(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
                  const StructureMatch& match, Pairing& pairing) {
  // by op of the reference: the first op of the quantized model that computes it
  std::vector<std::optional<std::size_t>> computed_by(reference.ops().size());
  for (std::size_t q = 0; q < match.ops.size(); ++q) {
    if (match.ops[q] && quantized.ops()[q].operands.size() > 1 &&
        !computed_by[match.ops[q]->reference])
      computed_by[match.ops[q]->reference] = q;
  }
  const auto alike = alike_by_name(reference, quantized, match, computed_by, pairing);
  WeightPairer pairer(reference, quantized, prepared, pairing);
  for (std::size_t r = 0; r < reference.ops().size(); ++r) {
    if (!has_constants(*prepared.able, reference.ops()[r].kind)) continue;
    if (const auto named = alike.find(r); named != alike.end()) {
      pairer.pair(reference.ops()[r], named->second, match);
    }
    if (!computed_by[r]) {
      if (!alike.contains(r)) pairer.miss(reference.ops()[r]);
      continue;
    }
    pairer.pair(reference.ops()[r], *computed_by[r], match);
  }
}

}  // namespace quantlens
