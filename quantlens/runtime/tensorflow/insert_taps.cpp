// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/insert_taps.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/graph/names.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/where.h"

namespace quantlens::tensorflow {
namespace {

using graphdef::AttributeWriter;
using graphdef::GraphDef;
using graphdef::GraphFile;
using graphdef::NewNode;
using graphdef::NodeParts;

bool is_one_of(std::string_view type, std::string_view a, std::string_view b) {
  return type == a || type == b;
}

/// Values that are computed more than once in a step, or perhaps not at all: between Enter and
/// Exit, Switch and Merge, as loops and branches of TensorFlow 1 are built.
class Conditional {
 public:
  explicit Conditional(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      const int depth = depth_of(node);
      nodes_[node.name] = depth;
      for (const std::string& value : node.outputs) {
        values_[value] = depth;
        if (node.type == "LoopCond") loop_conditions_.insert(value);
      }
    }
  }
  bool has(const std::string& value) const { return depth(values_, value) > 0; }

 private:
  static int depth(const std::unordered_map<std::string, int>& of, const std::string& name) {
    const auto found = of.find(name);
    return found == of.end() ? 0 : found->second;
  }

  int depth_of(const Node& node) const {
    int depth = 0;
    for (const std::string& input : node.inputs) {
      depth = std::max(depth, this->depth(values_, input));
    }
    const auto waits = node.attributes.find("control_inputs");
    if (waits != node.attributes.end()) {
      if (const auto* names = std::get_if<std::vector<std::string>>(&waits->second)) {
        for (const std::string& name : *names) depth = std::max(depth, this->depth(nodes_, name));
      }
    }
    if (is_one_of(node.type, "Enter", "RefEnter")) return depth + 1;
    if (is_one_of(node.type, "Exit", "RefExit")) return std::max(depth - 1, 0);
    if (is_one_of(node.type, "Switch", "RefSwitch")) {
      return loop_conditions_.contains(input_of(node, 1)) ? depth : depth + 1;
    }
    if (is_one_of(node.type, "Merge", "RefMerge") && !node.attributes.contains("next_iteration")) {
      return std::max(depth - 1, 0);
    }
    return depth;
  }

  std::unordered_map<std::string, int> values_, nodes_;
  std::unordered_set<std::string> loop_conditions_;
};

bool has_name(const Graph& graph, const std::string& value) {
  bool found = false;
  for_each_name(graph, [&](const std::string& name) { found = found || name == value; });
  return found;
}

/// A prefix that no name of the graph has.
std::string free_prefix(const Graph& graph) {
  std::string prefix = "quantlens/";
  while (begins_a_name(graph, prefix)) prefix.insert(prefix.size() - 1, "_");
  return prefix;
}

NewNode number_node(const std::string& name) {
  AttributeWriter attributes;
  attributes.type("dtype", static_cast<graphdef::Type>(DataType::int64));
  return {.name = name, .type = "Placeholder", .inputs = {}, .attributes = attributes.take()};
}

NewNode tap_node(const std::string& name, const WantedTap& tap, const std::string& source,
                 const std::string& number, DataType type) {
  AttributeWriter attributes;
  attributes.type("T", static_cast<graphdef::Type>(type))
      .number(kTapSlot, static_cast<std::int64_t>(tap.slot))
      .number(kTapUse, static_cast<std::int64_t>(tap.use));
  return {
      .name = name, .type = kTapOp, .inputs = {source, number}, .attributes = attributes.take()};
}

}  // namespace

struct TapPlaces::Known {
  explicit Known(const Model& of) : model(of), index(of.graph), conditional(of.graph), file(of) {}
  const Model& model;
  GraphIndex index;
  Conditional conditional;
  GraphFile file;
};

TapPlaces::TapPlaces(const Model& model) : known_(std::make_unique<const Known>(model)) {}
TapPlaces::~TapPlaces() = default;

std::string TapPlaces::obstacle(const std::string& value) const {
  const auto& [model, index, conditional, file] = *known_;
  if (index.constant(value) != nullptr || model.graph.opaque_weights.contains(value)) {
    throw Error(Errc::not_found,
                fmt::format("{}: '{}' is a weight; only values that change with the input can be "
                            "observed",
                            where(model), printable(value)));
  }
  if (!index.is_input(value) && !index.producer(value)) {
    for (const Node& node : model.graph.nodes) {
      for (const auto& [key, body] : node.subgraphs) {
        if (!has_name(*body, value)) continue;
        return fmt::format("'{}' is computed inside the body of '{}'", printable(value),
                           printable(op_name(node)));
      }
    }
    throw Error(Errc::not_found,
                fmt::format("{}: there is no value '{}'", where(model), printable(value)));
  }
  if (conditional.has(value)) {
    return fmt::format("'{}' is computed inside of a loop or a branch", printable(value));
  }
  if (file.find(file.reference(value).node) == nullptr) {
    return fmt::format("'{}' is computed inside of a function", printable(value));
  }
  return {};
}

Tapped insert_taps(const Model& model, const std::vector<WantedTap>& taps, const TypeOf& type_of,
                   const LocalReference* local) {
  const GraphFile file(model);
  const std::string prefix = free_prefix(model.graph);
  Tapped tapped{.bytes = {}, .number = prefix + "number", .targets = {}};
  std::vector<NewNode> added{number_node(tapped.number)};
  std::unordered_map<std::string, std::string> last;  // what hands a value through, of its taps
  for (const WantedTap& tap : taps) {
    std::string& source = last.try_emplace(tap.value, tap.value).first->second;
    const std::string name = fmt::format("{}tap/{}", prefix, tapped.targets.size());
    added.push_back(tap_node(name, tap, source, tapped.number, type_of(tap.value)));
    tapped.targets.push_back(name);
    source = name;
  }
  std::optional<LocalNodes> stand_ins;
  if (local != nullptr) stand_ins.emplace(file, type_of, *local, prefix, tapped.number);
  graphdef::Edit edit;
  for (const NodeParts& node : file.nodes()) {
    const std::vector<std::string> values = file.values_read(node);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto tap = last.find(values[i]);
      const std::string* now = tap == last.end() ? nullptr : &tap->second;
      if (const auto* other = stand_ins ? stand_ins->read_by(node.name, values[i]) : nullptr)
        now = other;
      if (now != nullptr) edit.inputs[std::string(node.name)][i] = *now;
    }
  }
  graphdef::Pieces bytes = written(file, edit);
  const auto append = [&](const NewNode& node) { bytes.field(GraphDef::node, encode(node)); };
  std::ranges::for_each(added, append);
  if (stand_ins) std::ranges::for_each(stand_ins->nodes(), append);
  tapped.bytes = bytes.str();
  return tapped;
}

}  // namespace quantlens::tensorflow
