// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/matcher.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/diagnosis/view/duplicates.h"
#include "quantlens/diagnosis/view/layouts.h"

namespace quantlens {
namespace {

/// By value: the ops that compute with its elements, moved or not; of equal values and ops the
/// first only.
std::vector<std::vector<std::size_t>> readers_of_roots(const FloatView& view,
                                                       const std::vector<std::size_t>& first,
                                                       const std::vector<std::size_t>& first_op) {
  std::vector<std::vector<std::size_t>> readers(view.values().size());
  for (std::size_t op = 0; op < view.ops().size(); ++op) {
    if (first_op[op] != op) continue;
    for (const FloatView::Operand& operand : view.ops()[op].operands) {
      if (!operand.value) continue;
      std::vector<std::size_t>& known = readers[first[view.values()[*operand.value].root]];
      if (known.empty() || known.back() != op) known.push_back(op);
    }
  }
  return readers;
}

/// By op: the first that computes the same.
std::vector<std::size_t> first_ops(const FloatView& view, const std::vector<std::size_t>& first) {
  std::vector<std::size_t> first_op(view.ops().size());
  for (std::size_t op = 0; op < first_op.size(); ++op) {
    first_op[op] = op;
    const auto& outputs = view.ops()[op].outputs;
    if (!outputs.empty() && outputs[0]) first_op[op] = *view.values()[first[*outputs[0]]].producer;
  }
  return first_op;
}

std::vector<std::size_t> counted(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

Matcher::Matcher(const FloatView& reference, const FloatView& quantized)
    : reference_(reference),
      quantized_(quantized),
      comparer_(reference, quantized),
      states_(quantized.values().size()),
      ops_(quantized.ops().size()),
      taken_(reference.ops().size(), 0),
      first_(first_equals(reference)),
      first_op_(first_ops(reference, first_)),
      equal_ops_(reference.ops().size()),
      taken_of_equals_(reference.ops().size(), 0),
      next_of_equals_(reference.ops().size(), 0) {
  for (std::size_t r = 0; r < first_op_.size(); ++r) equal_ops_[first_op_[r]].push_back(r);
  readers_ = readers_of_roots(quantized, counted(quantized.values().size()),
                              counted(quantized.ops().size()));
  reference_readers_ = readers_of_roots(reference, first_, first_op_);
  Layouts layouts;
  layouts_ = layouts.of(quantized);
  reference_layouts_ = layouts.of(reference);
}

bool Matcher::fits(std::size_t quantized, std::size_t reference) const {
  const State& state = states_[quantized];
  if (state.match) return are_equal(*state.match, reference);
  return std::ranges::any_of(state.may_be, [&](std::size_t r) { return are_equal(r, reference); });
}

OperandState Matcher::operand_state(std::size_t quantized, std::size_t reference) const {
  const std::optional<std::size_t>& match = states_[quantized].match;
  if (match && are_equal(*match, reference)) return OperandState::agrees;
  const std::size_t root = value(quantized).root;
  const std::size_t reference_root = reference_value(reference).root;
  if (is_open(root)) return OperandState::open;
  if (!fits(root, reference_root)) return OperandState::contradicts;
  const bool same_layout = layouts_[quantized] == reference_layouts_[reference];
  return same_layout ? OperandState::agrees : OperandState::agrees_moved;
}

OperandState Matcher::mover_state(std::size_t quantized, std::size_t reference) const {
  if (is_open(quantized)) return OperandState::open;
  return fits(quantized, reference) ? OperandState::agrees : OperandState::contradicts;
}

OpComparison Matcher::compare(std::size_t quantized, std::size_t reference) {
  if (damaged_.contains(quantized) && ops_[quantized]->reference == reference)
    return compare_damaged(quantized, reference);
  const bool is_mover = moves(quantized);
  return comparer_.compare(op(quantized), reference_op(reference),
                           [&](std::size_t q, std::size_t r) {
                             return is_mover ? mover_state(q, r) : operand_state(q, r);
                           });
}

void Matcher::settle(std::size_t quantized, std::size_t reference) {
  State& state = states_[quantized];
  if (state.match || state.is_part) return;
  state.match = reference;
  state.may_be.clear();
  changed_.push_back(quantized);
}

void Matcher::confirm_from(std::size_t quantized, std::size_t reference) {
  if (!states_[quantized].match) states_[quantized].confirmed = true;
  settle(quantized, reference);
}

void Matcher::offer(std::size_t quantized, std::vector<std::size_t> chain) {
  State& state = states_[quantized];
  if (state.match || !state.may_be.empty() || state.is_part) return;
  if (chain.size() == 1) return settle(quantized, chain[0]);
  state.may_be = std::move(chain);
  changed_.push_back(quantized);
}

void Matcher::match(std::size_t quantized, std::size_t reference, const OpComparison& why) {
  ops_[quantized] = OpMatch{.reference = reference, .swapped = why.swapped};
  take(reference);
  match_operands(quantized, reference, why);
  const std::vector<std::optional<std::size_t>>& outputs = op(quantized).outputs;
  const std::vector<std::optional<std::size_t>>& of_reference = reference_op(reference).outputs;
  for (std::size_t k = 0; k < std::min(outputs.size(), of_reference.size()); ++k) {
    if (!outputs[k] || !of_reference[k]) continue;
    if (moves(quantized) && why.disagreements > 0) continue;  // moved to other places
    if (const Tail* tail = comparer_.tails().of(reference)) {
      offer_tail(quantized, reference, *tail);
      continue;
    }
    std::vector<std::size_t> chain = absorbed_chain(reference_, *of_reference[k]);
    drop_unbiased(quantized, reference, chain);
    offer(*outputs[k], std::move(chain));
  }
}

void Matcher::drop_unbiased(std::size_t quantized, std::size_t reference,
                            std::vector<std::size_t>& chain) const {
  const auto kind_of = [&](std::size_t number) {
    return reference_op(*reference_value(number).producer).kind;
  };
  const bool gains_bias = has_bias(op(quantized)) && !has_bias(reference_op(reference));
  if (gains_bias && chain.size() > 1 && kind_of(chain[1]) == Kind::add) chain.erase(chain.begin());
}

void Matcher::match_operands(std::size_t quantized, std::size_t reference,
                             const OpComparison& why) {
  const std::vector<FloatView::Operand>& operands = op(quantized).operands;
  const std::vector<FloatView::Operand>& others = reference_op(reference).operands;
  for (std::size_t i = 0; i < std::min(operands.size(), others.size()); ++i) {
    const FloatView::Operand& other = others[why.swapped ? 1 - i : i];
    if (operands[i].value && other.value) match_operand(*operands[i].value, *other.value);
  }
}

void Matcher::match_operand(std::size_t quantized, std::size_t reference) {
  const std::size_t root = value(quantized).root;
  if (layouts_[quantized] != reference_layouts_[reference]) {
    // one of the models moves elements where the other does not
    if (fits(root, reference_value(reference).root)) settle(root, reference_value(reference).root);
    return;
  }
  std::size_t q = quantized, r = reference;
  while (value(q).root != q && reference_value(r).root != r) {
    const std::size_t before_q = before(quantized_, q), before_r = before(reference_, r);
    if (match_mover(q, r)) {
      settle(q, r);
      q = before_q;
      r = before_r;
    } else if (is_copy(reference_, r)) {
      r = before_r;
    } else if (is_copy(quantized_, q)) {
      settle(q, r);
      q = before_q;
    } else if (const auto earlier = earlier_in(reference_, reference_layouts_, r)) {
      r = *earlier;  // what lies between undoes itself
    } else if (const auto other = earlier_in(quantized_, layouts_, q)) {
      q = *other;
    } else {
      break;
    }
    if (layouts_[q] != reference_layouts_[r]) break;
  }
  if (is_open(root) && is_refuted(root, reference_value(reference).root)) return;
  settle(root, reference_value(reference).root);
}

std::optional<std::size_t> Matcher::earlier_in(const FloatView& view,
                                               const std::vector<std::size_t>& layouts,
                                               std::size_t number) {
  std::size_t at = number;
  for (std::size_t step = 0; step < kMostSteps && view.values()[at].root != at; ++step) {
    at = before(view, at);
    if (layouts[at] == layouts[number]) return at;
  }
  return std::nullopt;
}

bool Matcher::match_mover(std::size_t quantized, std::size_t reference) {
  const std::size_t number = *value(quantized).producer;
  const std::size_t other = *reference_value(reference).producer;
  if (ops_[number]) return ops_[number]->reference == other;
  const OpComparison why = comparer_.compare(
      op(number), reference_op(other), [](std::size_t, std::size_t) { return OperandState::open; });
  if (!why.possible || why.disagreements > 0) return false;
  ops_[number] = OpMatch{.reference = other};
  take(other);
  return true;
}

std::size_t Matcher::before(const FloatView& view, std::size_t number) {
  return *view.ops()[*view.values()[number].producer].operands[0].value;
}

bool Matcher::is_copy(const FloatView& view, std::size_t number) {
  const FloatView::Op& maker = view.ops()[*view.values()[number].producer];
  return family(view.node(maker), maker.kind) == Kind::identity;
}

void Matcher::match_inputs() {
  const auto& inputs = quantized_.inputs();
  const auto& others = reference_.inputs();
  for (std::size_t i = 0; i < std::min(inputs.size(), others.size()); ++i)
    confirm_from(*inputs[i], *others[i]);  // a Run feeds them by position
}

void Matcher::spread() {
  while (!changed_.empty()) {
    const std::size_t number = changed_.front();
    changed_.pop_front();
    if (states_[number].match) match_producer(number, *states_[number].match);
    if (value(number).root == number) {
      for (const std::size_t reader : readers_[number]) match_forward(reader);
    } else {
      for (const FloatView::Reader& reader : value(number).readers) match_forward(reader.op);
    }
  }
}

std::vector<std::size_t> Matcher::readers_of_the_same(std::size_t number) const {
  std::vector<const std::vector<std::size_t>*> lists;
  std::optional<std::size_t> fewest;
  for (const FloatView::Operand& operand : op(number).operands) {
    if (!operand.value) continue;
    const State& root = states_[value(*operand.value).root];
    std::vector<const std::vector<std::size_t>*> of_operand;
    std::size_t count = 0;
    const auto add = [&](std::size_t r) {
      of_operand.push_back(&reference_readers_[first_[reference_value(r).root]]);
      count += of_operand.back()->size();
    };
    if (root.match) add(*root.match);
    std::ranges::for_each(root.may_be, add);
    if (of_operand.empty() || (fewest && count >= *fewest)) continue;
    fewest = count;
    lists = std::move(of_operand);
  }
  const bool many = fewest.value_or(0) > kMostCandidates;
  std::vector<std::size_t> readers;
  for (const std::vector<std::size_t>* list : lists) {
    for (const std::size_t reader : *list) {
      if (!alike(quantized_, op(number), reference_, reference_op(reader))) continue;
      if (many && free_of_equals(reader) == 0) continue;
      readers.push_back(reader);
      if (readers.size() > kMostCandidates) return {};
    }
  }
  std::ranges::sort(readers);
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  return readers;
}

std::vector<Matcher::Candidate> Matcher::candidates(std::size_t number) {
  const std::vector<std::size_t> readers = readers_of_the_same(number);
  std::vector<Candidate> found;
  for (const std::size_t reader : readers) {
    OpComparison why = compare(number, reader);
    if (!why.possible) continue;
    if (free_of_equals(reader) == 0) why.score -= 0.25;
    if (named_alike(number, reader)) why.score += 0.01;
    found.push_back({reader, why});
  }
  std::ranges::stable_sort(found, [](const Candidate& a, const Candidate& b) {
    if (a.why.disagreements != b.why.disagreements)
      return a.why.disagreements < b.why.disagreements;
    return a.why.score > b.why.score;
  });
  return found;
}

void Matcher::take(std::size_t reference) {
  if (taken_[reference]++ == 0) ++taken_of_equals_[first_op_[reference]];
  ++progress_;
}

std::size_t Matcher::free_of_equals(std::size_t reference) const {
  return equal_ops_[first_op_[reference]].size() - taken_of_equals_[first_op_[reference]];
}

std::optional<std::size_t> Matcher::named_alike(std::size_t quantized,
                                                std::size_t reference) const {
  const Node& node = quantized_.node(op(quantized));
  if (node.outputs.empty()) return std::nullopt;
  const std::optional<std::size_t> named = reference_.value_of(node.outputs[0]);
  const std::optional<std::size_t> producer =
      named ? reference_value(*named).producer : std::nullopt;
  if (!producer || first_op_[*producer] != first_op_[reference]) return std::nullopt;
  return producer;
}

std::size_t Matcher::next_free(std::size_t reference) {
  const std::vector<std::size_t>& equals = equal_ops_[first_op_[reference]];
  std::size_t& at = next_of_equals_[first_op_[reference]];
  while (at < equals.size() && taken_[equals[at]] > 0) ++at;
  return at == equals.size() ? reference : equals[at];
}

void Matcher::match_forward(std::size_t number) {
  if (is_done(number) || match_late(number)) return;
  const std::vector<Candidate> found = candidates(number);
  if (only_limits_codes(number, !found.empty())) return match_limit(number);
  const bool any = !found.empty() && found[0].why.complete && found[0].why.disagreements == 0;
  if (!any) return;
  constexpr double kNearly = 1e-9;
  const bool tie = found.size() > 1 && found[1].why.disagreements == 0 &&
                   found[1].why.score > found[0].why.score - kNearly;
  if (tie) return;
  const std::size_t first = found[0].reference;
  if (const auto named = named_alike(number, first); named && taken_[*named] == 0) {
    match(number, *named, found[0].why);
  } else if (free_of_equals(first) <= 1) {
    match(number, next_free(first), found[0].why);
  }
}

bool Matcher::clips(const FloatView::Op& o) const {
  return family(quantized_.node(o), o.kind) == Kind::relu;
}

bool Matcher::only_limits_codes(std::size_t number, bool has_candidates) const {
  const FloatView::Op& o = op(number);
  if (!clips(o) || o.operands.empty() || !o.operands[0].value) return false;
  if (o.outputs.empty() || !o.outputs[0] || !is_open(*o.outputs[0])) return false;
  const FloatView::Value& output = value(*o.outputs[0]);
  const bool on_codes =
      !output.sides.empty() && output.sides[0].tensor == quantized_.node(o).outputs[0];
  const std::optional<std::size_t>& read = states_[*o.operands[0].value].match;
  if (!on_codes || !read) return false;
  const bool clipped_again = std::ranges::any_of(
      output.readers, [&](const FloatView::Reader& reader) { return clips(op(reader.op)); });
  const bool for_several = readers_[value(*o.operands[0].value).root].size() == 1 &&
                           reference_readers_[first_[reference_value(*read).root]].size() > 1;
  return !has_candidates || clipped_again || for_several;
}

void Matcher::match_limit(std::size_t number) {
  limits_.insert(number);
  settle(*op(number).outputs[0], *states_[*op(number).operands[0].value].match);
}

std::optional<std::size_t> Matcher::counterpart_of_producer(std::size_t quantized,
                                                            std::size_t reference) const {
  const std::optional<std::size_t> producer = value(quantized).producer;
  std::size_t at = reference;
  for (std::size_t step = 0; producer && step < kMostSteps; ++step) {
    const std::optional<std::size_t> other = reference_value(at).producer;
    if (!other) break;
    if (alike(quantized_, op(*producer), reference_, reference_op(*other)) &&
        value(quantized).output == reference_value(at).output)
      return other;
    const std::optional<std::size_t> earlier = before_absorbed(*other);
    if (!earlier) break;
    at = *earlier;
  }
  return std::nullopt;
}

void Matcher::match_producer(std::size_t quantized, std::size_t reference) {
  const std::optional<std::size_t> producer = value(quantized).producer;
  if (!producer || ops_[*producer]) return;
  const std::optional<std::size_t> other = counterpart_of_producer(quantized, reference);
  if (!other) return;
  const OpComparison why = compare(*producer, *other);
  if (why.possible && why.disagreements == 0) match(*producer, *other, why);
}

bool Matcher::is_refuted(std::size_t quantized, std::size_t reference) {
  const std::optional<std::size_t> other = counterpart_of_producer(quantized, reference);
  return other && !compare(*value(quantized).producer, *other).possible;
}

std::optional<std::size_t> Matcher::before_absorbed(std::size_t number) const {
  if (const auto owner = comparer_.tails().owner(number)) {
    const Tail& tail = *comparer_.tails().of(*owner);
    return tail.values[static_cast<std::size_t>(std::ranges::find(tail.links, number) -
                                                tail.links.begin())];
  }
  for (const FloatView::Operand& operand : reference_op(number).operands) {
    if (!operand.value) continue;
    const std::optional<std::size_t> producer = reference_value(*operand.value).producer;
    if (producer && may_absorb(reference_, reference_op(*producer), reference_op(number)))
      return operand.value;
  }
  return std::nullopt;
}

}  // namespace quantlens
