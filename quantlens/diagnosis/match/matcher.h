// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/match/compare_ops.h"
#include "quantlens/diagnosis/match/match_structure.h"

namespace quantlens {

/// How many ops that read one value are held against an op; a value that more read of one kind is
/// left to other evidence.
inline constexpr std::size_t kMostCandidates = 128;
inline constexpr std::size_t kMostSteps = 6;  ///< back over ops that a kernel may have absorbed

/// The work of match_structure: what is known so far, and how more follows from it. matcher.cpp
/// goes from what is known to its neighbours, match_tails.cpp tells how much of a chain is folded
/// into an op, match_begin.cpp finds where to begin anew, match_structure.cpp has the order of it
/// all.
class Matcher {
 public:
  Matcher(const FloatView& reference, const FloatView& quantized);
  StructureMatch run(const Known& known);

 private:
  using Readers = std::vector<std::vector<std::size_t>>;

  /// What is known of a value of the quantized model.
  struct State {
    std::optional<std::size_t> match;  ///< value of the reference
    std::vector<std::size_t> may_be;   ///< while there is no match: in order of flow
    bool confirmed = false;
    bool is_part = false;  ///< stands for nothing by itself: a sum before its bias
  };
  const FloatView::Value& value(std::size_t number) const { return quantized_.values()[number]; }
  const FloatView::Value& reference_value(std::size_t number) const {
    return reference_.values()[number];
  }
  const FloatView::Op& op(std::size_t number) const { return quantized_.ops()[number]; }
  const FloatView::Op& reference_op(std::size_t number) const { return reference_.ops()[number]; }
  bool moves(std::size_t number) const { return only_moves(quantized_.node(op(number))); }

  // ---- what is known of values
  bool are_equal(std::size_t a, std::size_t b) const { return first_[a] == first_[b]; }
  bool fits(std::size_t quantized, std::size_t reference) const;
  bool is_open(std::size_t quantized) const {
    return !states_[quantized].match && states_[quantized].may_be.empty();
  }
  OperandState operand_state(std::size_t quantized, std::size_t reference) const;
  /// Of an op that moves elements: what it reads must be known itself, not only its root.
  OperandState mover_state(std::size_t quantized, std::size_t reference) const;
  OpComparison compare(std::size_t quantized, std::size_t reference);
  void settle(std::size_t quantized, std::size_t reference);
  /// Known from outside of the graphs.
  void confirm_from(std::size_t quantized, std::size_t reference);
  /// The value is one of the chain's.
  void offer(std::size_t quantized, std::vector<std::size_t> chain);

  // ---- matching an op
  void match(std::size_t quantized, std::size_t reference, const OpComparison& why);
  /// An op that contains a bias gives no value before it.
  void drop_unbiased(std::size_t quantized, std::size_t reference,
                     std::vector<std::size_t>& chain) const;
  static bool has_bias(const FloatView::Op& op) {
    return op.at.bias && *op.at.bias < op.operands.size() && op.operands[*op.at.bias].constant;
  }
  void match_operands(std::size_t quantized, std::size_t reference, const OpComparison& why);
  /// Two operands of matched ops: their roots are the same, and so is all between, as far as the
  /// same was done to both.
  void match_operand(std::size_t quantized, std::size_t reference);
  /// A value further up that has the same layout, where ops between undo each other.
  static std::optional<std::size_t> earlier_in(const FloatView& view,
                                               const std::vector<std::size_t>& layouts,
                                               std::size_t number);
  /// Matches the ops that made the two, unless they move elements to other places.
  bool match_mover(std::size_t quantized, std::size_t reference);
  /// What a moved value is moved from, by one op.
  static std::size_t before(const FloatView& view, std::size_t number);
  /// Whether a moved value only has another name or float format.
  static bool is_copy(const FloatView& view, std::size_t number);

  // ---- spreading from what is known
  void match_inputs();
  void spread();
  struct Candidate {
    std::size_t reference = 0;
    OpComparison why;
  };
  /// The ops of the reference of this one's kind that read what one of its operands stands for, the
  /// one with the fewest readers; none where there are too many. Of equal ops the first.
  std::vector<std::size_t> readers_of_the_same(std::size_t number) const;
  /// Those that may be the op, the best first.
  std::vector<Candidate> candidates(std::size_t number);
  void take(std::size_t reference);
  /// How many of the ops that compute the same as this one are not matched yet.
  std::size_t free_of_equals(std::size_t reference) const;
  /// The first of them; the op itself where there is none.
  std::size_t next_free(std::size_t reference);
  /// One of them whose output has the same name: names decide where nothing else does.
  std::optional<std::size_t> named_alike(std::size_t quantized, std::size_t reference) const;
  bool is_done(std::size_t number) const { return ops_[number] || limits_.contains(number); }
  void match_forward(std::size_t number);

  // ---- chains of constants behind an op with a weight
  /// What an op of the quantized model has for a weight and a bias.
  WeightAndBias figures(std::size_t quantized, const OutputChannels& channels, bool swapped);
  /// The output of a matched op is what it and so many links make as its weight and bias say.
  void offer_tail(std::size_t quantized, std::size_t reference, const Tail& tail);
  /// What the op and these numbers of links make, and what may be absorbed behind the last one.
  std::vector<std::size_t> values_after(const Tail& tail,
                                        const std::vector<std::size_t>& fits) const;
  void offer_links(std::size_t quantized, const Tail& tail, std::size_t links);
  /// The matched op without a bias whose result this one adds constants to.
  std::optional<std::size_t> adds_late(std::size_t number) const;
  /// What the quantized model adds behind an op which in the reference has it inside, or which
  /// holds factors of what is behind it there: both together are one of the reference's.
  bool match_late(std::size_t number);
  /// Of such two: how many links they are, and which of these is this op.
  std::optional<std::pair<std::size_t, std::size_t>> late_fit(std::size_t number, std::size_t inner,
                                                              const Tail& tail);
  void take_late(std::size_t number, std::size_t inner, std::size_t reference);
  /// StructureMatch::folded
  std::vector<std::string> folded() const;

  /// A Clip that holds codes to fewer than their format has, where the reference has none: what it
  /// gives is still the value that it reads.
  void match_limit(std::size_t number);
  /// Whether an op clips codes, and the reference has no Clip or Relu in this place.
  bool only_limits_codes(std::size_t number, bool has_candidates) const;
  bool clips(const FloatView::Op& o) const;
  /// The op of the reference that the op which makes a value would compute, were this the value:
  /// one of its kind, perhaps before some that it absorbs.
  std::optional<std::size_t> counterpart_of_producer(std::size_t quantized,
                                                     std::size_t reference) const;
  /// Whether a value cannot be this one, as it is made in another way.
  bool is_refuted(std::size_t quantized, std::size_t reference);
  /// From a value to the op that makes it, and so to its operands.
  void match_producer(std::size_t quantized, std::size_t reference);
  /// What an op of the reference reads that a kernel may do together with the one before.
  std::optional<std::size_t> before_absorbed(std::size_t number) const;

  // ---- beginning anew
  /// Spreads what a beginning has found; says whether there was anything.
  bool spread_from(std::size_t progress_before);
  bool begin_at_weights();
  /// Drops those (op of the reference, op of the quantized model) whose names, in a file where more
  /// names agree with weights than not, say that two weights were exchanged.
  void drop_exchanged(std::vector<std::pair<std::size_t, std::size_t>>& pairs) const;
  /// The telling weight of an op that has one.
  static const Sketch* weight(const FloatView& view, Sketches& sketches, const FloatView::Op& o);
  bool begin_at_names();
  /// Whether nothing speaks against values of one name being the same.
  bool may_share_name(std::size_t quantized, std::size_t reference);
  static bool is_whole_function(Kind kind);
  bool begin_at_outputs();
  /// Values whose readers do not tell which of a chain they are.
  bool choose_in_chains();
  std::size_t most_likely(std::size_t quantized) const;
  /// Ops of which there is but one on each side, though not all of them agrees or is known.
  bool choose_only_ones();
  /// Whether another op of the quantized model could be the reference's just as well.
  bool has_rival(std::size_t quantized, std::size_t reference);
  /// Ops that compute the same from the same: which is which makes no difference.
  bool choose_among_equals();

  /// Ops that a fault has made unlike: of their kind they alone read what the reference's reads,
  /// but by a weight beyond recognition, or by two operands in the other order.
  bool choose_surrounded();
  /// Ops matched by weights that agree well: while they are more than the damaged ones, the two
  /// files are of one network.
  std::size_t count_of_telling();
  std::optional<Candidate> surrounded(std::size_t number);
  /// Ops that read another value than the reference's: what reads them, or their name, tells.
  bool choose_rewired();
  /// Values that the quantized model multiplies by constants and only reads as codes, where the
  /// reference reads what is multiplied: they stand for it, and the weight should take them back.
  bool choose_multiplied();
  /// Whether an op reads the one whose counterpart, or one of its kind that may be it, reads the
  /// other.
  bool is_read_alike(std::size_t quantized, std::size_t reference) const;
  /// The op of the reference whose result this one gives, as is known, or as matched readers take
  /// it.
  std::optional<std::size_t> wanted_below(std::size_t number) const;
  /// Kinds and constants alone.
  OpComparison compare_constants_alone(std::size_t quantized, std::size_t reference);
  OpComparison compare_damaged(std::size_t quantized, std::size_t reference);

  // ---- what can be relied upon
  /// Goes over all matched ops in order of flow, once all is known that will be.
  void confirm();
  bool operands_confirmed(std::size_t quantized) const;
  /// The op that, with this one, computes one of the reference's.
  std::optional<std::size_t> inner_of_late_bias(std::size_t number) const;
  StructureMatch result() const;

  const FloatView& reference_;
  const FloatView& quantized_;
  OpComparer comparer_;
  std::vector<State> states_;                 // by value of the quantized model
  std::vector<std::optional<OpMatch>> ops_;   // by op of the quantized model
  std::vector<std::size_t> taken_;            // by op of the reference: matches
  std::vector<std::size_t> first_;            // by value of the reference: its first equal
  std::vector<std::size_t> first_op_;         // by op of the reference: likewise
  Readers equal_ops_;                         // by first op: all that compute the same
  std::vector<std::size_t> taken_of_equals_;  // how many of them are matched
  std::vector<std::size_t> next_of_equals_;   // all before it in that list are matched
  Readers readers_, reference_readers_;
  std::vector<std::size_t> layouts_, reference_layouts_;
  std::deque<std::size_t> changed_;          // values to go on from
  std::set<std::size_t> named_;              // values of the reference found by name
  std::set<std::size_t> limits_;             // ops that only hold codes to fewer
  std::set<std::size_t> damaged_;            // ops matched by what surrounds them alone
  std::map<std::size_t, std::size_t> late_;  // ops and what they add to, one of the reference's
  std::size_t progress_ = 0;                 // ops and values matched so far
  bool weights_tried_ = false;
};

}  // namespace quantlens
