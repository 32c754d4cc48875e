// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match_structure.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <utility>

#include "quantlens/diagnosis/alike.h"
#include "quantlens/diagnosis/compare_ops.h"
#include "quantlens/diagnosis/duplicates.h"
#include "quantlens/diagnosis/layouts.h"

namespace quantlens {
namespace {

/// How many ops that read one value are held against an op; a value that more read of one kind is
/// left to other evidence.
constexpr std::size_t kMostCandidates = 512;
constexpr std::size_t kMostRounds = 64;
constexpr std::size_t kMostSteps = 6;  ///< back over ops that a kernel may have absorbed

/// What is known of a value of the quantized model.
struct State {
  std::optional<std::size_t> match;  ///< value of the reference
  std::vector<std::size_t> may_be;   ///< while there is no match: in order of flow
  bool confirmed = false;
  bool is_part = false;  ///< stands for nothing by itself: a sum before its bias
};

using Readers = std::vector<std::vector<std::size_t>>;

/// By value: the ops that compute with its elements, moved or not; of equal values by the first.
Readers readers_of_roots(const FloatView& view, const std::vector<std::size_t>& first) {
  Readers readers(view.values().size());
  for (std::size_t op = 0; op < view.ops().size(); ++op) {
    for (const FloatView::Operand& operand : view.ops()[op].operands) {
      if (!operand.value) continue;
      std::vector<std::size_t>& known = readers[first[view.values()[*operand.value].root]];
      if (known.empty() || known.back() != op) known.push_back(op);
    }
  }
  return readers;
}

class Matcher {
 public:
  Matcher(const FloatView& reference, const FloatView& quantized, const Prepared& prepared)
      : reference_(reference),
        quantized_(quantized),
        comparer_(reference, quantized, prepared),
        states_(quantized.values().size()),
        ops_(quantized.ops().size()),
        taken_(reference.ops().size(), 0),
        first_(first_equals(reference)) {
    std::vector<std::size_t> itself(quantized.values().size());
    std::iota(itself.begin(), itself.end(), std::size_t{0});
    readers_ = readers_of_roots(quantized, itself);
    reference_readers_ = readers_of_roots(reference, first_);
    Layouts layouts;
    layouts_ = layouts.of(quantized);
    reference_layouts_ = layouts.of(reference);
  }

  StructureMatch run(const Known& known) {
    for (const auto& [value, reference] : known) confirm_from(value, reference);
    match_inputs();
    spread();
    bool more = true;
    for (std::size_t round = 0; more && round < kMostRounds; ++round) {
      more = begin_at_weights() || begin_at_names() || begin_at_outputs() || choose_in_chains() ||
             choose_only_ones() || choose_among_equals();
    }
    confirm();
    return result();
  }

 private:
  const FloatView::Value& value(std::size_t number) const { return quantized_.values()[number]; }
  const FloatView::Value& reference_value(std::size_t number) const {
    return reference_.values()[number];
  }
  const FloatView::Op& op(std::size_t number) const { return quantized_.ops()[number]; }
  const FloatView::Op& reference_op(std::size_t number) const { return reference_.ops()[number]; }
  bool moves(std::size_t number) const { return only_moves(quantized_.node(op(number))); }

  // ---- what is known of values
  bool are_equal(std::size_t a, std::size_t b) const { return first_[a] == first_[b]; }
  bool fits(std::size_t quantized, std::size_t reference) const {
    const State& state = states_[quantized];
    if (state.match) return are_equal(*state.match, reference);
    return std::ranges::any_of(state.may_be,
                               [&](std::size_t r) { return are_equal(r, reference); });
  }
  bool is_open(std::size_t quantized) const {
    return !states_[quantized].match && states_[quantized].may_be.empty();
  }

  OperandState operand_state(std::size_t quantized, std::size_t reference) const {
    const std::optional<std::size_t>& match = states_[quantized].match;
    if (match && are_equal(*match, reference)) return OperandState::agrees;
    const std::size_t root = value(quantized).root;
    const std::size_t reference_root = reference_value(reference).root;
    if (is_open(root)) return OperandState::open;
    if (!fits(root, reference_root)) return OperandState::contradicts;
    const bool same_layout = layouts_[quantized] == reference_layouts_[reference];
    return same_layout ? OperandState::agrees : OperandState::agrees_moved;
  }

  /// Of an op that moves elements: what it reads must be known itself, not only its root.
  OperandState mover_state(std::size_t quantized, std::size_t reference) const {
    if (is_open(quantized)) return OperandState::open;
    return fits(quantized, reference) ? OperandState::agrees : OperandState::contradicts;
  }

  OpComparison compare(std::size_t quantized, std::size_t reference) {
    const bool is_mover = moves(quantized);
    return comparer_.compare(op(quantized), reference_op(reference),
                             [&](std::size_t q, std::size_t r) {
                               return is_mover ? mover_state(q, r) : operand_state(q, r);
                             });
  }

  void settle(std::size_t quantized, std::size_t reference) {
    State& state = states_[quantized];
    if (state.match || state.is_part) return;
    state.match = reference;
    state.may_be.clear();
    changed_.push_back(quantized);
  }

  /// Known from outside of the graphs.
  void confirm_from(std::size_t quantized, std::size_t reference) {
    if (!states_[quantized].match) states_[quantized].confirmed = true;
    settle(quantized, reference);
  }

  /// The value is one of the chain's.
  void offer(std::size_t quantized, std::vector<std::size_t> chain) {
    State& state = states_[quantized];
    if (state.match || !state.may_be.empty() || state.is_part) return;
    if (chain.size() == 1) return settle(quantized, chain[0]);
    state.may_be = std::move(chain);
    changed_.push_back(quantized);
  }

  // ---- matching an op
  void match(std::size_t quantized, std::size_t reference, const OpComparison& why) {
    ops_[quantized] = OpMatch{.reference = reference, .swapped = why.swapped};
    ++taken_[reference];
    ++progress_;
    match_operands(quantized, reference, why);
    const std::vector<std::optional<std::size_t>>& outputs = op(quantized).outputs;
    const std::vector<std::optional<std::size_t>>& of_reference = reference_op(reference).outputs;
    for (std::size_t k = 0; k < std::min(outputs.size(), of_reference.size()); ++k) {
      if (!outputs[k] || !of_reference[k]) continue;
      if (moves(quantized) && why.disagreements > 0) continue;  // moved to other places
      std::vector<std::size_t> chain = absorbed_chain(reference_, *of_reference[k]);
      drop_folded(quantized, reference, why, chain);
      offer(*outputs[k], std::move(chain));
    }
  }

  /// What the op surely contains is not what its output may be.
  void drop_folded(std::size_t quantized, std::size_t reference, const OpComparison& why,
                   std::vector<std::size_t>& chain) {
    const auto kind_of = [&](std::size_t number) {
      return reference_op(*reference_value(number).producer).kind;
    };
    if (why.folded && chain.size() > 1 && kind_of(chain[1]) == Kind::batch_norm)
      chain.erase(chain.begin());
    const bool gains_bias = has_bias(op(quantized)) && !has_bias(reference_op(reference));
    if (gains_bias && chain.size() > 1 && kind_of(chain[1]) == Kind::add)
      chain.erase(chain.begin());
  }

  static bool has_bias(const FloatView::Op& op) {
    return op.operands.size() > 2 && op.operands[2].constant;
  }

  void match_operands(std::size_t quantized, std::size_t reference, const OpComparison& why) {
    const std::vector<FloatView::Operand>& operands = op(quantized).operands;
    const std::vector<FloatView::Operand>& others = reference_op(reference).operands;
    for (std::size_t i = 0; i < std::min(operands.size(), others.size()); ++i) {
      const FloatView::Operand& other = others[why.swapped ? 1 - i : i];
      if (operands[i].value && other.value) match_operand(*operands[i].value, *other.value);
    }
  }

  /// Two operands of matched ops: their roots are the same, and so is all between, as far as the
  /// same was done to both.
  void match_operand(std::size_t quantized, std::size_t reference) {
    const std::size_t root = value(quantized).root;
    if (layouts_[quantized] != reference_layouts_[reference]) {
      // one of the models moves elements where the other does not
      if (fits(root, reference_value(reference).root))
        settle(root, reference_value(reference).root);
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
    settle(root, reference_value(reference).root);
  }

  /// A value further up that has the same layout, where ops between undo each other.
  static std::optional<std::size_t> earlier_in(const FloatView& view,
                                               const std::vector<std::size_t>& layouts,
                                               std::size_t number) {
    std::size_t at = number;
    for (std::size_t step = 0; step < kMostSteps && view.values()[at].root != at; ++step) {
      at = before(view, at);
      if (layouts[at] == layouts[number]) return at;
    }
    return std::nullopt;
  }

  /// Matches the ops that made the two, unless they move elements to other places.
  bool match_mover(std::size_t quantized, std::size_t reference) {
    const std::size_t number = *value(quantized).producer;
    const std::size_t other = *reference_value(reference).producer;
    if (ops_[number]) return ops_[number]->reference == other;
    const OpComparison why =
        comparer_.compare(op(number), reference_op(other),
                          [](std::size_t, std::size_t) { return OperandState::open; });
    if (!why.possible || why.disagreements > 0) return false;
    ops_[number] = OpMatch{.reference = other};
    ++taken_[other];
    ++progress_;
    return true;
  }

  /// What a moved value is moved from, by one op.
  static std::size_t before(const FloatView& view, std::size_t number) {
    return *view.ops()[*view.values()[number].producer].operands[0].value;
  }
  /// Whether a moved value only has another name or float format.
  static bool is_copy(const FloatView& view, std::size_t number) {
    const FloatView::Op& maker = view.ops()[*view.values()[number].producer];
    return family(view.node(maker), maker.kind) == Kind::identity;
  }

  // ---- spreading from what is known
  void match_inputs() {
    const auto& inputs = quantized_.inputs();
    const auto& others = reference_.inputs();
    for (std::size_t i = 0; i < std::min(inputs.size(), others.size()); ++i)
      confirm_from(*inputs[i], *others[i]);  // a Run feeds them by position
  }

  void spread() {
    while (!changed_.empty()) {
      const std::size_t number = changed_.front();
      changed_.pop_front();
      if (states_[number].match) match_producer(number, *states_[number].match);
      if (value(number).root == number) {
        for (const std::size_t reader : readers_[number]) match_forward(reader);
      }
      for (const FloatView::Reader& reader : value(number).readers) match_forward(reader.op);
    }
  }

  struct Candidate {
    std::size_t reference = 0;
    OpComparison why;
  };

  /// The ops of the reference that read what this one reads, as far as known.
  std::vector<Candidate> candidates(std::size_t number) {
    std::vector<std::size_t> readers;
    std::optional<std::size_t> fewest;
    for (const FloatView::Operand& operand : op(number).operands) {
      if (!operand.value) continue;
      const std::size_t root = value(*operand.value).root;
      std::vector<std::size_t> may_be = states_[root].may_be;
      if (states_[root].match) may_be = {*states_[root].match};
      std::size_t count = 0;
      for (const std::size_t r : may_be)
        count += reference_readers_[first_[reference_value(r).root]].size();
      if (may_be.empty() || (fewest && count >= *fewest)) continue;
      fewest = count;
      readers.clear();
      for (const std::size_t r : may_be) {
        const auto& of_root = reference_readers_[first_[reference_value(r).root]];
        readers.insert(readers.end(), of_root.begin(), of_root.end());
      }
    }
    std::vector<Candidate> found;
    std::size_t looked_at = 0;
    for (const std::size_t reader : readers) {
      if (!alike(quantized_, op(number), reference_, reference_op(reader))) continue;
      if (taken_[reader] > 0 && readers.size() > kMostCandidates) continue;
      if (++looked_at > kMostCandidates) return {};
      OpComparison why = compare(number, reader);
      if (!why.possible) continue;
      if (taken_[reader] > 0) why.score -= 0.25;
      why.score += name_bonus(number, reader);
      found.push_back({reader, why});
    }
    std::ranges::stable_sort(found, [](const Candidate& a, const Candidate& b) {
      if (a.why.disagreements != b.why.disagreements)
        return a.why.disagreements < b.why.disagreements;
      return a.why.score > b.why.score;
    });
    return found;
  }

  /// Equal names decide between ops that nothing else tells apart.
  double name_bonus(std::size_t quantized, std::size_t reference) const {
    const Node& node = quantized_.node(op(quantized));
    const Node& other = reference_.node(reference_op(reference));
    double bonus = !node.name.empty() && node.name == other.name ? 0.01 : 0;
    if (!node.outputs.empty() && node.outputs == other.outputs) bonus += 0.02;
    return bonus;
  }

  void match_forward(std::size_t number) {
    if (ops_[number]) return;
    const std::vector<Candidate> found = candidates(number);
    const bool any = !found.empty() && found[0].why.complete && found[0].why.disagreements == 0;
    if (!any) return match_late_bias(number);
    constexpr double kNearly = 1e-9;
    const bool tie = found.size() > 1 && found[1].why.disagreements == 0 &&
                     found[1].why.score > found[0].why.score - kNearly;
    if (!tie) match(number, found[0].reference, found[0].why);
  }

  /// A bias that the quantized model adds behind an op which in the reference has it inside.
  void match_late_bias(std::size_t number) {
    const FloatView::Op& add = op(number);
    if (add.kind != Kind::add || add.operands.size() != 2 || add.outputs.empty()) return;
    const FloatView::Operand& first = add.operands[add.operands[0].value ? 0 : 1];
    const FloatView::Operand& second = add.operands[add.operands[0].value ? 1 : 0];
    if (!first.value || !second.constant || !add.outputs[0]) return;
    const std::size_t sum = *first.value;
    const std::optional<std::size_t> producer = value(sum).producer;
    if (!producer || !ops_[*producer] || has_bias(op(*producer)) || value(sum).root != sum) return;
    const FloatView::Op& whole = reference_op(ops_[*producer]->reference);
    if (!has_bias(whole) || whole.outputs.empty() || !whole.outputs[0]) return;
    State& state = states_[sum];
    state = {.match = {}, .may_be = {}, .confirmed = false, .is_part = true};
    ops_[number] = OpMatch{.reference = ops_[*producer]->reference};
    ++progress_;
    offer(*add.outputs[0], absorbed_chain(reference_, *whole.outputs[0]));
  }

  /// From a value to the op that makes it, and so to its operands.
  void match_producer(std::size_t quantized, std::size_t reference) {
    const std::optional<std::size_t> producer = value(quantized).producer;
    if (!producer || ops_[*producer]) return;
    std::size_t at = reference;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      const std::optional<std::size_t> other = reference_value(at).producer;
      if (!other) return;
      if (alike(quantized_, op(*producer), reference_, reference_op(*other)) &&
          value(quantized).output == reference_value(at).output) {
        const OpComparison why = compare(*producer, *other);
        if (why.possible && why.disagreements == 0) match(*producer, *other, why);
        return;
      }
      const std::optional<std::size_t> earlier = before_absorbed(*other);
      if (!earlier) return;
      at = *earlier;
    }
  }

  /// What an op of the reference reads that a kernel may do together with the one before.
  std::optional<std::size_t> before_absorbed(std::size_t number) const {
    for (const FloatView::Operand& operand : reference_op(number).operands) {
      if (!operand.value) continue;
      const std::optional<std::size_t> producer = reference_value(*operand.value).producer;
      if (producer && may_absorb(reference_, reference_op(*producer), reference_op(number)))
        return operand.value;
    }
    return std::nullopt;
  }

  // ---- beginning anew
  /// Spreads what a beginning has found; says whether there was anything.
  bool spread_from(std::size_t progress_before) {
    const bool any = progress_ > progress_before || !changed_.empty();
    spread();
    return any;
  }

  bool begin_at_weights() {
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
      const Sketch* folded = comparer_.folded_weight(o);
      const Sketch* sketch =
          folded != nullptr ? folded : weight(reference_, comparer_.reference_sketches(), o);
      if (sketch != nullptr) buckets[{kind(o), sketch->count}].first.push_back({r, sketch});
    }
    for (std::size_t q = 0; q < quantized_.ops().size(); ++q) {
      if (ops_[q]) continue;
      const Sketch* sketch = weight(quantized_, comparer_.quantized_sketches(), op(q));
      if (sketch != nullptr) buckets[{kind(op(q)), sketch->count}].second.push_back({q, sketch});
    }
    for (const auto& [key, bucket] : buckets) {
      for (const auto& [r, q] : best_counterparts(bucket.first, bucket.second)) {
        const OpComparison why = compare(q, r);
        if (why.possible && why.disagreements == 0) match(q, r, why);
      }
    }
    return spread_from(before);
  }

  /// The telling weight of an op that has one.
  static const Sketch* weight(const FloatView& view, Sketches& sketches, const FloatView::Op& o) {
    const bool has_weight = o.kind == Kind::conv || o.kind == Kind::conv_transpose ||
                            o.kind == Kind::matmul || o.kind == Kind::gemm;
    if (!has_weight || o.operands.size() < 2 || !o.operands[1].constant) return nullptr;
    const Sketch* sketch = sketches.of(*o.operands[1].constant, OpComparer::is_swapped(view, o, 1));
    return sketch != nullptr && is_telling(*sketch) ? sketch : nullptr;
  }

  bool begin_at_names() {
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

  /// Whether nothing speaks against values of one name being the same.
  bool may_share_name(std::size_t quantized, std::size_t reference) {
    const std::optional<std::size_t> producer = value(quantized).producer;
    const std::optional<std::size_t> other = reference_value(reference).producer;
    if (!producer || !other) return !producer && !other;
    if (ops_[*producer]) return false;  // its output would be known
    std::size_t at = *other;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      if (alike(quantized_, op(*producer), reference_, reference_op(at))) {
        const OpComparison why = compare(*producer, at);
        return why.possible && why.disagreements == 0;
      }
      const std::optional<std::size_t> earlier = before_absorbed(at);
      if (!earlier || !reference_value(*earlier).producer) break;
      at = *reference_value(*earlier).producer;
    }
    // one op for a function that the other model has in parts, or the other way round
    return is_whole_function(op(*producer).kind) || is_whole_function(reference_op(*other).kind);
  }

  static bool is_whole_function(Kind kind) {
    return kind == Kind::other || kind == Kind::layer_norm || kind == Kind::instance_norm ||
           kind == Kind::gelu || kind == Kind::hard_swish || kind == Kind::batch_norm;
  }

  bool begin_at_outputs() {
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

  /// Values whose readers do not tell which of a chain they are.
  bool choose_in_chains() {
    const std::size_t before = progress_;
    for (std::size_t q = 0; q < states_.size(); ++q) {
      if (states_[q].may_be.empty()) continue;
      settle(q, most_likely(q));
      ++progress_;
    }
    return spread_from(before);
  }

  std::size_t most_likely(std::size_t quantized) const {
    const std::vector<std::size_t>& may_be = states_[quantized].may_be;
    for (const std::string& tensor : value(quantized).floats) {
      const std::optional<std::size_t> named = reference_.value_of(tensor);
      if (named && std::ranges::find(may_be, *named) != may_be.end()) return *named;
    }
    // codes saturate where an activation clips, so that it may be left out
    const bool is_end = value(quantized).is_output || !value(quantized).sides.empty();
    return is_end ? may_be.back() : may_be.front();
  }

  /// Ops of which there is but one on each side, though not all of them agrees or is known.
  bool choose_only_ones() {
    const std::size_t before = progress_;
    for (std::size_t q = 0; q < ops_.size(); ++q) {
      if (ops_[q]) continue;
      const std::vector<Candidate> found = candidates(q);
      std::size_t free = 0;
      const Candidate* only = nullptr;
      for (const Candidate& candidate : found) {
        if (taken_[candidate.reference] > 0) continue;
        ++free;
        if (only == nullptr) only = &candidate;
      }
      if (free != 1 || has_rival(q, only->reference)) continue;
      match(q, only->reference, only->why);
      spread();
    }
    return spread_from(before);
  }

  /// Whether another op of the quantized model could be the reference's just as well.
  bool has_rival(std::size_t quantized, std::size_t reference) {
    for (const FloatView::Operand& operand : op(quantized).operands) {
      if (!operand.value) continue;
      const std::vector<std::size_t>& readers = readers_[value(*operand.value).root];
      if (readers.size() > kMostCandidates) return true;
      for (const std::size_t reader : readers) {
        if (reader != quantized && !ops_[reader] && compare(reader, reference).possible)
          return true;
      }
    }
    return false;
  }

  /// Ops that compute the same from the same: which is which makes no difference.
  bool choose_among_equals() {
    const std::size_t before = progress_;
    for (std::size_t q = 0; q < ops_.size(); ++q) {
      if (ops_[q]) continue;
      const std::vector<Candidate> found = candidates(q);
      if (found.empty() || !found[0].why.complete || found[0].why.disagreements > 0) continue;
      match(q, found[0].reference, found[0].why);
      spread();
    }
    return spread_from(before);
  }

  // ---- what can be relied upon
  /// Goes over all matched ops in order of flow, once all is known that will be.
  void confirm() {
    std::vector<std::optional<OpComparison>> why(ops_.size());
    for (std::size_t q = 0; q < ops_.size(); ++q) {
      if (!ops_[q]) continue;
      why[q] = compare(q, ops_[q]->reference);
      if (!why[q]->possible || !why[q]->telling || why[q]->disagreements > 0) continue;
      for (const FloatView::Operand& operand : op(q).operands) {
        if (operand.value) states_[value(*operand.value).root].confirmed = true;
      }
    }
    std::vector<bool> confirmed(ops_.size(), false);
    for (std::size_t q = 0; q < ops_.size(); ++q) {
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

  bool operands_confirmed(std::size_t quantized) const {
    return std::ranges::all_of(op(quantized).operands, [&](const FloatView::Operand& operand) {
      return !operand.value || states_[value(*operand.value).root].confirmed;
    });
  }

  /// The op that, with this one, computes one of the reference's.
  std::optional<std::size_t> inner_of_late_bias(std::size_t number) const {
    for (const FloatView::Operand& operand : op(number).operands) {
      if (operand.value && states_[*operand.value].is_part) return value(*operand.value).producer;
    }
    return std::nullopt;
  }

  StructureMatch result() const {
    StructureMatch found;
    for (const State& state : states_) {
      found.values.push_back(state.match ? std::optional(ValueMatch{*state.match, state.confirmed})
                                         : std::nullopt);
    }
    found.ops = ops_;
    return found;
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  OpComparer comparer_;
  std::vector<State> states_;                // by value of the quantized model
  std::vector<std::optional<OpMatch>> ops_;  // by op of the quantized model
  std::vector<std::size_t> taken_;           // by op of the reference: matches
  std::vector<std::size_t> first_;           // by value of the reference: its first equal
  Readers readers_, reference_readers_;
  std::vector<std::size_t> layouts_, reference_layouts_;
  std::deque<std::size_t> changed_;  // values to go on from
  std::set<std::size_t> named_;      // values of the reference found by name
  std::size_t progress_ = 0;         // ops and values matched so far
  bool weights_tried_ = false;
};

}  // namespace

StructureMatch match_structure(const FloatView& reference, const FloatView& quantized,
                               const Prepared& prepared, const Known& known) {
  return Matcher(reference, quantized, prepared).run(known);
}

}  // namespace quantlens
