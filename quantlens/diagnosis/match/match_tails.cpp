// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "quantlens/diagnosis/match/matcher.h"
#include "quantlens/diagnosis/view/alike.h"

namespace quantlens {
namespace {

/// What an op does to each channel of its only operand that is a value; nothing of other ops.
std::optional<Affine> affine_of_op(const FloatView& view, const FloatView::Op& op,
                                   std::size_t count) {
  const Node& node = view.node(op);
  if (op.kind == Kind::batch_norm) {
    // its constants are floats: nothing has codes for them
    const ChannelAxis channels{.count = count, .rank = 2, .from_end = 1};
    return affine_of(view.index(), node, 0, channels);
  }
  if ((op.kind != Kind::add && op.kind != Kind::sub) || op.operands.size() != 2)
    return std::nullopt;
  const std::size_t at = op.operands[0].constant ? 0 : 1;
  if (!op.operands[at].constant || !op.operands[1 - at].value) return std::nullopt;
  const auto numbers = numbers_of_channels(view.constants()[*op.operands[at].constant], count);
  if (!numbers) return std::nullopt;
  Affine affine = identity(count);
  affine.shift = *numbers;
  if (op.kind == Kind::sub && at == 1) {
    for (double& one : affine.shift) one = -one;
  } else if (op.kind == Kind::sub) {
    std::ranges::fill(affine.factor, -1);
  }
  return affine;
}

}  // namespace

WeightAndBias Matcher::figures(std::size_t quantized, const OutputChannels& channels,
                               bool swapped) {
  const FloatView::Op& o = op(quantized);
  const std::size_t at = swapped ? 1 - channels.weight : channels.weight;
  WeightAndBias figures;
  if (at >= o.operands.size() || !o.operands[at].constant) return figures;
  const bool is_scaled = quantized_.constants()[*o.operands[at].constant].codes.has_value();
  if (!o.accumulates || is_scaled) {
    figures.weight = comparer_.quantized_sketches().of(*o.operands[at].constant,
                                                       OpComparer::is_swapped(quantized_, o, at));
  }
  figures.bias = bias_of(quantized_, o, channels.count);
  return figures;
}

void Matcher::offer_tail(std::size_t quantized, std::size_t reference, const Tail& tail) {
  const std::size_t output = *op(quantized).outputs[0];
  const WeightAndBias own = figures(quantized, tail.channels, ops_[quantized]->swapped);
  std::vector<std::size_t> fits = comparer_.tails().fitting(reference, own);
  if (!has_bias(op(quantized)) && !tail.sums.empty() && tail.knows_shifts) {
    std::vector<std::size_t> adding;  // it adds nothing itself
    std::ranges::copy_if(fits, std::back_inserter(adding),
                         [&](std::size_t links) { return tail.sums[links].only_scales(); });
    if (adding.empty() && value(output).readers.size() == 1 &&
        match_late(value(output).readers[0].op))
      return;
    if (!adding.empty()) fits = std::move(adding);
  }
  offer(output, values_after(tail, fits));
}

std::vector<std::size_t> Matcher::values_after(const Tail& tail,
                                               const std::vector<std::size_t>& fits) const {
  std::vector<std::size_t> chain;
  chain.reserve(fits.size());
  for (const std::size_t links : fits) chain.push_back(tail.values[links]);
  if (fits.back() + 1 == tail.values.size()) {
    const std::vector<std::size_t> rest = absorbed_chain(reference_, tail.values.back());
    chain.insert(chain.end(), rest.begin() + 1, rest.end());
  }
  return chain;
}

std::optional<std::size_t> Matcher::adds_late(std::size_t number) const {
  const FloatView::Op& add = op(number);
  if (add.kind != Kind::add && add.kind != Kind::sub && add.kind != Kind::batch_norm)
    return std::nullopt;
  if (add.outputs.empty() || !add.outputs[0] || add.operands.size() < 2) return std::nullopt;
  const FloatView::Operand& first = add.operands[add.operands[0].value ? 0 : 1];
  const FloatView::Operand& second = add.operands[add.operands[0].value ? 1 : 0];
  if (!first.value || !second.constant) return std::nullopt;
  const std::optional<std::size_t> producer = value(*first.value).producer;
  if (!producer || !ops_[*producer] || has_bias(op(*producer)) || late_.contains(*producer) ||
      value(*first.value).root != *first.value)
    return std::nullopt;
  return producer;
}

bool Matcher::match_late(std::size_t number) {
  const std::optional<std::size_t> inner = adds_late(number);
  if (!inner) return false;
  const std::size_t whole = ops_[*inner]->reference;
  const Tail* tail = comparer_.tails().of(whole);
  const std::size_t sum = *op(*inner).outputs[0];
  const std::optional<std::size_t> known = states_[sum].match;
  if (tail != nullptr && !tail->sums.empty() && reference_op(whole).kind == Kind::matmul) {
    if (const auto fit = late_fit(number, *inner, *tail)) {
      const auto& [links, link] = *fit;
      const WeightAndBias own = figures(*inner, tail->channels, ops_[*inner]->swapped);
      const bool is_whole = std::ranges::count(comparer_.tails().fitting(whole, own), link) > 0;
      // a name alone may have said so before; the figures deny it where the sum is not whole
      if (known && is_whole && !are_equal(*known, tail->values[link])) return false;
      take_late(number, *inner, tail->links[link]);
      if (is_whole) {
        states_[sum].may_be.clear();
        settle(sum, tail->values[link]);
      } else {
        states_[sum] = {.match = {}, .may_be = {}, .confirmed = false, .is_part = true};
      }
      offer_links(*op(number).outputs[0], *tail, links);
      return true;
    }
  }
  const FloatView::Op& o = reference_op(whole);
  if (!has_bias(o) || o.outputs.empty() || !o.outputs[0] || op(number).kind != Kind::add)
    return false;
  states_[sum] = {.match = {}, .may_be = {}, .confirmed = false, .is_part = true};
  take_late(number, *inner, whole);
  const auto affine = tail == nullptr || tail->sums.empty()
                          ? std::nullopt
                          : affine_of_op(quantized_, op(number), tail->channels.count);
  if (affine) {
    WeightAndBias both = figures(*inner, tail->channels, ops_[*inner]->swapped);
    both.bias = affine->shift;
    offer(*op(number).outputs[0], values_after(*tail, comparer_.tails().fitting(whole, both)));
  } else {
    offer(*op(number).outputs[0], absorbed_chain(reference_, *o.outputs[0]));
  }
  return true;
}

std::optional<std::pair<std::size_t, std::size_t>> Matcher::late_fit(std::size_t number,
                                                                     std::size_t inner,
                                                                     const Tail& tail) {
  const std::size_t whole = ops_[inner]->reference;
  const auto affine = affine_of_op(quantized_, op(number), tail.channels.count);
  if (!affine) return std::nullopt;
  WeightAndBias both = figures(inner, tail.channels, ops_[inner]->swapped);
  both.factor = affine->factor;
  both.bias = affine->shift;
  const std::vector<std::size_t> fits = comparer_.tails().surely_fitting(whole, both);
  if (fits.empty()) return std::nullopt;
  for (std::size_t link = 0; link < fits.front(); ++link) {
    if (alike(quantized_, op(number), reference_, reference_op(tail.links[link])))
      return std::pair(fits.back(), link);
  }
  return std::nullopt;
}

void Matcher::take_late(std::size_t number, std::size_t inner, std::size_t reference) {
  ops_[number] = OpMatch{.reference = reference};
  late_.emplace(number, inner);
  if (ops_[inner]->reference != reference) {
    take(reference);
  } else {
    ++progress_;
  }
}

void Matcher::offer_links(std::size_t quantized, const Tail& tail, std::size_t links) {
  std::vector<std::size_t> chain{tail.values[links]};
  if (links + 1 == tail.values.size()) chain = absorbed_chain(reference_, tail.values.back());
  offer(quantized, std::move(chain));
}

std::vector<std::string> Matcher::folded() const {
  std::vector<std::optional<std::size_t>> computed_by(reference_.ops().size());
  std::map<std::size_t, std::size_t> late;  // by the op that they end
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (!ops_[q]) continue;
    if (const auto inner = late_.find(q); inner != late_.end()) {
      late.emplace(inner->second, q);
    } else if (!computed_by[ops_[q]->reference]) {
      computed_by[ops_[q]->reference] = q;
    }
  }
  std::vector<std::string> folded;
  for (std::size_t r = 0; r < computed_by.size(); ++r) {
    const Tail* tail = comparer_.tails().of(r);
    if (tail == nullptr || tail->links.empty()) continue;
    std::size_t links = tail->links.size();  // where nothing tells, all that can be
    std::optional<std::size_t> adder;
    if (computed_by[r]) {
      std::size_t end = *computed_by[r];
      if (const auto last = late.find(end); last != late.end()) {
        end = last->second;
        adder = ops_[end]->reference;
      }
      const std::optional<std::size_t>& made = states_[*op(end).outputs[0]].match;
      const auto at =
          made ? std::ranges::find_if(tail->values,
                                      [&](std::size_t value) { return are_equal(value, *made); })
               : tail->values.end();
      if (at != tail->values.end()) links = static_cast<std::size_t>(at - tail->values.begin());
    }
    for (std::size_t i = 0; i < links; ++i) {
      if (adder != tail->links[i])
        folded.push_back(op_id(reference_.node(reference_op(tail->links[i]))));
    }
  }
  return folded;
}

}  // namespace quantlens
