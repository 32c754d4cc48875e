// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/compare_ops.h"

#include <algorithm>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr FloatView::Operand kAbsent{};

const FloatView::Operand& operand_at(const FloatView::Op& op, std::size_t number) {
  return number < op.operands.size() ? op.operands[number] : kAbsent;
}

bool is_absent(const FloatView::Operand& operand) {
  return !operand.value && !operand.constant;
}

/// Of an op that multiplies by a weight.
bool is_factor(const FloatView::Op& op, std::size_t operand) {
  return operand == op.at.data || operand == op.at.weight;
}

/// A constant that tools change (biases are corrected and folded) or leave out.
bool is_minor(const FloatView::Op& op, std::size_t operand) {
  if (multiplies_by_weight(op.kind)) return !is_factor(op, operand);
  return op.kind == Kind::relu || op.kind == Kind::clip;
}

/// A weight without which the op is another one.
bool is_weight(const FloatView::Op& op, std::size_t operand) {
  return multiplies_by_weight(op.kind) && is_factor(op, operand);
}

}  // namespace

OpComparer::OpComparer(const FloatView& reference, const FloatView& quantized)
    : reference_(reference),
      quantized_(quantized),
      reference_sketches_(reference),
      quantized_sketches_(quantized),
      tails_(reference) {}

bool OpComparer::is_swapped(const FloatView& view, const FloatView::Op& op, std::size_t operand) {
  const bool is_product = op.kind == Kind::gemm || op.kind == Kind::matmul;
  return is_product && operand == op.at.weight && transposes_b(view.node(op));
}

void OpComparer::compare_constants(const FloatView::Op& quantized, const FloatView::Op& reference,
                                   std::size_t of_quantized, std::size_t of_reference,
                                   OpComparison& result) {
  const Sketch* before = reference_sketches_.of(*operand_at(reference, of_reference).constant,
                                                is_swapped(reference_, reference, of_reference));
  const Sketch* after = quantized_sketches_.of(*operand_at(quantized, of_quantized).constant,
                                               is_swapped(quantized_, quantized, of_quantized));
  if (before == nullptr || after == nullptr) return;
  Sketch unscaled;
  const bool is_scaled =
      quantized_.constants()[*operand_at(quantized, of_quantized).constant].codes.has_value();
  if (quantized.accumulates && !is_scaled) {
    unscaled = *after;
    unscaled.is_unscaled = true;
    after = &unscaled;
  }
  double value = agreement(*before, *after);
  const auto number = static_cast<std::size_t>(&reference - reference_.ops().data());
  const Tail* tail = is_weight(reference, of_reference) ? tails_.of(number) : nullptr;
  for (std::size_t k = 1; tail != nullptr && k < tail->sums.size(); ++k) {
    const Sketch* folded = tails_.weight(number, k);
    if (folded != nullptr && tail->channels.weight == of_reference)
      value = std::max(value, agreement(*folded, *after));
  }
  if (is_minor(reference, of_reference)) {
    result.score += value / 8;
    return;
  }
  const bool is_spelling = before->is_whole;  // a shape may be written in several ways
  result.score += is_spelling ? value / 2 : 2 * value;
  if (value < kAgrees && is_weight(reference, of_reference)) {
    result.weight_differs = before->count == after->count;
    result.possible = result.weight_differs;
  } else if (value < kAgrees) {
    ++result.disagreements;
  }
  result.telling = result.telling || (value >= kAgreesWell && is_telling(*before));
}

OpComparison OpComparer::compare_in_order(const FloatView::Op& quantized,
                                          const FloatView::Op& reference, bool swapped,
                                          const OperandCheck& check) {
  OpComparison result{.possible = true, .complete = true, .swapped = swapped};
  const std::size_t count = std::max(quantized.operands.size(), reference.operands.size());
  for (std::size_t i = 0; i < count && result.possible; ++i) {
    const std::size_t at = swapped ? 1 - i : i;
    const FloatView::Operand& q = operand_at(quantized, i);
    const FloatView::Operand& r = operand_at(reference, at);
    if (q.value && r.value) {
      const OperandState state = check(*q.value, *r.value);
      result.possible = state != OperandState::contradicts;
      if (state == OperandState::open) result.complete = false;
      if (state == OperandState::agrees) result.score += 1;
      if (state == OperandState::agrees_moved) {
        result.score += 0.5;
        ++result.disagreements;
      }
    } else if (q.constant && r.constant) {
      compare_constants(quantized, reference, i, at, result);
    } else if (q.value || r.value) {
      result.possible = false;
    } else if (is_absent(q) != is_absent(r) && !is_minor(reference, at)) {
      result.score -= 0.25;  // an optional input instead of an attribute, or the like
    }
  }
  return result;
}

OpComparison OpComparer::compare(const FloatView::Op& quantized, const FloatView::Op& reference,
                                 const OperandCheck& check) {
  if (!alike(quantized_, quantized, reference_, reference)) return {};
  OpComparison best = compare_in_order(quantized, reference, false, check);
  if (commutes(quantized) && commutes(reference)) {
    const OpComparison other = compare_in_order(quantized, reference, true, check);
    const bool better = other.disagreements < best.disagreements ||
                        (other.disagreements == best.disagreements && other.score > best.score);
    if (other.possible && (!best.possible || better)) best = other;
  }
  if (best.possible) {
    const std::size_t different =
        count_different_attributes(quantized_.node(quantized), reference_.node(reference));
    best.disagreements += different;
    best.score -= static_cast<double>(different);
  }
  best.weight_differs = best.weight_differs && best.possible;
  best.possible = best.possible && !best.weight_differs;
  return best;
}

OpComparison OpComparer::compare_exchanged(const FloatView::Op& quantized,
                                           const FloatView::Op& reference,
                                           const OperandCheck& check) {
  if (!alike(quantized_, quantized, reference_, reference)) return {};
  if (quantized.operands.size() != 2 || reference.operands.size() != 2) return {};
  OpComparison result = compare_in_order(quantized, reference, true, check);
  result.possible = result.possible && !result.weight_differs;
  return result;
}

}  // namespace quantlens
