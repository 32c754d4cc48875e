// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/match_structure.h"

#include <algorithm>

#include "quantlens/diagnosis/match/matcher.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostRounds = 64;

}  // namespace

StructureMatch Matcher::run(const Known& known) {
  for (const auto& [value, reference] : known) confirm_from(value, reference);
  match_inputs();
  spread();
  bool more = true;
  for (std::size_t round = 0; more && round < kMostRounds; ++round) {
    more = begin_at_weights() || begin_at_names() || begin_at_outputs() || choose_in_chains() ||
           choose_only_ones() || choose_among_equals() || choose_surrounded() || choose_rewired() ||
           choose_multiplied();
  }
  confirm();
  return result();
}

void Matcher::confirm() {
  std::vector<std::optional<OpComparison>> why(ops_.size());
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (!ops_[q]) continue;
    why[q] = compare(q, ops_[q]->reference);
    if (!why[q]->possible || !why[q]->telling || why[q]->disagreements > 0) continue;
    for (const FloatView::Operand& operand : op(q).operands) {
      if (!operand.value) continue;
      const std::size_t root = value(*operand.value).root;
      const std::optional<std::size_t> producer = value(root).producer;
      const bool is_made_alike = !producer || (why[*producer] && why[*producer]->possible);
      if (is_made_alike) states_[root].confirmed = true;
    }
  }
  std::vector<bool> confirmed(ops_.size(), false);
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (limits_.contains(q)) states_[*op(q).outputs[0]].confirmed = operands_confirmed(q);
    if (!ops_[q]) continue;
    const bool agrees = why[q]->possible && why[q]->disagreements == 0;
    confirmed[q] = agrees && (why[q]->telling || (why[q]->complete && operands_confirmed(q)));
    if (const auto inner = inner_of_late_bias(q)) confirmed[q] = confirmed[*inner];
    if (!confirmed[q]) continue;
    for (const std::optional<std::size_t>& output : op(q).outputs) {
      if (output) states_[*output].confirmed = true;
    }
  }
}

bool Matcher::operands_confirmed(std::size_t quantized) const {
  return std::ranges::all_of(op(quantized).operands, [&](const FloatView::Operand& operand) {
    return !operand.value || states_[value(*operand.value).root].confirmed;
  });
}

std::optional<std::size_t> Matcher::inner_of_late_bias(std::size_t number) const {
  const auto found = late_.find(number);
  return found == late_.end() ? std::nullopt : std::optional(found->second);
}

StructureMatch Matcher::result() const {
  StructureMatch found;
  for (const State& state : states_) {
    found.values.push_back(state.match ? std::optional(ValueMatch{*state.match, state.confirmed})
                                       : std::nullopt);
  }
  found.ops = ops_;
  found.folded = folded();
  return found;
}

StructureMatch match_structure(const FloatView& reference, const FloatView& quantized,
                               const Known& known) {
  return Matcher(reference, quantized).run(known);
}

}  // namespace quantlens
