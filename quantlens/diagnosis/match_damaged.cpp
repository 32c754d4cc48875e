// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "quantlens/diagnosis/matcher.h"

namespace quantlens {

OpComparison Matcher::compare_damaged(std::size_t quantized, std::size_t reference) {
  const auto check = [&](std::size_t q, std::size_t r) { return operand_state(q, r); };
  OpComparison why = comparer_.compare(op(quantized), reference_op(reference), check);
  if (why.weight_differs) {
    why.possible = true;
  } else if (!why.possible) {
    why = comparer_.compare_exchanged(op(quantized), reference_op(reference), check);
  }
  return why;
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

bool Matcher::choose_surrounded() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q) || moves(q)) continue;
    const std::optional<Candidate> found = surrounded(q);
    if (!found) continue;
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

}  // namespace quantlens
