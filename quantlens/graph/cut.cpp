// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/cut.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/shapes.h"

namespace quantlens {
namespace {

using ValueNames = std::unordered_set<std::string>;

/// ValueNames that people use, as values of the graph.
class Lookup {
 public:
  explicit Lookup(const Graph& graph) {
    for (const ValueInfo& input : graph.inputs) values_.insert(input.name);
    for (const auto& [name, weight] : graph.weights) weights_.insert(name);
    weights_.insert(graph.opaque_weights.begin(), graph.opaque_weights.end());
    for (const Node& node : graph.nodes) {
      values_.insert(node.outputs.begin(), node.outputs.end());
      by_node_.emplace(node.name, op_id(node));
    }
    values_.erase("");
    by_node_.erase("");
  }

  /// REQUIRES: `option` is how the command line calls what the name is for.
  std::string value(const std::string& name, std::string_view option) const {
    for (const std::string& one : {name, without_number(name)}) {
      if (values_.contains(one)) return one;
      if (weights_.contains(one)) {
        throw Error(Errc::usage, fmt::format("{}: '{}' is a weight, which is not computed", option,
                                             printable(one)));
      }
      const auto found = by_node_.find(one);
      if (found != by_node_.end()) return found->second;
    }
    throw Error(Errc::not_found, fmt::format("{}: the model has no value or node '{}'{}", option,
                                             printable(name), nearest(name)));
  }

 private:
  static std::string without_number(const std::string& name) {
    return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
  }

  std::string nearest(const std::string& name) const {
    std::vector<std::string> names(values_.begin(), values_.end());
    for (const auto& [node, value] : by_node_) {
      if (!values_.contains(node)) names.push_back(node);
    }
    std::ranges::sort(names);
    const std::string near = did_you_mean(without_number(name), names);
    return near.empty() ? near : "; " + near;
  }

  ValueNames values_, weights_;
  std::unordered_map<std::string, std::string> by_node_;
};

std::vector<std::string> values_of(const Lookup& lookup, const std::vector<std::string>& names,
                                   std::string_view option) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const std::string value = lookup.value(name, option);
    if (std::ranges::find(values, value) != values.end()) {
      throw Error(Errc::usage, fmt::format("{}: '{}' is named twice", option, printable(value)));
    }
    values.push_back(value);
  }
  return values;
}

/// Walks from outputs back to inputs.
class Cutter {
 public:
  Cutter(const Graph& graph, const std::vector<std::string>& inputs)
      : graph_(graph), index_(graph), begins_(inputs.begin(), inputs.end()) {}

  void need(const std::string& output) {
    if (begins_.contains(output)) {
      throw Error(Errc::usage,
                  fmt::format("'{}' cannot be an input and an output at once", printable(output)));
    }
    std::vector<std::string> open = {output};
    while (!open.empty()) {
      const std::string value = std::move(open.back());
      open.pop_back();
      if (!needed_.insert(value).second || begins_.contains(value)) continue;
      if (!begins_.empty() && index_.is_input(value)) {
        throw Error(Errc::usage,
                    fmt::format("the output '{}' needs the input '{}' as well; name it among "
                                "--inputs, or an inner value behind it",
                                printable(output), printable(value)));
      }
      const auto maker = index_.producer(value);
      if (!maker || !nodes_.insert(*maker).second) continue;
      const Node& node = graph_.nodes[*maker];
      for (const std::string& input : node.inputs) {
        if (!input.empty()) open.push_back(input);
      }
      for (std::string& captured : captured_values(node)) open.push_back(std::move(captured));
    }
  }

  bool needs(const std::string& value) const { return needed_.contains(value); }

  /// The nodes that are needed; what begins the graph is no result of theirs.
  std::vector<Node> nodes() const {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!nodes_.contains(i)) continue;
      nodes.push_back(graph_.nodes[i]);
      for (std::string& output : nodes.back().outputs) {
        if (begins_.contains(output)) output.clear();
      }
    }
    return nodes;
  }

 private:
  const Graph& graph_;
  GraphIndex index_;
  ValueNames begins_;
  ValueNames needed_;  // values
  std::unordered_set<std::size_t> nodes_;
};

void add_givens(const Graph& graph, const Cutter& cutter, Graph& result) {
  for (const auto& [name, weight] : graph.weights) {
    if (cutter.needs(name)) result.weights.emplace(name, weight);
  }
  for (const std::string& name : graph.opaque_weights) {
    if (cutter.needs(name)) result.opaque_weights.insert(name);
  }
  for (const auto& [name, value] : graph.values) {
    if (cutter.needs(name)) result.values.emplace(name, value);
  }
}

const ValueInfo* find(const std::vector<ValueInfo>& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &ValueInfo::name);
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

struct Describer::Known {
  explicit Known(const Graph& graph) : index(graph) {}
  GraphIndex index;
  std::unordered_map<std::string, DType> types = element_types(index);
  Shapes dims = shapes(index);
};

Describer::Describer(const Graph& graph) : known_(std::make_unique<const Known>(graph)) {}
Describer::~Describer() = default;

ValueInfo Describer::operator()(const std::string& value) const {
  ValueInfo info{.name = value, .dtype = {}, .shape = {}};
  if (const auto type = known_->types.find(value); type != known_->types.end())
    info.dtype = type->second;
  if (const auto dims = known_->dims.find(value); dims != known_->dims.end())
    info.shape = dims->second;
  return info;
}

Graph cut(const Graph& graph, const Ends& ends) {
  if (ends.is_whole()) return graph;
  const Lookup lookup(graph);
  const std::vector<std::string> inputs = values_of(lookup, ends.inputs, "--inputs");
  std::vector<std::string> outputs = values_of(lookup, ends.outputs, "--outputs");
  if (outputs.empty()) {
    for (const ValueInfo& output : graph.outputs) outputs.push_back(output.name);
  }
  Cutter cutter(graph, inputs);
  for (const std::string& output : outputs) cutter.need(output);
  const Describer describe(graph);
  Graph result;
  result.name = graph.name;
  result.nodes = cutter.nodes();
  for (const std::string& name : inputs) {
    if (!cutter.needs(name)) {
      throw Error(Errc::usage,
                  fmt::format("--inputs: '{}' leads to none of the outputs", printable(name)));
    }
    const ValueInfo* given = find(graph.inputs, name);
    result.inputs.push_back(given != nullptr ? *given : describe(name));
  }
  if (inputs.empty()) {
    std::ranges::copy_if(graph.inputs, std::back_inserter(result.inputs),
                         [&](const ValueInfo& input) { return cutter.needs(input.name); });
  }
  for (const std::string& name : outputs) {
    const ValueInfo* given = find(graph.outputs, name);
    result.outputs.push_back(given != nullptr ? *given : describe(name));
  }
  add_givens(graph, cutter, result);
  return result;
}

}  // namespace quantlens
