// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "quantlens/graph/order.h"
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
      (node.type == "ReorderInput" ? into_blocks : out_of_blocks).push_back(point);
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
    if (row.quantized) ops.insert(row.ops.begin(), row.ops.end());
  }
  return ops;
}

std::vector<GroupPrice> groups_of(const std::vector<OpTime>& rows) {
  std::vector<GroupPrice> groups;
  for (const OpTime& row : rows) {
    if (row.ops.empty()) continue;
    groups.push_back({.ops = row.ops,
                      .float_us = row.reference_us,
                      .int8_us = row.quantized ? row.quantized_us : row.reference_us,
                      .float_beside_us = row.reference_us,
                      .int8_beside_us = row.quantized ? row.quantized_us : row.reference_us,
                      .seen_in_int8 = row.quantized});
  }
  return groups;
}

/// The prices' own sums for a mix, without what is not in them.
struct Sums {
  double groups = 0;
  double conversions = 0;
  double share = 0;  ///< of the groups that may be in int8, those that are
};

Sums sums_of(const Prices& prices, const std::set<std::string>& quantized) {
  Prices bare = prices;
  bare.float_rest_us = bare.int8_rest_us = 0;
  Prices kernels = bare;
  kernels.values.clear();
  Sums sums;
  sums.groups = predict_us(kernels, quantized);
  sums.conversions = predict_us(bare, quantized) - sums.groups;
  double seen = 0;
  double are = 0;
  for (const GroupPrice& group : prices.groups) {
    if (!group.seen_in_int8) continue;
    ++seen;
    are += std::ranges::any_of(group.ops, [&](const auto& op) { return quantized.contains(op); });
  }
  sums.share = seen > 0 ? are / seen : 0;
  return sums;
}

/// Learns what groups cost beside others of the other precision, from a model where many are: of
/// those not seen so by the median ratio of others of their type. `types`: of each group.
class Beside {
 public:
  Beside(Prices& prices, const std::vector<std::string>& types) : prices_(prices), types_(types) {}

  void learn(const std::vector<OpTime>& mixed) {
    std::map<std::vector<std::string>, const OpTime*> rows;
    for (const OpTime& row : mixed) rows[row.ops] = &row;
    const std::set<std::string> ops = quantized_ops(mixed);
    std::vector<bool> in_int8;
    for (const GroupPrice& group : prices_.groups) {
      const auto is_int8 = [&](const std::string& op) { return ops.contains(op); };
      in_int8.push_back(std::ranges::any_of(group.ops, is_int8));
    }
    const std::vector<bool> beside = beside_others(prices_, in_int8);
    for (std::size_t i = 0; i < in_int8.size(); ++i) {
      const auto row = rows.find(prices_.groups[i].ops);
      if (beside[i] && row != rows.end()) see(i, in_int8[i], row->second->quantized_us);
    }
    for (std::size_t i = 0; i < in_int8.size(); ++i) {
      GroupPrice& group = prices_.groups[i];
      if (!seen_.contains({i, false})) group.float_beside_us *= ratio(types_[i], false);
      if (!seen_.contains({i, true})) group.int8_beside_us *= ratio(types_[i], true);
    }
  }

 private:
  void see(std::size_t i, bool int8, double us) {
    GroupPrice& group = prices_.groups[i];
    double& beside = int8 ? group.int8_beside_us : group.float_beside_us;
    if (beside > 0) ratios_[{types_[i], int8}].push_back(us / beside);
    beside = us;
    seen_.insert({i, int8});
  }

  double ratio(const std::string& type, bool int8) const {
    const auto found = ratios_.find({type, int8});
    return found == ratios_.end() ? 1 : quantile(found->second, 0.5);
  }

  Prices& prices_;
  const std::vector<std::string>& types_;
  std::set<std::pair<std::size_t, bool>> seen_;
  std::map<std::pair<std::string, bool>, std::vector<double>> ratios_;
};

std::vector<std::string> types_of(const std::vector<OpTime>& rows) {
  std::vector<std::string> types;
  for (const OpTime& row : rows) {
    if (!row.ops.empty()) types.push_back(row.type);
  }
  return types;
}

}  // namespace

Prices learn_prices(const ProfiledModel& reference, const PricedModel& quantized,
                    const PricedModel* mixed) {
  const std::vector<OpTime> rows = join(reference, quantized.profiled, quantized.pairing);
  Prices prices{.threads = reference.profile.threads, .groups = groups_of(rows)};
  prices.values = Passing(reference.file, prices.groups).values();
  Seen seen;
  seen.add(reference);
  seen.add(quantized.profiled);
  if (mixed != nullptr) seen.add(mixed->profiled);
  price_conversions(seen, Elements(reference), prices);
  const std::vector<std::string> types = types_of(rows);
  if (mixed != nullptr) {
    Beside(prices, types).learn(join(reference, mixed->profiled, mixed->pairing));
  }
  const std::set<std::string> all = quantized_ops(rows);
  prices.float_rest_us = reference.profile.wall.median_us - sums_of(prices, {}).groups;
  const double wall = quantized.profiled.profile.wall.median_us;
  const Sums whole = sums_of(prices, all);
  prices.int8_rest_us = wall - whole.groups - whole.conversions;
  return prices;
}

}  // namespace quantlens
