// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "quantlens/diagnosis/match/input_factors.h"
#include "quantlens/diagnosis/match/matcher.h"
#include "quantlens/diagnosis/view/alike.h"

namespace quantlens {

OpComparison Matcher::compare_damaged(std::size_t quantized, std::size_t reference) {
  const auto check = [&](std::size_t q, std::size_t r) { return operand_state(q, r); };
  OpComparison why = comparer_.compare(op(quantized), reference_op(reference), check);
  if (why.weight_differs) {
    why.possible = true;
  } else if (!why.possible) {
    why = comparer_.compare_exchanged(op(quantized), reference_op(reference), check);
  }
  const bool is_rewired = ops_[quantized] && ops_[quantized]->rewired;
  return is_rewired ? compare_constants_alone(quantized, reference) : why;
}

OpComparison Matcher::compare_constants_alone(std::size_t quantized, std::size_t reference) {
  return comparer_.compare(op(quantized), reference_op(reference),
                           [](std::size_t, std::size_t) { return OperandState::open; });
}

std::optional<Matcher::Candidate> Matcher::surrounded(std::size_t number) {
  std::optional<Candidate> only;
  for (const std::size_t reader : readers_of_the_same(number)) {
    if (taken_[reader] > 0 || free_of_equals(reader) == 0) continue;
    const OpComparison why = compare_damaged(number, reader);
    if (!why.possible || !why.complete || why.disagreements > 0) continue;
    if (only) return {};
    only = Candidate{reader, why};
  }
  return only;
}

std::size_t Matcher::count_of_telling() {
  std::size_t count = 0;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (ops_[q] && !damaged_.contains(q) && compare(q, ops_[q]->reference).telling) ++count;
  }
  return count;
}

bool Matcher::choose_surrounded() {
  const std::size_t before = progress_;
  const std::size_t telling = count_of_telling();
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q) || moves(q)) continue;
    const std::optional<Candidate> found = surrounded(q);
    if (!found) continue;
    const bool is_weight_alone = found->why.weight_differs;
    if (is_weight_alone && damaged_.size() >= telling) continue;
    const bool has_rival = std::ranges::any_of(op(q).operands, [&](const auto& operand) {
      if (!operand.value) return false;
      const std::vector<std::size_t>& readers = readers_[value(*operand.value).root];
      return readers.size() > kMostCandidates ||
             std::ranges::any_of(readers, [&](std::size_t other) {
               if (other == q || is_done(other)) return false;
               const std::optional<Candidate> rival = surrounded(other);
               return rival && rival->reference == found->reference;
             });
    });
    if (has_rival) continue;
    damaged_.insert(q);
    match(q, found->reference, found->why);
    spread();
  }
  return spread_from(before);
}

std::optional<std::size_t> Matcher::wanted_below(std::size_t number) const {
  const auto& outputs = op(number).outputs;
  if (outputs.size() != 1 || !outputs[0]) return {};
  std::optional<std::size_t> wanted = states_[*outputs[0]].match;
  if (wanted) return counterpart_of_producer(*outputs[0], *wanted);
  for (const std::size_t reader : readers_[*outputs[0]]) {
    if (!ops_[reader]) continue;
    const FloatView::Op& other = reference_op(ops_[reader]->reference);
    const std::vector<FloatView::Operand>& operands = op(reader).operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].value || value(*operands[i].value).root != *outputs[0]) continue;
      const std::size_t at = ops_[reader]->swapped && i < 2 ? 1 - i : i;
      if (at >= other.operands.size() || !other.operands[at].value) return {};
      const std::size_t root = reference_value(*other.operands[at].value).root;
      if (wanted && !are_equal(*wanted, root)) return {};
      wanted = root;
    }
  }
  return wanted ? counterpart_of_producer(*outputs[0], *wanted) : std::nullopt;
}

bool Matcher::choose_rewired() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q) || moves(q)) continue;
    const std::optional<std::size_t> found = wanted_below(q);
    if (!found || taken_[*found] > 0) continue;
    const OpComparison why = compare_constants_alone(q, *found);
    if (!why.possible || why.disagreements > 0) continue;
    damaged_.insert(q);
    match(q, *found, why);
    ops_[q]->rewired = true;
    spread();
  }
  return spread_from(before);
}

bool Matcher::is_read_alike(std::size_t quantized, std::size_t reference) const {
  const auto& readers = reference_readers_[first_[reference_value(reference).root]];
  return std::ranges::any_of(readers_[quantized], [&](std::size_t q) {
    if (moves(q) || limits_.contains(q)) return false;
    return std::ranges::any_of(readers, [&](std::size_t r) {
      if (ops_[q]) return first_op_[ops_[q]->reference] == r;
      return free_of_equals(r) > 0 && alike(quantized_, op(q), reference_, reference_op(r));
    });
  });
}

bool Matcher::choose_multiplied() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q) || op(q).outputs.size() != 1 || !op(q).outputs[0]) continue;
    const std::size_t product = *op(q).outputs[0];
    const auto factors = is_open(product) ? input_factors(quantized_, ops_, product) : std::nullopt;
    if (!factors || !states_[factors->data].match) continue;
    const std::size_t multiplied = *states_[factors->data].match;
    const std::vector<std::size_t> others = readers_of_the_same(q);
    const auto is_free = [&](std::size_t r) { return free_of_equals(r) > 0; };
    if (std::ranges::any_of(others, is_free) || !is_read_alike(product, multiplied)) continue;
    settle(product, multiplied);
  }
  return spread_from(before);
}

}  // namespace quantlens
