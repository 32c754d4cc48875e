// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/changes/changed_attributes.h"
#include "quantlens/diagnosis/changes/changed_codes.h"
#include "quantlens/diagnosis/changes/changed_constants.h"
#include "quantlens/diagnosis/changes/compared_weights.h"
#include "quantlens/diagnosis/changes/gemm_factors.h"
#include "quantlens/diagnosis/changes/replaced_ops.h"
#include "quantlens/diagnosis/match/named_ops.h"
#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/diagnosis/view/code_reach.h"
#include "quantlens/diagnosis/view/stored_bias.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

class ChangeFinder {
 public:
  ChangeFinder(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
               const StructureMatch& match)
      : reference_(reference),
        quantized_(quantized),
        prepared_(prepared),
        match_(match),
        named_(reference, quantized),
        weights_(reference, quantized),
        found_(reference.ops().size()) {
    const Graph& graph = reference.index().graph();
    for (const Pattern& pattern : prepared.patterns) {
      for (const std::size_t member : pattern.members) {
        anchor_[member] = pattern.anchor;
        end_[member] = op_id(graph.nodes[pattern.members.back()]);
      }
    }
  }

  std::vector<Change> run() {
    for (std::size_t q = 0; q < match_.ops.size(); ++q) {
      if (!match_.ops[q]) continue;
      find_attributes(q, match_.ops[q]->reference);
      find_bounds(q, match_.ops[q]->reference);
      find_exchange(q, match_.ops[q]->reference);
      if (match_.ops[q]->rewired) find_rewiring(q, match_.ops[q]->reference);
      find_dropped(q, match_.ops[q]->reference);
      find_lost_bias(q, match_.ops[q]->reference);
      find_taken_weight(q, match_.ops[q]->reference);
    }
    for (const SharedChange& one :
         shared_changes(changed_constants(reference_, quantized_, prepared_, match_))) {
      add_constant(one);
    }
    for (CodeChange& one : changed_codes(reference_, quantized_, match_, anchor_))
      take(std::move(one));
    for (const ReplacedOp& one : replaced_ops(reference_, quantized_, match_)) {
      if (found_[one.reference].empty()) add(one.reference, ChangeRule::changed_op, {one.how});
    }
    std::vector<Change> changes;
    for (std::vector<Change>& of_op : found_) std::ranges::move(of_op, std::back_inserter(changes));
    std::ranges::move(elsewhere_, std::back_inserter(changes));
    return changes;
  }

 private:
  const Node& node(std::size_t r) const { return reference_.node(reference_.ops()[r]); }
  OpRef ref(std::size_t r) const { return ref_of(node(r)); }

  void add(std::size_t r, ChangeRule rule, Statements reasons, std::string weight = {}) {
    const std::size_t number = reference_.ops()[r].node;
    std::vector<OpRef> ops{ref(r)};
    const auto anchor = anchor_.find(number);
    if (anchor != anchor_.end() && anchor->second != number)
      ops.push_back(ref_of(reference_.index().graph().nodes[anchor->second]));
    const auto end = end_.find(number);
    found_[r].push_back({.rule = rule,
                         .op = ref(r),
                         .ops = std::move(ops),
                         .value = end == end_.end() ? op_id(node(r)) : end->second,
                         .weight = std::move(weight),
                         .reasons = std::move(reasons)});
  }

  /// One constant that several ops read is one change.
  void add_constant(const SharedChange& shared) {
    const ChangedConstant& one = shared.first;
    const FloatView::Op& op = reference_.ops()[one.op];
    const bool is_weight = multiplies_by_weight(op.kind) || op.kind == Kind::gather;
    const std::string name =
        one.operand < node(one.op).inputs.size() ? node(one.op).inputs[one.operand] : "";
    Statement begin{"changed_constant",
                    {{"constant", figure::text(is_weight ? "weight" : "constant")}}};
    if (!shared.others.empty()) begin.figures["ops"] = figure::count(1 + shared.others.size());
    add(one.op, is_weight ? ChangeRule::changed_weight : ChangeRule::changed_op,
        {std::move(begin), one.change.how, {"changed_constant.beyond_codes", {}}}, name);
    for (const std::size_t other : shared.others) found_[one.op].back().ops.push_back(ref(other));
  }

  // ---- attributes
  bool reads_pad(const FloatView& view, const FloatView::Op& op) const {
    return !op.operands.empty() && op.operands[0].value &&
           view.values()[*op.operands[0].value].producer &&
           view.ops()[*view.values()[*op.operands[0].value].producer].kind == Kind::pad;
  }

  /// Bounds of a Clip; a Relu, or codes that end there, may stand for one.
  void find_bounds(std::size_t q, std::size_t r) {
    constexpr double kEqual = 0.01;
    const FloatView::Op& after = quantized_.ops()[q];
    if (reference_.ops()[r].kind != Kind::clip || after.kind != Kind::clip) return;
    const auto is = clip_bounds(quantized_.index(), quantized_.node(after));
    const auto was = clip_bounds(reference_.index(), node(r));
    if (!is || !was) return;
    const auto differ = [](double a, double b) {
      return a != b && std::abs(a - b) > kEqual * std::max(std::abs(a), std::abs(b));
    };
    if (!differ(is->low, was->low) && !differ(is->high, was->high)) return;
    add(r, ChangeRule::changed_op,
        {{"changed_op.bounds",
          {{"is", figure::numbers({is->low, is->high})},
           {"was", figure::numbers({was->low, was->high})}}}});
  }

  void find_attributes(std::size_t q, std::size_t r) {
    const FloatView::Op& before = reference_.ops()[r];
    const FloatView::Op& after = quantized_.ops()[q];
    if (reads_pad(reference_, before) || reads_pad(quantized_, after)) return;
    const GemmFactors factors = gemm_factors(reference_, before, quantized_, after, prepared_);
    if (!factors.changes.empty()) {
      has_other_factors_.insert(r);
      add(r, ChangeRule::changed_op, listed(factors.changes));
    }
    const Statements changes = changed_attributes(node(r), quantized_.node(after));
    if (changes.empty()) return;
    Statements reasons = listed(changes);
    reasons.insert(reasons.begin(), {"changed_op.of_attributes", {}});
    add(r, ChangeRule::changed_op, std::move(reasons));
  }

  /// With a statement between each two that parts them.
  static Statements listed(const Statements& statements) {
    Statements all;
    for (const Statement& one : statements) {
      if (!all.empty()) all.push_back({"and", {}});
      all.push_back(one);
    }
    return all;
  }

  // ---- operands
  void find_exchange(std::size_t q, std::size_t r) {
    const FloatView::Op& op = quantized_.ops()[q];
    if (!match_.ops[q]->swapped || commutes(op) || op.operands.size() != 2) return;
    add(r, ChangeRule::changed_op, {{"changed_op.inputs_exchanged", {}}});
  }

  /// What kernels do together with the op before: find_dropped judges those that clip.
  static bool may_be_part_of_another(Kind kind) {
    return kind == Kind::relu || kind == Kind::clip || kind == Kind::batch_norm ||
           kind == Kind::add;
  }

  /// Whether constants beside it may hold what op `r` does: that is compared where they are.
  bool is_folded(std::size_t r) const { return prepared_.folds.contains(op_id(node(r))); }

  /// Whether op `r` changes nothing: adds or takes off 0, multiplies or divides by 1. Optimizers
  /// leave it out.
  bool is_neutral(std::size_t r) const {
    const Kind kind = reference_.ops()[r].kind;
    const bool is_sum = kind == Kind::add || kind == Kind::sub;
    if (!is_sum && kind != Kind::mul && kind != Kind::div) return false;
    const bool is_ordered = kind == Kind::sub || kind == Kind::div;
    for (std::size_t i = is_ordered ? 1 : 0; i < node(r).inputs.size(); ++i) {
      const Tensor* constant = constant_input(prepared_, reference_.index(), node(r), i);
      if (constant == nullptr || !is_float(constant->dtype())) continue;
      const Tensor floats = to_float32(*constant);
      const float neutral = is_sum ? 0 : 1;
      return std::ranges::all_of(floats.data<float>(),
                                 [&](float value) { return value == neutral; });
    }
    return false;
  }

  // ---- weights
  void find_taken_weight(std::size_t q, std::size_t r) {
    const std::optional<std::size_t> owner = weights_.other_owner(q, r);
    if (!owner) return;
    add(r, ChangeRule::changed_weight,
        {{"changed_weight.of_another", {{"op", figure::op(ref(*owner))}}}}, weight_of(node(r)));
  }

  void find_rewiring(std::size_t q, std::size_t r) {
    const auto& operands = quantized_.ops()[q].operands;
    const auto& others = reference_.ops()[r].operands;
    for (std::size_t i = 0; i < std::min(operands.size(), others.size()); ++i) {
      const std::size_t at = match_.ops[q]->swapped && i < 2 ? 1 - i : i;
      if (!operands[i].value || !others[at].value) continue;
      const auto& match = match_.values[quantized_.values()[*operands[i].value].root];
      const std::size_t wanted = reference_.values()[*others[at].value].root;
      if (!match || !match->confirmed || match->reference == wanted) continue;
      const auto maker = reference_.values()[wanted].producer;
      if (!maker || may_be_part_of_another(reference_.ops()[*maker].kind) || is_folded(*maker) ||
          is_neutral(*maker) || weights_.hold_factor_of(*maker, q, r) ||
          named_.reads(r, at, *others[at].value))
        continue;
      const bool is_left_out = std::ranges::any_of(
          reference_.ops()[*maker].operands, [&](const FloatView::Operand& operand) {
            return operand.value && reference_.values()[*operand.value].root == match->reference;
          });
      if (is_left_out && !named_.of(*maker)) {
        add(*maker, ChangeRule::changed_op, {{"left_out", {{"reader", figure::op(ref(r))}}}});
      } else {
        const bool is_another_result = reference_.values()[match->reference].producer == maker;
        add(r, ChangeRule::changed_op,
            {{is_another_result ? "changed_op.another_result" : "changed_op.another_input",
              {{"op", figure::op(ref(*maker))}}}});
        if (is_another_result) found_[r].back().ops.push_back(ref(*maker));
      }
    }
  }

  // ---- activations
  /// Bounds of a Relu or Clip.
  std::optional<ClipBounds> bounds_of(std::size_t r) const {
    if (reference_.ops()[r].kind == Kind::relu) return ClipBounds{.low = 0};
    return clip_bounds(reference_.index(), node(r));
  }

  /// Activations behind op `r` that its counterpart's value stands for, and that nothing clips.
  void find_dropped(std::size_t q, std::size_t r) {
    constexpr double kRounding = 2;  // steps
    const FloatView::Op& op = quantized_.ops()[q];
    if (op.outputs.empty() || !op.outputs[0] || reference_.ops()[r].outputs.empty()) return;
    if (fuses_activation(quantized_.node(op))) return;
    const auto& match = match_.values[*op.outputs[0]];
    if (!match || !reference_.ops()[r].outputs[0]) return;
    const FloatView::Value& value = quantized_.values()[*op.outputs[0]];
    if (family(quantized_.node(op), op.kind) == Kind::relu) return;
    std::size_t at = match->reference;
    const std::size_t own = *reference_.ops()[r].outputs[0];
    for (std::size_t step = 0; step < 4 && at != own; ++step) {
      const auto maker = reference_.values()[at].producer;
      if (!maker || reference_.ops()[*maker].operands.empty()) return;
      const Kind kind = reference_.ops()[*maker].kind;
      if (kind == Kind::relu || kind == Kind::clip) {
        const auto bounds = bounds_of(*maker);
        const double beyond = bounds ? steps_beyond(value, *bounds) : 0;
        if (beyond > kRounding) {
          Statement gone{"changed_op.no_activation",
                         {{"type", figure::text(node(*maker).type)}, {"op", figure::op(ref(r))}}};
          add_reach(value, gone);
          add(*maker, ChangeRule::changed_op, {std::move(gone)});
        }
      } else if (is_function(kind) && !is_folded(*maker) && !named_.of(*maker)) {
        add(*maker, ChangeRule::changed_op, {{"left_out.behind", {{"op", figure::op(ref(r))}}}});
      }
      const auto& operands = reference_.ops()[*maker].operands;
      const auto data = std::ranges::find_if(
          operands, [](const FloatView::Operand& operand) { return operand.value.has_value(); });
      if (data == operands.end()) return;
      at = *data->value;
    }
  }

  // ---- biases
  /// All codes or floats of a constant are 0.
  static bool is_zero(const FloatView::Constant& constant) {
    if (constant.stored == nullptr || constant.stored->size() == 0) return false;
    const Tensor values = to_float32(*constant.stored);
    const auto zero = [&](std::size_t i) {
      if (!constant.codes || constant.is_computed) return 0.0F;
      const auto& params = constant.codes->params;
      return static_cast<float>(params[params.size() == 1 ? 0 : i % params.size()].zero_point);
    };
    const auto numbers = values.data<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != zero(i)) return false;
    }
    return true;
  }

  /// Whether the nearest code of each element is that of 0.
  static bool rounds_to_zero(const Tensor& floats, const FloatView::Constant& constant) {
    if (!constant.codes || constant.is_computed) return false;
    const std::vector<QParams>& params = constant.codes->params;
    const auto numbers = floats.data<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float step = params[params.size() == 1 ? 0 : i % params.size()].scale;
      if (std::isfinite(numbers[i]) && std::abs(numbers[i]) > 0.5F * step) return false;
    }
    return true;
  }

  void find_lost_bias(std::size_t q, std::size_t r) {
    const FloatView::Op& op = quantized_.ops()[q];
    const FloatView::Constant* after =
        multiplies_by_weight(op.kind) ? quantized_.constant_bias(op) : nullptr;
    const auto input = bias_input(node(r));
    if (after == nullptr || !input || !is_zero(*after)) return;
    const Tensor* before = constant_input(prepared_, reference_.index(), node(r), *input);
    if (before == nullptr || !is_float(before->dtype()) || before->size() == 0) return;
    const Tensor floats = to_float32(*before);
    const auto is_no_loss = [](float value) { return value == 0 || !std::isfinite(value); };
    if (std::ranges::all_of(floats.data<float>(), is_no_loss)) return;
    if (rounds_to_zero(floats, *after) || is_added_later(op)) return;
    add(r, ChangeRule::lost_bias,
        {{"lost_bias.all_zero",
          {{"elements", figure::count(static_cast<std::uint64_t>(before->size()))}}}},
        bias_of(node(r)));
  }

  bool is_added_later(const FloatView::Op& op) const {
    return !op.outputs.empty() && op.outputs[0] &&
           std::ranges::any_of(quantized_.values()[*op.outputs[0]].readers,
                               [&](const FloatView::Reader& reader) {
                                 const FloatView::Op& next = quantized_.ops()[reader.op];
                                 return next.kind == Kind::add && next.operands.size() == 2 &&
                                        next.operands[1 - reader.operand].constant;
                               });
  }

  // ---- codes
  void take(CodeChange&& one) {
    if (!one.op) return elsewhere_.push_back(std::move(one.change));
    if (has_other_factors_.contains(*one.op) && one.unless) return;
    std::vector<Change>& known = found_[*one.op];
    const auto is_told = [&](const Change& change) { return change.rule == one.unless; };
    if (std::ranges::none_of(known, is_told)) known.push_back(std::move(one.change));
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const Prepared& prepared_;
  const StructureMatch& match_;
  NamedOps named_;
  ComparedWeights weights_;
  std::set<std::size_t> has_other_factors_;    // ops whose alpha or beta is another one
  std::map<std::size_t, std::size_t> anchor_;  // by number of the node
  std::map<std::size_t, std::string> end_;     // likewise: the pattern's activation
  std::vector<std::vector<Change>> found_;     // by op of the reference
  std::vector<Change> elsewhere_;
};

}  // namespace

void find_changes(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
                  const StructureMatch& match, Pairing& pairing) {
  pairing.changes = ChangeFinder(reference, quantized, prepared, match).run();
}

}  // namespace quantlens
