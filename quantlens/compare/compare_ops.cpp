// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/compare/compare_parts.h"
#include "quantlens/compare/match_ops.h"
#include "quantlens/compare/op_network.h"
#include "quantlens/compare/sqnr_difference.h"
#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

/// Figures that are read of equal bits say the same; the last digits are left out.
OpEvidences evidence_of(const RunToCompare& run, bool same_data) {
  OpEvidences all;
  if (!run.records.diagnosis) return all;
  for (const WeightRow& row : run.records.diagnosis->weights)
    all[row.op.id].figures.push_back(row.reference);
  for (auto& [id, evidence] : all) {
    std::ranges::sort(evidence.figures, {}, [](const TensorSummary& of) {
      return std::tuple(of.standard_deviation, of.min, of.max);
    });
    evidence.weights = 1;
    for (const TensorSummary& of : evidence.figures) {
      evidence.weights =
          mixed(evidence.weights, hash_of(fmt::format("{:.5g} {:.5g} {:.5g} {:.5g}", of.min, of.max,
                                                      of.mean, of.standard_deviation)));
    }
  }
  if (!same_data) return all;
  for (const ActivationRow& row : run.records.diagnosis->activations)
    all[row.op.id].activation += hash_of(fmt::format("{:.4g} {:.4g}", row.min, row.max));
  return all;
}

bool is_computed(const OpOutline& op) {
  return op.kind != Kind::constant && op.kind != Kind::identity;
}

OpRef ref_of(const OpOutline& op) {
  return {.id = op.op, .name = op.name};
}

std::vector<LoneOp> lone(const GraphOutline& graph, const std::vector<bool>& taken) {
  std::vector<LoneOp> all;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    if (!taken[i] && is_computed(graph.ops[i]))
      all.push_back({.op = ref_of(graph.ops[i]), .type = graph.ops[i].type});
  }
  return all;
}

void add_op(OpsTogether& ops, SameOp op) {
  ops.by_a.emplace(op.a.id, ops.ops.size());
  ops.by_b.emplace(op.b.id, ops.ops.size());
  ops.ops.push_back(std::move(op));
}

/// By name; those that are left in their order, where as many are left and each looks alike.
void add_inputs(const GraphOutline& a, const GraphOutline& b, OpsTogether& ops) {
  const auto add = [&](const ValueOutline& in_a, const ValueOutline& in_b) {
    ops.inputs.push_back({.a = {.id = in_a.name, .name = in_a.name},
                          .b = {.id = in_b.name, .name = in_b.name},
                          .type = "Input",
                          .by = in_a.name == in_b.name ? OpMatchedBy::id : OpMatchedBy::structure});
  };
  std::vector<const ValueOutline*> left_a, left_b;
  for (const ValueOutline& one : a.inputs) {
    const auto found = std::ranges::find(b.inputs, one.name, &ValueOutline::name);
    if (found != b.inputs.end())
      add(one, *found);
    else
      left_a.push_back(&one);
  }
  for (const ValueOutline& one : b.inputs)
    if (std::ranges::find(a.inputs, one.name, &ValueOutline::name) == a.inputs.end())
      left_b.push_back(&one);
  if (left_a.size() != left_b.size()) return;
  for (std::size_t i = 0; i < left_a.size(); ++i)
    if (left_a[i]->dtype == left_b[i]->dtype) add(*left_a[i], *left_b[i]);
}

/// Whether the run stored anything of single ops.
bool tells_of_ops(const RunToCompare& run) {
  return run.records.diagnosis || run.records.plan || run.records.profile;
}

void match_graphs(const RunToCompare& a, const RunToCompare& b, const Common& common,
                  OpsTogether& ops) {
  const OpEvidences in_a = evidence_of(a, common.data), in_b = evidence_of(b, common.data);
  const std::vector<MatchedPair> matches = common.reference
                                               ? match_same_file(*a.graph, *b.graph)
                                               : match_ops({*a.graph, in_a}, {*b.graph, in_b});
  std::vector<bool> taken_a(a.graph->ops.size()), taken_b(b.graph->ops.size());
  for (const MatchedPair& match : matches) {
    const OpOutline& op = a.graph->ops[match.a];
    add_op(ops,
           {.a = ref_of(op), .b = ref_of(b.graph->ops[match.b]), .type = op.type, .by = match.by});
    taken_a[match.a] = taken_b[match.b] = true;
  }
  ops.only_a = lone(*a.graph, taken_a);
  ops.only_b = lone(*b.graph, taken_b);
  add_inputs(*a.graph, *b.graph, ops);
}

/// Of runs whose graphs are not both there: what their rows name, by id and type. Without wiring
/// nothing else could be believed.
void match_rows(const RunToCompare& a, const RunToCompare& b, OpsTogether& ops) {
  if (!a.records.diagnosis || !b.records.diagnosis) return;
  std::unordered_map<std::string, const ActivationRow*> in_b;
  for (const ActivationRow& row : b.records.diagnosis->activations) in_b.emplace(row.op.id, &row);
  for (const ActivationRow& row : a.records.diagnosis->activations) {
    const auto found = in_b.find(row.op.id);
    if (found == in_b.end() || found->second->type != row.type || ops.by_a.contains(row.op.id))
      continue;
    SameOp op{.a = row.op, .b = found->second->op, .type = row.type, .by = OpMatchedBy::id};
    if (row.type == "Input")
      ops.inputs.push_back(std::move(op));
    else
      add_op(ops, std::move(op));
  }
}

using Precisions = std::unordered_map<std::string, Precision>;

Precisions precisions_of(const RunToCompare& run) {
  Precisions all;
  if (run.records.plan) {
    for (const OpPlan& op : run.records.plan->ops) all.emplace(op.op.id, op.precision);
  }
  if (run.pairing) {
    for (const ValuePair& pair : run.pairing->pairs)
      if (pair.precision) all.insert_or_assign(pair.op.id, *pair.precision);
  }
  return all;
}

std::optional<Precision> precision_in(const Precisions& all, const OpRef& op) {
  const auto found = all.find(op.id);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// The rows of each op, in the order of its outputs where the graph tells it.
using RowsOfOps = std::unordered_map<std::string, std::vector<const ActivationRow*>>;

/// An op that has no row gets that of an Identity behind it, whose value is its own.
void look_through_wires(const GraphOutline& graph, RowsOfOps& rows) {
  const ValueMakers makers(graph);
  for (const OpOutline& op : graph.ops) {
    const auto row = rows.find(op.op);
    if (op.kind != Kind::identity || op.inputs.empty() || row == rows.end()) continue;
    const OpOutline* source = makers.op(op.scope, op.inputs.front());
    if (source == nullptr || source == &op) continue;
    const std::vector<const ActivationRow*> of_wire = row->second;
    rows.try_emplace(source->op, of_wire);
  }
}

RowsOfOps rows_of(const RunToCompare& run) {
  RowsOfOps all;
  if (!run.records.diagnosis) return all;
  for (const ActivationRow& row : run.records.diagnosis->activations)
    all[row.op.id].push_back(&row);
  if (!run.graph) return all;
  look_through_wires(*run.graph, all);
  for (const OpOutline& op : run.graph->ops) {
    const auto found = all.find(op.op);
    if (found == all.end()) continue;
    std::ranges::stable_sort(found->second, {}, [&](const ActivationRow* row) {
      return std::ranges::find(op.outputs, row->value) - op.outputs.begin();
    });
  }
  return all;
}

/// Where the sums of a value are that is only moved: the pair whose elements it has.
using MovedPairs = std::map<std::pair<std::string, std::string>, const ValuePair*>;

MovedPairs moved_pairs(const RunToCompare& run) {
  MovedPairs all;
  if (!run.pairing) return all;
  const std::vector<ValuePair>& pairs = run.pairing->pairs;
  for (const ValuePair& pair : pairs) {
    if (pair.same_as && *pair.same_as < pairs.size())
      all.emplace(std::pair(pair.reference, pair.quantized), &pairs[*pair.same_as]);
  }
  return all;
}

/// Makes the rows of matched ops one by one, and their verdicts together.
class OpComparer {
 public:
  OpComparer(const RunToCompare& a, const RunToCompare& b, bool same_samples)
      : a_(a),
        b_(b),
        same_samples_(same_samples),
        rows_a_(rows_of(a)),
        rows_b_(rows_of(b)),
        moved_a_(moved_pairs(a)),
        moved_b_(moved_pairs(b)),
        precisions_a_(precisions_of(a)),
        precisions_b_(precisions_of(b)) {
    if (!a.graph) return;
    for (const ValueOutline& output : a.graph->outputs) outputs_.insert(output.name);
  }

  void add(const SameOp& op) {
    const auto in_a = rows_a_.find(op.a.id), in_b = rows_b_.find(op.b.id);
    const std::size_t of_a = in_a == rows_a_.end() ? 0 : in_a->second.size();
    const std::size_t of_b = in_b == rows_b_.end() ? 0 : in_b->second.size();
    if (of_a != of_b && of_a > 0 && of_b > 0) {  // which of them belong together is not known
      for (std::size_t i = 0; i < of_a; ++i) add_row(op, in_a->second[i], nullptr);
      for (std::size_t i = 0; i < of_b; ++i) add_row(op, nullptr, in_b->second[i]);
      return;
    }
    for (std::size_t i = 0; i < std::max(of_a, of_b); ++i)
      add_row(op, i < of_a ? in_a->second[i] : nullptr, i < of_b ? in_b->second[i] : nullptr);
  }

  std::vector<ComparedOp> take() {
    const std::vector<ComparisonVerdict> all = verdicts(differences_);
    for (std::size_t i = 0; i < all.size(); ++i) ops_[i].verdict = all[i];
    std::ranges::stable_sort(ops_, {}, [](const ComparedOp& op) {
      const double size = op.difference_db.value_or(0);
      return std::tuple(order_of(op.verdict), std::isnan(size) ? 0 : -std::abs(size));
    });
    return std::move(ops_);
  }

 private:
  static int order_of(ComparisonVerdict verdict) {
    switch (verdict) {
      case ComparisonVerdict::worse:
        return 0;
      case ComparisonVerdict::better:
        return 1;
      case ComparisonVerdict::undecided:
        return 2;
      case ComparisonVerdict::equal:
        return 3;
      case ComparisonVerdict::unknown:
        break;
    }
    return 4;
  }

  void add_row(const SameOp& op, const ActivationRow* a, const ActivationRow* b) {
    ComparedOp row{.a = op.a, .b = op.b, .type = op.type, .matched_by = op.by};
    row.precision_a = precision_in(precisions_a_, op.a);
    row.precision_b = precision_in(precisions_b_, op.b);
    if (a != nullptr) {
      row.value_a = a->value;
      row.is_output = outputs_.contains(a->value);
      row.sqnr_a_db = a->sqnr_db;
      row.output_share_a = a->output_share;
      row.became_nonfinite_a = a->became_nonfinite;
    }
    if (b != nullptr) {
      row.value_b = b->value;
      row.sqnr_b_db = b->sqnr_db;
      row.output_share_b = b->output_share;
      row.became_nonfinite_b = b->became_nonfinite;
    }
    SqnrDifference difference{.db = std::nan("")};
    if (a != nullptr && b != nullptr) {
      difference = difference_of(*a, *b);
      row.difference_db = difference.db;
      row.difference_interval = difference.interval;
      row.paired = difference.paired;
    }
    ops_.push_back(std::move(row));
    differences_.push_back(difference);
  }

  SqnrDifference difference_of(const ActivationRow& a, const ActivationRow& b) const {
    if ((a.became_nonfinite > 0) != (b.became_nonfinite > 0))
      return certain_difference(b.became_nonfinite == 0);
    const auto in_a = find(a_, moved_a_, a), in_b = find(b_, moved_b_, b);
    if (!in_a || !in_b) return sqnr_difference(a.sqnr_db, b.sqnr_db);
    return sqnr_difference(*in_a, *in_b, same_samples_ && a.elements == b.elements);
  }

  /// Only of the figure that the row shows.
  static std::optional<BlockFigure> find(const RunToCompare& run, const MovedPairs& moved,
                                         const ActivationRow& row) {
    if (!run.find_sqnr) return std::nullopt;
    const auto source = moved.find({row.value, row.quantized});
    const auto found = source == moved.end()
                           ? run.find_sqnr(row.value, row.quantized)
                           : run.find_sqnr(source->second->reference, source->second->quantized);
    if (!found || !(std::abs(found->whole - row.sqnr_db) <= 1e-6 || found->whole == row.sqnr_db))
      return std::nullopt;
    return found;
  }

  const RunToCompare& a_;
  const RunToCompare& b_;
  bool same_samples_;
  RowsOfOps rows_a_, rows_b_;
  MovedPairs moved_a_, moved_b_;
  Precisions precisions_a_, precisions_b_;
  std::unordered_set<std::string> outputs_;
  std::vector<ComparedOp> ops_;
  std::vector<SqnrDifference> differences_;
};

}  // namespace

OpsTogether ops_together(const RunToCompare& a, const RunToCompare& b, const Common& common) {
  OpsTogether ops;
  if (!tells_of_ops(a) || !tells_of_ops(b)) return ops;
  if (a.graph && b.graph) {
    match_graphs(a, b, common, ops);
  } else {
    match_rows(a, b, ops);
  }
  return ops;
}

std::vector<ComparedOp> compared_ops(const RunToCompare& a, const RunToCompare& b,
                                     const OpsTogether& ops, const Common& common) {
  const bool same_samples = common.data && a.records.diagnosis && b.records.diagnosis &&
                            a.records.diagnosis->samples == b.records.diagnosis->samples;
  OpComparer comparer(a, b, same_samples);
  for (const SameOp& input : ops.inputs) comparer.add(input);
  for (const SameOp& op : ops.ops) comparer.add(op);
  return comparer.take();
}

}  // namespace quantlens
