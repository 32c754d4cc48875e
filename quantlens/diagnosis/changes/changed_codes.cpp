// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_codes.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "quantlens/diagnosis/changes/misscaled_bias.h"
#include "quantlens/diagnosis/changes/unequal_codes.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

class CodesFinder {
 public:
  CodesFinder(const FloatView& reference, const FloatView& quantized, const StructureMatch& match,
              const std::map<std::size_t, std::size_t>& anchors)
      : reference_(reference), quantized_(quantized), match_(match), anchors_(anchors) {
    for (std::size_t q = 0; q < match.ops.size(); ++q) {
      if (match.ops[q]) op_of_node_.emplace(quantized.ops()[q].node, match.ops[q]->reference);
    }
  }

  std::vector<CodeChange> run() {
    find_unequal();
    find_misscaled();
    return std::move(found_);
  }

 private:
  using Ops = std::vector<OpRef>;

  const Node& node(std::size_t r) const { return reference_.node(reference_.ops()[r]); }

  static void add_op(Ops& ops, const OpRef& op) {
    const auto is_known = [&](const OpRef& one) { return is_same_op(one, op); };
    if (std::ranges::none_of(ops, is_known)) ops.push_back(op);
  }

  const Node& anchor_of(std::size_t r) const {
    const std::size_t number = reference_.ops()[r].node;
    const auto anchor = anchors_.find(number);
    return reference_.index().graph().nodes[anchor == anchors_.end() ? number : anchor->second];
  }

  std::optional<std::size_t> reference_of(std::size_t value) const {
    const auto& match = match_.values[value];
    return match ? std::optional(match->reference) : std::nullopt;
  }

  /// The op that computes a value of the reference, whether its elements are moved or not.
  std::optional<std::size_t> maker_of(std::size_t value) const {
    return reference_.values()[reference_.values()[value].root].producer;
  }

  /// Who makes and who moves a value; of an input its name.
  Ops ops_at(std::size_t value) const {
    Ops ops;
    const std::vector<std::string>& floats =
        reference_.values()[reference_.values()[value].root].floats;
    if (const auto maker = maker_of(value)) {
      add_op(ops, ref_of(anchor_of(*maker)));
      add_op(ops, ref_of(node(*maker)));
    } else if (!floats.empty()) {
      add_op(ops, {.id = floats.front(), .name = floats.front()});
    }
    if (const auto& mover = reference_.values()[value].producer) add_op(ops, ref_of(node(*mover)));
    return ops;
  }

  void add(std::optional<std::size_t> value, Ops ops, Statement reason,
           std::optional<ChangeRule> unless = {}) {
    Change change{.rule = ChangeRule::unequal_codes,
                  .op = {},
                  .ops = std::move(ops),
                  .value = {},
                  .weight = {},
                  .reasons = {std::move(reason)}};
    std::optional<std::size_t> maker;
    if (value) {
      maker = maker_of(*value);
      const std::vector<std::string>& floats = reference_.values()[*value].floats;
      if (!floats.empty()) change.value = floats.front();
    }
    change.op = maker ? ref_of(anchor_of(*maker)) : change.ops.front();
    found_.push_back({.op = maker, .change = std::move(change), .unless = unless});
  }

  // ---- written and read
  Ops readers_of(const UnequalCodes& one) const {
    Ops ops;
    for (const std::size_t reader : one.nodes) {
      const auto r = op_of_node_.find(reader);
      add_op(ops, r == op_of_node_.end()
                      ? OpRef{.id = {}, .name = op_name(quantized_.index().graph().nodes[reader])}
                      : ref_of(node(r->second)));
    }
    return ops;
  }

  void find_unequal() {
    const std::vector<UnequalCodes> all = unequal_codes(quantized_);
    std::set<std::size_t> told;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (told.contains(i)) continue;
      const auto partner = partner_of(all, i);
      if (partner) told.insert(*partner);
      add_unequal(all[i], partner.has_value());
    }
  }

  /// The one that the same op reads with the figures of this one, and the other way round.
  static std::optional<std::size_t> partner_of(const std::vector<UnequalCodes>& all,
                                               std::size_t i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (!all[i].nodes.empty() && all[k].nodes == all[i].nodes &&
          mean_the_same(all[k].read, all[i].written) && mean_the_same(all[i].read, all[k].written))
        return k;
    }
    return {};
  }

  void add_unequal(const UnequalCodes& one, bool is_exchange) {
    const Ops readers = readers_of(one);
    Statement reason{is_exchange ? "unequal_codes.exchanged" : "unequal_codes", {}};
    add_params("written", one.written, one.read, reason);
    add_params("read", one.read, one.written, reason);
    if (!readers.empty()) reason.figures["reader"] = figure::op(readers.front());
    if (!is_exchange && readers.size() > 1) {
      reason.figures["other_readers"] = figure::count(readers.size() - 1);
    }
    const auto value = reference_of(one.value);
    Ops ops = value ? ops_at(*value) : Ops{};
    if (ops.empty()) ops.push_back({.id = {}, .name = one.tensor});
    // what all read otherwise than it was written is told of who wrote it
    if (readers.empty() || (one.by_all && !is_exchange)) {
      for (const OpRef& reader : readers) add_op(ops, reader);
      return add(value, std::move(ops), std::move(reason));
    }
    Ops first = readers;
    for (const OpRef& op : ops) add_op(first, op);
    add(value, std::move(first), std::move(reason));
  }

  // ---- codes and the bias behind them
  void find_misscaled() {
    for (const MisscaledBias& one : misscaled_biases(quantized_)) {
      const auto& op = match_.ops[one.op];
      if (!op) continue;
      Ops ops{ref_of(node(op->reference))};
      const auto value = reference_of(one.value);
      const Ops makers = value ? ops_at(*value) : Ops{};
      for (const OpRef& maker : makers) add_op(ops, maker);
      Statement reason{"unequal_codes.of_bias",
                       {{"step", figure::number(one.step)},
                        {"product_step", figure::number(one.step * one.factor)},
                        {"times", figure::number(one.factor)}}};
      if (!makers.empty()) reason.figures["input"] = figure::op(makers.front());
      const std::size_t output = *reference_.ops()[op->reference].outputs.front();
      add(output, std::move(ops), std::move(reason), ChangeRule::changed_weight);
    }
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const StructureMatch& match_;
  const std::map<std::size_t, std::size_t>& anchors_;
  std::unordered_map<std::size_t, std::size_t> op_of_node_;  // node of quantized: op of reference
  std::vector<CodeChange> found_;
};

}  // namespace

std::vector<CodeChange> changed_codes(const FloatView& reference, const FloatView& quantized,
                                      const StructureMatch& match,
                                      const std::map<std::size_t, std::size_t>& anchors) {
  return CodesFinder(reference, quantized, match, anchors).run();
}

}  // namespace quantlens
