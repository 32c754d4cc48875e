// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/join.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/order.h"
#include "quantlens/profiling/attribute.h"
#include "quantlens/profiling/pair/causes.h"
#include "quantlens/profiling/pair/counterparts.h"
#include "quantlens/profiling/pair/groups.h"

namespace quantlens {
namespace {

using Numbers = std::vector<std::size_t>;

/// One model's run, told in ops of the reference.
struct Told {
  const ProfiledModel& model;
  std::vector<Attributed> attributed;
  std::vector<Numbers> caused_by;     ///< of each node: op nodes of the run
  std::vector<Numbers> ops;           ///< of each op node: nodes of the reference's file
  std::vector<const NodeTime*> time;  ///< of each node
};

Told told_of(const ProfiledModel& model,
             const std::function<std::optional<std::size_t>(std::size_t)>& to_reference) {
  Told side{model, attribute(model.run, model.file), {}, {}, {}};
  side.caused_by = causes(model.run, side.attributed);
  side.ops.resize(model.run.nodes.size());
  side.time.resize(model.run.nodes.size());
  for (const NodeTime& node : model.profile.nodes) side.time.at(node.position) = &node;
  for (std::size_t i = 0; i < side.ops.size(); ++i) {
    if (side.attributed[i].role != NodeRole::op) continue;
    std::set<std::size_t> ops;
    for (const std::size_t op : side.attributed[i].ops) {
      if (const auto number = to_reference(op)) ops.insert(*number);
    }
    side.ops[i].assign(ops.begin(), ops.end());
  }
  return side;
}

/// Rows by group; the last is of what belongs to no op.
class Rows {
 public:
  Rows(const Graph& reference, const Told& floats, const Told& codes)
      : groups_(reference.nodes.size()) {
    for (const Told* side : {&floats, &codes}) {
      for (const Numbers& ops : side->ops) {
        if (!ops.empty()) groups_.unite(ops);
        named_.insert(ops.begin(), ops.end());
      }
    }
    join_folded(reference, codes);
    for (const std::size_t op : named_) {
      OpTime& row = rows_[groups_.find(op)];
      row.ops.push_back(ref_of(reference.nodes[op]));
    }
  }

  /// The rows that a node's time goes to, in equal parts.
  std::vector<OpTime*> of(const Told& side, std::size_t node) {
    std::set<std::size_t> groups;
    for (const std::size_t cause : side.caused_by[node]) {
      if (!side.ops[cause].empty()) groups.insert(groups_.find(side.ops[cause].front()));
    }
    std::vector<OpTime*> found;
    found.reserve(groups.size());
    for (const std::size_t group : groups) found.push_back(&rows_.at(group));
    if (found.empty()) found.push_back(&nobodys_);
    return found;
  }

  std::vector<OpTime> take() {
    std::vector<OpTime> all;
    all.reserve(rows_.size() + 1);
    for (auto& [group, row] : rows_) all.push_back(std::move(row));
    if (nobodys_.reference_us + nobodys_.quantized_us + nobodys_.conversion_us +
            nobodys_.layout_us >
        0) {
      all.push_back(std::move(nobodys_));
    }
    for (OpTime& row : all) {
      row.gain_us = row.reference_us - row.quantized_us - row.conversion_us - row.layout_us;
    }
    std::ranges::stable_sort(all, {}, &OpTime::gain_us);
    return all;
  }

 private:
  /// What no node of the quantized run computes was folded, into what reads it where that is one.
  void join_folded(const Graph& reference, const Told& codes) {
    std::set<std::size_t> computed;
    for (const Numbers& ops : codes.ops) computed.insert(ops.begin(), ops.end());
    const GraphIndex index(reference);
    for (const std::size_t op : named_) {
      if (computed.contains(op)) continue;
      std::set<std::size_t> readers;
      for (const std::string& output : reference.nodes[op].outputs) {
        for (const Use& use : index.uses(output)) readers.insert(use.node);
      }
      if (readers.size() == 1) groups_.unite(Numbers{op, *readers.begin()});
    }
  }

  Groups groups_;  // that become one row
  std::set<std::size_t> named_;
  std::map<std::size_t, OpTime> rows_;
  OpTime nobodys_;
};

/// Ops of the file whose first input is dequantized, and whose result nothing but a quantizer
/// reads: a runtime is to compute them in integers.
std::vector<bool> wrapped_ops(const Graph& file) {
  const GraphIndex index(file);
  std::vector<bool> wrapped(file.nodes.size());
  for (std::size_t i = 0; i < wrapped.size(); ++i) {
    const Node& node = file.nodes[i];
    if (uses_codes(node.kind) || node.inputs.empty() || node.outputs.empty()) continue;
    const auto before = index.producer(node.inputs[0]);
    wrapped[i] = before && file.nodes[*before].kind == Kind::dequantize &&
                 is_read_as_codes(index, node.outputs[0]);
  }
  return wrapped;
}

/// An integer op, or one that moves or pools codes.
bool reads_codes(const ProfiledModel& model, const Node& node) {
  if (uses_codes(node.kind)) return true;
  const auto type = node.inputs.empty() ? model.types.end() : model.types.find(node.inputs[0]);
  return type != model.types.end() &&
         (type->second.dtype == DType::int8 || type->second.dtype == DType::uint8);
}

double& part_of(OpTime& row, NodeRole role) {
  switch (role) {
    case NodeRole::op:
      return row.quantized_us;
    case NodeRole::quantize:
    case NodeRole::dequantize:
      return row.conversion_us;
    default:
      return row.layout_us;
  }
}

void add_reference(const Told& side, Rows& rows) {
  std::map<const OpTime*, double> longest;
  for (std::size_t i = 0; i < side.time.size(); ++i) {
    const std::vector<OpTime*> targets = rows.of(side, i);
    const double share = side.time[i]->mean_us / static_cast<double>(targets.size());
    for (OpTime* row : targets) {
      row->reference_us += share;
      if (side.attributed[i].role != NodeRole::op) continue;
      row->reference_nodes.push_back(side.time[i]->type);
      if (row->type.empty() || share > longest[row]) {
        row->type = side.model.run.nodes[i].type;
        longest[row] = share;
      }
    }
  }
}

void add_quantized(const Told& side, Rows& rows) {
  const std::vector<bool> wrapped = wrapped_ops(side.model.file);
  for (std::size_t i = 0; i < side.time.size(); ++i) {
    const NodeRole role = side.attributed[i].role;
    const std::vector<OpTime*> targets = rows.of(side, i);
    for (OpTime* row : targets) {
      part_of(*row, role) += side.time[i]->mean_us / static_cast<double>(targets.size());
      if (role != NodeRole::op) continue;
      row->quantized_nodes.push_back(side.time[i]->type);
      if (reads_codes(side.model, side.model.run.nodes[i])) row->quantized = true;
      for (const std::size_t op : side.attributed[i].ops)
        row->wrapped = row->wrapped || wrapped[op];
      if (row->type.empty()) row->type = side.model.run.nodes[i].type;
    }
  }
}

/// A runtime moves quantizers before a maximum pool and dequantizers behind it.
void name_readers_of_pools(const Graph& reference, std::vector<OpTime>& rows) {
  const GraphIndex index(reference);
  const auto is_pool = [&](const OpRef& op) {
    const auto node = index.producer(op.id);
    return node && reference.nodes[*node].kind == Kind::max_pool;
  };
  for (OpTime& row : rows) {
    if (!row.quantized || row.ops.empty() || !std::ranges::all_of(row.ops, is_pool)) continue;
    for (const OpRef& op : row.ops) {
      for (const Use& use : index.uses(op.id)) {
        row.passed_to.push_back(ref_of(reference.nodes[use.node]));
      }
    }
  }
}

}  // namespace

std::vector<OpTime> join(const ProfiledModel& reference, const ProfiledModel& quantized,
                         const Pairing& pairing) {
  const auto found = counterparts(reference.file, quantized.file, pairing);
  const Told floats = told_of(reference, [](std::size_t op) { return std::optional(op); });
  const Told codes = told_of(quantized, [&](std::size_t op) { return found[op]; });
  Rows rows(reference.file, floats, codes);
  add_reference(floats, rows);
  add_quantized(codes, rows);
  std::vector<OpTime> told = rows.take();
  name_readers_of_pools(reference.file, told);
  return told;
}

}  // namespace quantlens
