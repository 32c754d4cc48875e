// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "quantlens/diagnosis/match/match_weights.h"
#include "quantlens/diagnosis/match/matcher.h"
#include "quantlens/diagnosis/match/named_ops.h"
#include "quantlens/diagnosis/view/alike.h"

namespace quantlens {

bool Matcher::spread_from(std::size_t progress_before) {
  const bool any = progress_ > progress_before || !changed_.empty();
  spread();
  return any;
}

bool Matcher::begin_at_weights() {
  if (std::exchange(weights_tried_, true)) return false;
  const std::size_t before = progress_;
  using Bucket = std::pair<std::vector<Wanted>, std::vector<Wanted>>;
  std::map<std::pair<Kind, std::int64_t>, Bucket> buckets;
  const auto kind = [](const FloatView::Op& o) {
    return o.kind == Kind::gemm ? Kind::matmul : o.kind;
  };
  for (std::size_t r = 0; r < reference_.ops().size(); ++r) {
    if (taken_[r] > 0) continue;
    const FloatView::Op& o = reference_op(r);
    const Sketch* sketch = weight(reference_, comparer_.reference_sketches(), o);
    if (sketch == nullptr) continue;
    Wanted wanted{.op = r, .sketches = {sketch}};
    const Tail* tail = comparer_.tails().of(r);
    for (std::size_t k = 1; tail != nullptr && k < tail->sums.size(); ++k) {
      const Sketch* folded = tail->channels.weight == 1 ? comparer_.tails().weight(r, k) : nullptr;
      if (folded != nullptr && folded != sketch) wanted.sketches.push_back(folded);
    }
    buckets[{kind(o), sketch->count}].first.push_back(std::move(wanted));
  }
  for (std::size_t q = 0; q < quantized_.ops().size(); ++q) {
    if (ops_[q]) continue;
    const Sketch* sketch = weight(quantized_, comparer_.quantized_sketches(), op(q));
    if (sketch != nullptr) buckets[{kind(op(q)), sketch->count}].second.push_back({q, {sketch}});
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [key, bucket] : buckets) {
    const auto best = best_counterparts(bucket.first, bucket.second);
    pairs.insert(pairs.end(), best.begin(), best.end());
  }
  drop_exchanged(pairs);
  for (const auto& [r, q] : pairs) {
    const OpComparison why = compare(q, r);
    if (why.possible && why.disagreements == 0) match(q, r, why);
  }
  return spread_from(before);
}

void Matcher::drop_exchanged(std::vector<std::pair<std::size_t, std::size_t>>& pairs) const {
  const NamedOps named(reference_, quantized_);
  std::map<std::size_t, std::size_t> namesake;  // of ops of the quantized model, among these
  for (const auto& [r, other] : pairs) {
    if (named.of(r)) namesake.emplace(*named.of(r), r);
  }
  const auto denies = [&](const std::pair<std::size_t, std::size_t>& pair) {
    const auto& [r, q] = pair;
    const auto of_q = namesake.find(q);
    return named.of(r) && *named.of(r) != q && of_q != namesake.end() && of_q->second != r;
  };
  const auto agree = std::ranges::count_if(
      pairs, [&](const auto& pair) { return named.of(pair.first) == pair.second; });
  if (agree > std::ranges::count_if(pairs, denies)) std::erase_if(pairs, denies);
}

const Sketch* Matcher::weight(const FloatView& view, Sketches& sketches, const FloatView::Op& o) {
  if (!multiplies_by_weight(o.kind) || view.constant_weight(o) == nullptr) return nullptr;
  const std::size_t at = o.at.weight;
  const Sketch* sketch = sketches.of(*o.operands[at].constant, OpComparer::is_swapped(view, o, at));
  return sketch != nullptr && is_telling(*sketch) ? sketch : nullptr;
}

bool Matcher::begin_at_names() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < quantized_.values().size(); ++q) {
    if (!is_open(q) || states_[q].is_part) continue;
    for (const std::string& tensor : value(q).floats) {
      const std::optional<std::size_t> r = reference_.value_of(tensor);
      if (!r || named_.contains(*r) || !may_share_name(q, *r)) continue;
      named_.insert(*r);
      settle(q, *r);
      spread();
      ++progress_;
      break;
    }
  }
  return spread_from(before);
}

bool Matcher::may_share_name(std::size_t quantized, std::size_t reference) {
  const std::optional<std::size_t> producer = value(quantized).producer;
  const std::optional<std::size_t> other = reference_value(reference).producer;
  if (!producer || !other) return !producer && !other;
  if (ops_[*producer]) return false;  // its output would be known
  if (const auto counterpart = counterpart_of_producer(quantized, reference)) {
    const OpComparison why = compare(*producer, *counterpart);
    return why.possible && why.disagreements == 0;
  }
  // one op for a function that the other model has in parts, or the other way round
  return is_whole_function(op(*producer).kind) || is_whole_function(reference_op(*other).kind);
}

bool Matcher::is_whole_function(Kind kind) {
  return kind == Kind::other || kind == Kind::layer_norm || kind == Kind::instance_norm ||
         kind == Kind::gelu || kind == Kind::hard_swish || kind == Kind::batch_norm;
}

bool Matcher::begin_at_outputs() {
  const std::size_t before = progress_;
  const auto& outputs = quantized_.outputs();
  const auto& others = reference_.outputs();
  if (outputs.size() != others.size()) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i] || !others[i] || !is_open(*outputs[i])) continue;
    if (!may_share_name(*outputs[i], *others[i])) continue;
    settle(*outputs[i], *others[i]);
    ++progress_;
  }
  return spread_from(before);
}

bool Matcher::choose_in_chains() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < states_.size(); ++q) {
    if (states_[q].may_be.empty()) continue;
    settle(q, most_likely(q));
    ++progress_;
  }
  return spread_from(before);
}

std::size_t Matcher::most_likely(std::size_t quantized) const {
  const std::vector<std::size_t>& may_be = states_[quantized].may_be;
  for (const std::string& tensor : value(quantized).floats) {
    const std::optional<std::size_t> named = reference_.value_of(tensor);
    if (named && std::ranges::find(may_be, *named) != may_be.end()) return *named;
  }
  // codes saturate where an activation clips, so that it may be left out
  const bool is_end = value(quantized).is_output || !value(quantized).sides.empty();
  return is_end ? may_be.back() : may_be.front();
}

bool Matcher::choose_only_ones() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q)) continue;
    const std::vector<Candidate> found = candidates(q);
    std::size_t free = 0;
    const Candidate* only = nullptr;
    for (const Candidate& candidate : found) {
      free += free_of_equals(candidate.reference);
      if (only == nullptr && free > 0) only = &candidate;
    }
    if (free != 1 || has_rival(q, only->reference)) continue;
    match(q, next_free(only->reference), only->why);
    spread();
  }
  return spread_from(before);
}

bool Matcher::has_rival(std::size_t quantized, std::size_t reference) {
  for (const FloatView::Operand& operand : op(quantized).operands) {
    if (!operand.value) continue;
    const std::vector<std::size_t>& readers = readers_[value(*operand.value).root];
    if (readers.size() > kMostCandidates) return true;
    for (const std::size_t reader : readers) {
      if (reader != quantized && !ops_[reader] && compare(reader, reference).possible) return true;
    }
  }
  return false;
}

bool Matcher::choose_among_equals() {
  const std::size_t before = progress_;
  for (std::size_t q = 0; q < ops_.size(); ++q) {
    if (is_done(q)) continue;
    const std::vector<Candidate> found = candidates(q);
    if (found.empty() || !found[0].why.complete || found[0].why.disagreements > 0) continue;
    match(q, next_free(found[0].reference), found[0].why);
    spread();
  }
  return spread_from(before);
}

}  // namespace quantlens
