// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "quantlens/graph/order.h"
#include "quantlens/profiling/attribute.h"
#include "quantlens/tuning/prices.h"

namespace quantlens {
namespace {

/// us = base + each * elements, neither below 0.
struct Line {
  double base = 0;
  double each = 0;
  double at(double elements) const { return base + each * elements; }
};

struct Point {
  double elements = 0;
  double us = 0;
};

/// By least squares of errors relative to `before`, or to `least_us` where that is less.
Line line_relative_to(const Line& before, double least_us, const std::vector<Point>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const auto& [x, y] : points) {
    const double us = std::max(before.at(x), least_us);
    const double weight = 1 / (us * us);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  if (w == 0) return {};
  const double spread = w * wxx - wx * wx;
  Line line;
  if (spread > 1e-9 * w * wxx) line.each = std::max(0.0, (w * wxy - wx * wy) / spread);
  if (line.each == 0 && wxx > 0 && spread <= 1e-9 * w * wxx) line.each = wxy / wxx;
  line.base = std::max(0.0, (wy - line.each * wx) / w);
  return line;
}

/// By least squares of relative errors: small conversions are many, large ones cost. Relative to
/// the line itself, not to what was seen: else the one that came out shortest would decide.
Line line_through(const std::vector<Point>& points) {
  constexpr int kPasses = 20;
  double sum = 0;
  for (const Point& point : points) sum += point.us;
  if (!(sum > 0)) return {};
  const double least_us = 0.01 * sum / static_cast<double>(points.size());
  Line line{.base = sum};
  for (int pass = 0; pass < kPasses; ++pass) line = line_relative_to(line, least_us, points);
  return line;
}

double elements_of(const ValueTypes& types, const std::string& value) {
  const auto found = types.find(value);
  if (found == types.end()) return 0;
  return static_cast<double>(element_count(found->second.shape).value_or(0));
}

/// What was seen of conversions, in one run or more.
struct Conversions {
  std::vector<Point> quantizers;
  std::vector<Point> dequantizers;
  double layout_us = 0;

  void add(const ProfiledModel& model) {
    for (const NodeTime& node : model.profile.nodes) {
      const std::string& output = op_id(model.run.nodes[node.position]);
      const Point point{elements_of(model.types, output), node.mean_us};
      if (node.role == NodeRole::quantize) quantizers.push_back(point);
      if (node.role == NodeRole::dequantize) dequantizers.push_back(point);
    }
  }
};

double layout_us(const ProfiledModel& model) {
  double sum = 0;
  for (const NodeTime& node : model.profile.nodes) {
    const bool is_layout = node.role == NodeRole::reorder || node.role == NodeRole::transpose;
    if (is_layout) sum += node.mean_us;
  }
  return sum;
}

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

/// Prices conversions so that the mixed model's wall time comes out, within reason.
void fit_conversions(Prices& prices, const std::set<std::string>& all, double all_wall,
                     const std::set<std::string>& some, double some_wall) {
  const Sums whole = sums_of(prices, all);
  const Sums part = sums_of(prices, some);
  const double rest = all_wall - whole.groups;  // with the whole's conversions still in it
  const double known = part.groups + prices.float_rest_us * (1 - part.share) + part.share * rest;
  const double weight = part.conversions - part.share * whole.conversions;
  const double factor = weight > 0 ? std::clamp((some_wall - known) / weight, 0.25, 4.0) : 1;
  for (ValuePrice& value : prices.values) {
    value.quantize_us *= factor;
    value.dequantize_us *= factor;
  }
}

}  // namespace

Prices learn_prices(const ProfiledModel& reference, const PricedModel& quantized,
                    const PricedModel* mixed) {
  const std::vector<OpTime> rows = join(reference, quantized.profiled, quantized.pairing);
  Prices prices{.threads = reference.profile.threads, .groups = groups_of(rows)};
  prices.values = Passing(reference.file, prices.groups).values();
  Conversions seen;
  seen.add(quantized.profiled);
  if (mixed != nullptr) seen.add(mixed->profiled);
  const Line quantizers = line_through(seen.quantizers);
  const Line dequantizers = line_through(seen.dequantizers);
  const Elements elements(reference);
  const std::set<std::string> all = quantized_ops(rows);
  const std::set<std::string> some =
      mixed ? quantized_ops(join(reference, mixed->profiled, mixed->pairing))
            : std::set<std::string>();
  for (ValuePrice& value : prices.values) {
    const double count = elements.of(value.value);
    value.quantize_us = quantizers.at(count);
    value.dequantize_us = dequantizers.at(count);
  }
  if (mixed != nullptr) {  // what other layouts cost, shared out over the images that cross
    const double us = layout_us(mixed->profiled) - layout_us(quantized.profiled);
    Prices crossing = prices;
    for (ValuePrice& value : crossing.values) {
      value.quantize_us = value.dequantize_us =
          elements.is_image(value.value) ? elements.of(value.value) : 0;
    }
    const double crossed = sums_of(crossing, some).conversions - sums_of(crossing, all).conversions;
    const double each = crossed > 0 ? std::max(0.0, us / crossed) : 0;
    for (ValuePrice& value : prices.values) {
      if (!elements.is_image(value.value)) continue;
      value.quantize_us += each * elements.of(value.value);
      value.dequantize_us += each * elements.of(value.value);
    }
  }
  prices.float_rest_us = reference.profile.wall.median_us - sums_of(prices, {}).groups;
  const double wall = quantized.profiled.profile.wall.median_us;
  if (mixed != nullptr) {
    fit_conversions(prices, all, wall, some, mixed->profiled.profile.wall.median_us);
  }
  const Sums whole = sums_of(prices, all);
  prices.int8_rest_us = wall - whole.groups - whole.conversions;
  return prices;
}

}  // namespace quantlens
