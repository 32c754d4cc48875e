// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/profiling/attribute.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/tuning/curve.h"
#include "quantlens/tuning/prices.h"

namespace quantlens {
namespace {

double elements_of(const ValueTypes& types, const std::string& value) {
  const auto found = types.find(value);
  if (found == types.end()) return 0;
  return static_cast<double>(element_count(found->second.shape).value_or(0));
}

bool into_blocks_of(const Node& node) {
  const auto* reorder = role<roles::Reorder>(node);
  return reorder != nullptr && reorder->into_blocks;
}

/// What was seen of conversions, in one run or more.
struct Seen {
  std::vector<Point> quantizers, dequantizers;
  /// Into the layout that float kernels want, out of it, and into or out of that of integer ones.
  std::vector<Point> into_blocks, out_of_blocks, transposes;

  void add(const ProfiledModel& model) {
    for (const NodeTime& time : model.profile.nodes) {
      const Node& node = model.run.nodes[time.position];
      const Point point{elements_of(model.types, op_id(node)), time.mean_us};
      if (time.role == NodeRole::quantize) quantizers.push_back(point);
      if (time.role == NodeRole::dequantize) dequantizers.push_back(point);
      if (time.role == NodeRole::transpose) transposes.push_back(point);
      if (time.role != NodeRole::reorder) continue;
      (into_blocks_of(node) ? into_blocks : out_of_blocks).push_back(point);
    }
  }
};

/// Elements of the reference's values, by the node that makes each op: names may be others in the
/// runtime's graph, and images padded to whole blocks of channels.
class Elements {
 public:
  explicit Elements(const ProfiledModel& reference) : types_(reference.types) {
    const std::vector<Attributed> attributed = attribute(reference.run, reference.file);
    for (std::size_t i = 0; i < attributed.size(); ++i) {
      if (attributed[i].role != NodeRole::op) continue;
      for (const std::size_t op : attributed[i].ops) {
        by_op_[op_id(reference.file.nodes[op])] = op_id(reference.run.nodes[i]);
      }
    }
  }
  double of(const std::string& value) const {
    if (types_.contains(value)) return elements_of(types_, value);
    const auto found = by_op_.find(value);
    return found == by_op_.end() ? 0 : elements_of(types_, found->second);
  }
  bool is_image(const std::string& value) const {
    const auto found = by_op_.find(value);
    const auto type = types_.find(found == by_op_.end() ? value : found->second);
    return type != types_.end() && type->second.shape.size() == 4;
  }

 private:
  const ValueTypes& types_;
  std::unordered_map<std::string, std::string> by_op_;
};

/// Prices each value's conversions by what was seen of others; those of images change the layout,
/// too.
void price_conversions(const Seen& seen, const Elements& elements, Prices& prices) {
  const Curve quantizers(seen.quantizers), dequantizers(seen.dequantizers);
  const Curve into(seen.into_blocks), out(seen.out_of_blocks), transposes(seen.transposes);
  for (ValuePrice& value : prices.values) {
    const double count = elements.of(value.value);
    value.quantize_us = quantizers.at(count);
    value.dequantize_us = dequantizers.at(count);
    if (!elements.is_image(value.value)) continue;
    value.quantize_us += out.at(count) + transposes.at(count);
    value.dequantize_us += into.at(count) + transposes.at(count);
  }
}

/// The values that pass from one group to others, or to and from the outside. What only moves
/// elements is passed through: a runtime moves codes as well as floats.
class Passing {
 public:
  Passing(const Graph& graph, const std::vector<GroupPrice>& groups)
      : graph_(graph), index_(graph), outside_(groups.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const std::string& op : groups[i].ops) group_of_[op] = i;
      const bool moves = std::ranges::all_of(groups[i].ops, [&](const std::string& op) {
        const auto node = index_.producer(op);
        return node && moves_elements(graph.nodes[*node].kind);
      });
      if (moves) moving_.insert(i);
    }
  }

  std::vector<ValuePrice> values() const {
    std::vector<ValuePrice> values;
    for (const ValueInfo& input : graph_.inputs) {
      if (input.dtype == DType::float32) add(input.name, outside_, values);
    }
    for (const Node& node : graph_.nodes) {
      const auto from = group_of_.find(op_id(node));
      if (from == group_of_.end() || moving_.contains(from->second)) continue;
      for (const std::string& output : node.outputs) add(output, from->second, values);
    }
    return values;
  }

 private:
  void add(const std::string& value, std::uint64_t from, std::vector<ValuePrice>& values) const {
    std::set<std::uint64_t> readers;
    add_readers(value, from, readers);
    if (readers.empty()) return;
    values.push_back({.value = value, .from = from, .to = {readers.begin(), readers.end()}});
  }

  void add_readers(const std::string& value, std::uint64_t from,
                   std::set<std::uint64_t>& readers) const {
    std::vector<std::string> open{value};
    std::set<std::string> seen;
    while (!open.empty()) {
      const std::string next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      if (index_.is_output(next)) readers.insert(outside_);
      for (const Use& use : index_.uses(next)) {
        const Node& node = graph_.nodes[use.node];
        const auto group = group_of_.find(op_id(node));
        if (group == group_of_.end() || group->second == from) continue;
        if (moving_.contains(group->second)) {
          open.insert(open.end(), node.outputs.begin(), node.outputs.end());
        } else {
          readers.insert(group->second);
        }
      }
    }
  }

  const Graph& graph_;
  GraphIndex index_;
  std::uint64_t outside_;
  std::unordered_map<std::string, std::uint64_t> group_of_;
  std::set<std::uint64_t> moving_;
};

/// The ops that a model computes in int8.
std::set<std::string> quantized_ops(const std::vector<OpTime>& rows) {
  std::set<std::string> ops;
  for (const OpTime& row : rows) {
    if (!row.quantized) continue;
    for (const OpRef& op : row.ops) ops.insert(op.id);
  }
  return ops;
}

std::vector<GroupPrice> groups_of(const std::vector<OpTime>& rows, const Graph& graph) {
  const GraphIndex index(graph);
  const auto is_max_pool = [&](const OpRef& op) {
    const auto node = index.producer(op.id);
    return node && graph.nodes[*node].kind == Kind::max_pool;
  };
  std::vector<GroupPrice> groups;
  for (const OpTime& row : rows) {
    if (row.ops.empty()) continue;
    groups.push_back({.ops = ids_of(row.ops),
                      .float_us = row.reference_us,
                      .int8_us = row.quantized ? row.quantized_us : row.reference_us,
                      .float_beside_us = row.reference_us,
                      .int8_beside_us = row.quantized ? row.quantized_us : row.reference_us,
                      .seen_in_int8 = row.quantized,
                      .passes_codes = row.quantized && std::ranges::all_of(row.ops, is_max_pool)});
  }
  return groups;
}

/// What a group is, for others like it.
struct GroupKind {
  std::string type;     ///< of its op in the runtime's graph
  double elements = 0;  ///< of what it gives
};

/// Types of the nodes that read codes and give floats.
std::set<std::string> types_that_give_floats(const ProfiledModel& model) {
  const auto is_one_of = [&](const std::string& value, std::initializer_list<DType> dtypes) {
    const auto found = model.types.find(value);
    return found != model.types.end() && std::ranges::count(dtypes, found->second.dtype) > 0;
  };
  std::set<std::string> types;
  for (const NodeTime& time : model.profile.nodes) {
    const Node& node = model.run.nodes[time.position];
    if (time.role != NodeRole::op || node.inputs.empty() || node.outputs.empty()) continue;
    if (is_one_of(node.inputs[0], {DType::int8, DType::uint8}) &&
        is_one_of(node.outputs[0], {DType::float32})) {
      types.insert(time.type);
    }
  }
  return types;
}

/// Marks the groups of all types of which one was seen to give floats.
void mark_floats(const std::vector<GroupKind>& kinds, const std::vector<OpTime>& rows,
                 const std::set<std::string>& node_types, Prices& prices) {
  std::set<std::string> types;
  for (const OpTime& row : rows) {
    const auto gives = [&](const std::string& type) { return node_types.contains(type); };
    if (std::ranges::any_of(row.quantized_nodes, gives)) types.insert(row.type);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    GroupPrice& group = prices.groups[i];
    if (group.seen_in_int8 && types.contains(kinds[i].type)) group.gives_floats = true;
  }
}

/// Learns what groups cost more beside others of the other precision, from a model where many are:
/// of those not seen so by the median of others of their type, an element. It is the kernel that
/// differs there: what it takes less or more goes with the elements that it walks over, not with
/// what the other kernel takes.
class Beside {
 public:
  Beside(Prices& prices, const std::vector<GroupKind>& kinds) : prices_(prices), kinds_(kinds) {}

  void learn(const std::vector<OpTime>& mixed) {
    std::map<std::vector<std::string>, const OpTime*> rows;
    for (const OpTime& row : mixed) rows[ids_of(row.ops)] = &row;
    const std::vector<bool> are_int8 = in_int8(prices_, quantized_ops(mixed));
    const std::vector<bool> beside = beside_others(prices_, are_int8);
    for (std::size_t i = 0; i < beside.size(); ++i) {
      const auto row = rows.find(prices_.groups[i].ops);
      if (beside[i] && row != rows.end()) see(i, are_int8[i], row->second->quantized_us);
    }
    for (std::size_t i = 0; i < beside.size(); ++i) {
      for (const bool int8 : {false, true}) {
        double& us = beside_us(i, int8);
        if (!seen_.contains({i, int8})) us = std::max(0.0, us + more(i, int8));
      }
    }
  }

 private:
  double& beside_us(std::size_t i, bool int8) {
    return int8 ? prices_.groups[i].int8_beside_us : prices_.groups[i].float_beside_us;
  }

  void see(std::size_t i, bool int8, double us) {
    double& beside = beside_us(i, int8);
    const GroupKind& kind = kinds_[i];
    if (kind.elements > 0) more_[{kind.type, int8}].push_back((us - beside) / kind.elements);
    beside = us;
    seen_.insert({i, int8});
  }

  double more(std::size_t i, bool int8) const {
    const auto found = more_.find({kinds_[i].type, int8});
    return found == more_.end() ? 0 : kinds_[i].elements * quantile(found->second, 0.5);
  }

  Prices& prices_;
  const std::vector<GroupKind>& kinds_;
  std::set<std::pair<std::size_t, bool>> seen_;
  std::map<std::pair<std::string, bool>, std::vector<double>> more_;  ///< us an element
};

std::vector<GroupKind> kinds_of(const std::vector<OpTime>& rows, const Elements& elements) {
  std::vector<GroupKind> kinds;
  for (const OpTime& row : rows) {
    if (row.ops.empty()) continue;
    double most = 0;
    for (const OpRef& op : row.ops) most = std::max(most, elements.of(op.id));
    kinds.push_back({row.type, most});
  }
  return kinds;
}

}  // namespace

Prices learn_prices(const ProfiledModel& reference, const PricedModel& quantized,
                    const PricedModel* mixed) {
  const std::vector<OpTime> rows = join(reference, quantized.profiled, quantized.pairing);
  Prices prices{.threads = reference.profile.threads, .groups = groups_of(rows, reference.file)};
  prices.values = Passing(reference.file, prices.groups).values();
  Seen seen;
  seen.add(reference);
  seen.add(quantized.profiled);
  if (mixed != nullptr) seen.add(mixed->profiled);
  const Elements elements(reference);
  price_conversions(seen, elements, prices);
  const std::vector<GroupKind> kinds = kinds_of(rows, elements);
  mark_floats(kinds, rows, types_that_give_floats(quantized.profiled), prices);
  if (mixed != nullptr) {
    const std::vector<OpTime> others = join(reference, mixed->profiled, mixed->pairing);
    mark_floats(kinds, others, types_that_give_floats(mixed->profiled), prices);
    Beside(prices, kinds).learn(others);
  }
  const double in_float = predict_us(prices, {});
  const double in_int8 = predict_us(prices, quantized_ops(rows));
  prices.float_rest_us = reference.profile.wall.median_us - in_float;
  prices.int8_rest_us = quantized.profiled.profile.wall.median_us - in_int8;
  return prices;
}

}  // namespace quantlens
