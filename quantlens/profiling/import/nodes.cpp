// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/nodes.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/profiling/import/events.h"

namespace quantlens::imports {
namespace {

constexpr std::string_view kUnknownType = "unknown";

struct TypeRole {
  std::string_view type;
  NodeRole role;
};

constexpr TypeRole kRoles[] = {
    {"QuantizeLinear", NodeRole::quantize},     {"QuantizeV2", NodeRole::quantize},
    {"DequantizeLinear", NodeRole::dequantize}, {"Dequantize", NodeRole::dequantize},
    {"ReorderInput", NodeRole::reorder},        {"ReorderOutput", NodeRole::reorder},
};

NodeRole role_of(std::string_view type) {
  const auto* const at = std::ranges::find(kRoles, type, &TypeRole::type);
  return at == std::end(kRoles) ? NodeRole::op : at->role;
}

std::string_view cut(std::string_view text) {
  return text.substr(0, Nodes::kMostText);
}

/// What a device took for the executions of a node, of which it may see several parts.
void add_beside(ImportedNode& node, std::size_t kind) {
  const Times& times = node.times[kind];
  NodeTime& row = node.row;
  row.cpu_us += times.cpu_us;
  row.accelerator_us += times.accelerator_us;
  row.total_us = row.cpu_us + row.accelerator_us;
  if (row.runs == 0) {
    row.runs = times.whole.count();
    row.median_us = times.whole.quantile(0.5);
    row.p95_us = times.whole.quantile(0.95);
  } else {
    const double each = times.whole.sum() / static_cast<double>(row.runs);
    row.median_us += each;
    row.p95_us += each;
  }
}

/// Adds up the kinds of times that count.
void sum_up(ImportedNode& node, const Counted& counted, Budget& budget) {
  Durations whole;
  for (const std::size_t kind : counted.kinds) {
    Times& times = node.times[kind];
    node.row.cpu_us += times.cpu_us;
    node.row.accelerator_us += times.accelerator_us;
    whole.merge(times.whole, budget);
  }
  node.row.total_us = node.row.cpu_us + node.row.accelerator_us;
  node.row.runs = whole.count();
  node.row.median_us = whole.quantile(0.5);
  node.row.p95_us = whole.quantile(0.95);
  if (counted.beside) add_beside(node, *counted.beside);
}

std::uint64_t median_runs(const std::vector<NodeTime>& rows) {
  std::vector<std::uint64_t> runs;
  runs.reserve(rows.size());
  for (const NodeTime& row : rows) runs.push_back(row.runs);
  if (runs.empty()) return 0;
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle);
  return *middle;
}

void longest_first(std::vector<NodeTime>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, &NodeTime::total_us);
}

std::vector<NodeTime> by_type(const std::vector<NodeTime>& nodes) {
  std::map<std::string, NodeTime> types;
  for (const NodeTime& node : nodes) {
    const auto [at, added] = types.try_emplace(node.type);
    NodeTime& type = at->second;
    if (added) {
      type = {.name = node.type, .type = node.type, .provider = node.provider, .role = node.role};
      type.position = node.position;
      type.defined = 0;
    }
    if (type.provider != node.provider) type.provider.clear();
    type.position = std::min(type.position, node.position);
    type.total_us += node.total_us;
    type.accelerator_us += node.accelerator_us;
    type.cpu_us += node.cpu_us;
    type.mean_us += node.mean_us;
    type.median_us += node.median_us;
    type.p95_us += node.p95_us;
    type.share += node.share;
    type.runs += node.runs;
    type.defined += node.defined;
  }
  std::vector<NodeTime> rows;
  rows.reserve(types.size());
  for (auto& entry : types) rows.push_back(std::move(entry.second));
  longest_first(rows);
  return rows;
}

}  // namespace

std::size_t Nodes::insert(std::string_view name, std::string_view type) {
  const std::size_t number = nodes_.size();
  numbers_.emplace(key_, number);
  ImportedNode& node = nodes_.emplace_back();
  node.row.type = type.empty() ? std::string(kUnknownType) : decoded(type);
  node.row.name = name.empty() ? node.row.type : decoded(name);
  node.row.ops = {{.id = {}, .name = node.row.name}};
  node.row.role = role_of(node.row.type);
  return number;
}

std::size_t Nodes::gather(const NodeKey& key, bool& is_new) {
  ++gathered_;
  key_ = "\x01";  // others have two zeros in them
  const std::string_view type = cut(key.type);
  key_ += type;
  if (const auto at = numbers_.find(key_); at != numbers_.end()) return at->second;
  const bool fits = rest_ < kMostTypes && type.size() <= 256;
  if (!fits) {
    key_ = "\x01";
    if (const auto at = numbers_.find(key_); at != numbers_.end()) return at->second;
  }
  ++rest_;
  is_new = true;
  const std::string name = fmt::format("other nodes{}{}", fits ? ": " : "", fits ? type : "");
  return insert(name, fits ? type : "");
}

std::size_t Nodes::find(const NodeKey& key, bool& is_new) {
  is_new = false;
  key_ = cut(key.name);
  key_ += '\0';
  key_ += cut(key.index);
  key_ += '\0';
  key_ += cut(key.type);
  if (const auto at = numbers_.find(key_); at != numbers_.end()) return at->second;
  const std::size_t cost = sizeof(ImportedNode) + 5 * key_.size() + 128;
  if (nodes_.size() >= kMost || !budget_.take(cost)) return gather(key, is_new);
  is_new = true;
  return insert(cut(key.name), cut(key.type));
}

void Nodes::describe(std::size_t node, std::string_view provider, std::vector<std::string> inputs,
                     std::vector<std::string> outputs) {
  std::size_t cost = provider.size();
  for (const auto* tensors : {&inputs, &outputs}) {
    for (const std::string& tensor : *tensors) cost += 2 * sizeof(std::string) + tensor.size();
  }
  if (!budget_.take(2 * cost)) return;
  NodeTime& row = nodes_[node].row;
  row.provider = decoded(cut(provider));
  row.inputs = std::move(inputs);
  row.outputs = std::move(outputs);
}

void Nodes::add(std::size_t node, std::size_t kind, const Spent& spent) {
  ImportedNode& at = nodes_[node];
  at.first_us = std::min(at.first_us, spent.start_us);
  Times& times = at.times[kind];
  times.cpu_us += spent.cpu_us;
  times.accelerator_us += spent.accelerator_us;
  times.whole.add(spent.cpu_us + spent.accelerator_us, budget_);
}

void fill(Profile& profile, Nodes& nodes, const Counted& counted, Progress& progress) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum_up(nodes[i], counted, nodes.budget());
    if (nodes[i].row.runs > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return nodes[i].first_us; });
  profile.nodes.reserve(order.size());
  for (const std::size_t i : order) {
    nodes[i].row.position = profile.nodes.size();
    profile.nodes.push_back(std::move(nodes[i].row));
  }
  const std::uint64_t runs = counted.runs > 0 ? counted.runs : median_runs(profile.nodes);
  if (runs == 1 && profile.wall.runs == 0 && counted.span_us > 0) {
    Durations whole;
    whole.add(counted.span_us, nodes.budget());
    profile.wall = wall_of(whole);
  }
  for (NodeTime& row : profile.nodes) {
    row.mean_us = runs > 0 ? row.total_us / static_cast<double>(runs) : 0;
    profile.nodes_us += row.mean_us;
  }
  const double whole = profile.wall.mean_us > 0 ? profile.wall.mean_us : profile.nodes_us;
  for (NodeTime& row : profile.nodes) row.share = whole > 0 ? row.mean_us / whole : 0;
  profile.explained = whole > 0 ? (profile.nodes_us + profile.outside_us) / whole : 0;
  longest_first(profile.nodes);
  profile.types = by_type(profile.nodes);
  if (nodes.gathered() > 0) {
    progress.note(
        fmt::format("the profile names more nodes than are listed; {} executions of others are "
                    "gathered in rows "
                    "named 'other nodes'",
                    nodes.gathered()));
  }
}

}  // namespace quantlens::imports
