// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/insert_taps.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/wire.h"
#include "quantlens/graph/names.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/where.h"

namespace quantlens::tensorflow {
namespace {

using graphdef::AttrValue;
using graphdef::bytes_key;
using graphdef::Field;
using graphdef::Fields;
using graphdef::GraphDef;
using graphdef::MapEntry;
using graphdef::NodeDef;
using protozero::pbf_writer;

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

/// Top-level names of nodes in the file: what calls stand for in the graph is not among them.
std::unordered_set<std::string> nodes_in_file(const Model& model) {
  std::unordered_set<std::string> names;
  Fields fields(model.file.text());
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(GraphDef::node)) continue;
    Fields parts(field.payload);
    for (Field part; parts.next(part);) {
      if (part.key == bytes_key(NodeDef::name)) names.emplace(part.payload);
    }
  }
  return names;
}

/// "node:1" is the second result of "node"; "node" and "node:0" the first.
std::string node_of(std::string_view value) {
  const std::size_t colon = value.rfind(':');
  const bool is_numbered =
      colon != std::string_view::npos && colon + 1 < value.size() &&
      std::ranges::all_of(value.substr(colon + 1), [](char c) { return c >= '0' && c <= '9'; });
  return std::string(is_numbered ? value.substr(0, colon) : value);
}

/// As the frontend names what a node's input reads.
std::string read_value(std::string_view input) {
  return std::string(input.ends_with(":0") ? input.substr(0, input.size() - 2) : input);
}

void add_attribute(pbf_writer& node, const char* key, std::uint32_t field, std::int64_t value) {
  pbf_writer entry(node, NodeDef::attr);
  entry.add_string(MapEntry::key, key);
  pbf_writer attribute(entry, MapEntry::value);
  attribute.add_int64(field, value);
}

/// The node as it is in the file, reading what taps hand through.
void add_rewired(pbf_writer& graph, const Field& node,
                 const std::unordered_map<std::string, std::string>& taps) {
  std::string bytes;
  Fields parts(node.payload);
  for (Field part; parts.next(part);) {
    const bool is_input = part.key == bytes_key(NodeDef::input);
    const auto found = is_input ? taps.find(read_value(part.payload)) : taps.end();
    if (found != taps.end()) {
      pbf_writer(bytes).add_string(NodeDef::input, found->second);
    } else {
      bytes.append(part.whole);
    }
  }
  graph.add_message(GraphDef::node, bytes);
}

bool reads_any(const Field& node, const std::unordered_map<std::string, std::string>& taps) {
  Fields parts(node.payload);
  for (Field part; parts.next(part);) {
    if (part.key == bytes_key(NodeDef::input) && taps.contains(read_value(part.payload)))
      return true;
  }
  return false;
}

}  // namespace

struct TapPlaces::Known {
  explicit Known(const Model& of)
      : model(of), index(of.graph), conditional(of.graph), nodes(nodes_in_file(of)) {}
  const Model& model;
  GraphIndex index;
  Conditional conditional;
  std::unordered_set<std::string> nodes;
};

TapPlaces::TapPlaces(const Model& model) : known_(std::make_unique<const Known>(model)) {}
TapPlaces::~TapPlaces() = default;

std::string TapPlaces::obstacle(const std::string& value) const {
  const auto& [model, index, conditional, nodes] = *known_;
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
  if (!nodes.contains(node_of(value))) {
    return fmt::format("'{}' is computed inside of a function", printable(value));
  }
  return {};
}

Tapped insert_taps(const Model& model, const std::vector<WantedTap>& taps,
                   const std::function<DataType(const std::string&)>& type_of) {
  std::string prefix = "quantlens/";
  while (begins_a_name(model.graph, prefix)) prefix.insert(prefix.size() - 1, "_");
  Tapped tapped{.bytes = {}, .number = prefix + "number", .targets = {}};
  std::unordered_map<std::string, std::string> last;  // what hands a value through, of its taps
  std::string added;
  pbf_writer extra(added);
  {
    pbf_writer node(extra, GraphDef::node);
    node.add_string(NodeDef::name, tapped.number);
    node.add_string(NodeDef::op, "Placeholder");
    add_attribute(node, "dtype", AttrValue::type, static_cast<int>(DataType::int64));
  }
  for (const WantedTap& tap : taps) {
    std::string& source = last.try_emplace(tap.value, tap.value).first->second;
    const std::string name = fmt::format("{}tap/{}", prefix, tapped.targets.size());
    pbf_writer node(extra, GraphDef::node);
    node.add_string(NodeDef::name, name);
    node.add_string(NodeDef::op, kTapOp);
    node.add_string(NodeDef::input, source);
    node.add_string(NodeDef::input, tapped.number);
    add_attribute(node, "T", AttrValue::type, static_cast<int>(type_of(tap.value)));
    add_attribute(node, kTapSlot, AttrValue::i, static_cast<std::int64_t>(tap.slot));
    add_attribute(node, kTapUse, AttrValue::i, static_cast<std::int64_t>(tap.use));
    tapped.targets.push_back(name);
    source = name;
  }
  pbf_writer graph(tapped.bytes);
  Fields fields(model.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphDef::node) && reads_any(field, last)) {
      add_rewired(graph, field, last);
    } else {
      tapped.bytes.append(field.whole);
    }
  }
  tapped.bytes.append(added);
  return tapped;
}

}  // namespace quantlens::tensorflow
