// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_graph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <protozero/pbf_builder.hpp>

#include "quantlens/base/text.h"
#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

// Field numbers, by message (tensorboard/compat/proto/{graph,node_def,attr_value}.proto).
enum class GraphField : protozero::pbf_tag_type { node = 1, versions = 4 };
enum class VersionField : protozero::pbf_tag_type { producer = 1 };
enum class NodeField : protozero::pbf_tag_type {
  name = 1,
  op = 2,
  input = 3,
  device = 4,
  attr = 5
};
enum class AttrEntryField : protozero::pbf_tag_type { key = 1, value = 2 };
enum class AttrField : protozero::pbf_tag_type { list = 1, s = 2, i = 3, f = 4, b = 5, type = 6 };
enum class AttrListField : protozero::pbf_tag_type { i = 3, f = 4, shape = 7 };
enum class GraphShapeField : protozero::pbf_tag_type { dim = 2, unknown_rank = 3 };
enum class GraphDimField : protozero::pbf_tag_type { size = 1, name = 2 };

template <class Field>
using Writer = protozero::pbf_builder<Field>;

struct NamedType {
  std::string_view name;
  int number;
};
/// TensorFlow's DataType of an element type's name.
constexpr std::array kTypes{
    NamedType{"float32", 1},  NamedType{"float64", 2},   NamedType{"int32", 3},
    NamedType{"uint8", 4},    NamedType{"int16", 5},     NamedType{"int8", 6},
    NamedType{"string", 7},   NamedType{"int64", 9},     NamedType{"boolean", 10},
    NamedType{"bool", 10},    NamedType{"bfloat16", 14}, NamedType{"uint16", 17},
    NamedType{"float16", 19}, NamedType{"uint32", 22},   NamedType{"uint64", 23},
    NamedType{"int4", 29},    NamedType{"uint4", 30}};

int type_number(std::string_view dtype) {
  const auto found = std::ranges::find(kTypes, dtype, &NamedType::name);
  return found == kTypes.end() ? 0 : found->number;
}

/// "[N,3,?]" as TensorShapeProto.
void add_shape(Writer<AttrListField>& list, std::string_view text) {
  Writer<GraphShapeField> shape(list, AttrListField::shape);
  if (text.size() < 2 || text.front() != '[') {
    shape.add_bool(GraphShapeField::unknown_rank, true);
    return;
  }
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::int64_t size = -1;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), size);
    Writer<GraphDimField> dim(shape, GraphShapeField::dim);
    if (read.ec == std::errc() && read.ptr == word.data() + word.size()) {
      dim.add_int64(GraphDimField::size, size);
    } else {
      dim.add_int64(GraphDimField::size, -1);
      dim.add_string(GraphDimField::name, word.data(), word.size());
    }
  }
}

/// Calls `write` with the builder of one attribute's value.
template <class Write>
void add_attribute(Writer<NodeField>& node, std::string_view key, const Write& write) {
  Writer<AttrEntryField> entry(node, NodeField::attr);
  entry.add_string(AttrEntryField::key, key.data(), key.size());
  Writer<AttrField> value(entry, AttrEntryField::value);
  write(value);
}

struct WriteAttribute {
  Writer<AttrField>& to;
  void operator()(bool value) const { to.add_bool(AttrField::b, value); }
  void operator()(std::int64_t value) const { to.add_int64(AttrField::i, value); }
  void operator()(double value) const { to.add_float(AttrField::f, static_cast<float>(value)); }
  void operator()(const std::string& value) const { to.add_bytes(AttrField::s, valid_utf8(value)); }
  void operator()(const std::vector<double>& values) const {
    Writer<AttrListField> list(to, AttrField::list);
    const std::vector<float> floats(values.begin(), values.end());
    list.add_packed_float(AttrListField::f, floats.begin(), floats.end());
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    Writer<AttrListField> list(to, AttrField::list);
    list.add_packed_int64(AttrListField::i, values.begin(), values.end());
  }
};

class GraphDefWriter {
 public:
  GraphDefWriter(const GraphOutline& graph, const EventNames& names, const GraphNotes& notes)
      : graph_(graph), names_(names), notes_(notes), makers_(graph) {
    for (const ValueOutline& value : graph.inputs) outside_[value.name] = names.input(value.name);
    for (const ValueOutline& value : graph.weights)
      outside_.emplace(value.name, names.weight(value.name));
    for (const auto* list : {&graph.inputs, &graph.values, &graph.outputs, &graph.weights})
      for (const ValueOutline& value : *list) values_.emplace(value.name, &value);
  }

  std::string written() {
    std::string bytes;
    Writer<GraphField> graph(bytes);
    for (const ValueOutline& value : graph_.inputs)
      add_value(graph, names_.input(value.name), "Placeholder", value);
    for (const ValueOutline& value : graph_.weights)
      add_value(graph, names_.weight(value.name), "Const", value);
    for (const OpOutline& op : graph_.ops) add_op(graph, op);
    constexpr int kProducer = 22;  // the oldest that writes such graphs
    Writer<VersionField> versions(graph, GraphField::versions);
    versions.add_int32(VersionField::producer, kProducer);
    return bytes;
  }

 private:
  /// The node that makes a value, with its output where that is not the first; nothing for what
  /// nobody makes.
  std::optional<std::string> maker_of(const std::string& scope, const std::string& value) const {
    if (const auto maker = makers_.find(scope, value)) {
      const OpOutline& op = graph_.ops[maker->op];
      std::string path = names_.op({op.op, op.name});
      return maker->output == 0 ? path : fmt::format("{}:{}", path, maker->output);
    }
    const auto found = outside_.find(value);
    return found == outside_.end() ? std::nullopt : std::optional(found->second);
  }

  static void add_dtype(Writer<NodeField>& node, const ValueOutline& value) {
    if (const int type = type_number(value.dtype); type != 0)
      add_attribute(node, "dtype", [&](auto& to) { to.add_enum(AttrField::type, type); });
  }

  static void add_value(Writer<GraphField>& graph, const std::string& path, std::string_view op,
                        const ValueOutline& value) {
    Writer<NodeField> node(graph, GraphField::node);
    node.add_string(NodeField::name, path);
    node.add_string(NodeField::op, op.data(), op.size());
    add_dtype(node, value);
    add_attribute(node, "_output_shapes", [&](auto& to) {
      Writer<AttrListField> list(to, AttrField::list);
      add_shape(list, value.shape);
    });
  }

  void add_op(Writer<GraphField>& graph, const OpOutline& op) {
    Writer<NodeField> node(graph, GraphField::node);
    node.add_string(NodeField::name, names_.op({op.op, op.name}));
    node.add_string(NodeField::op, printable(op.type));
    for (const std::string& input : op.inputs) {
      if (input.empty()) continue;
      if (const auto maker = maker_of(op.scope, input)) node.add_string(NodeField::input, *maker);
    }
    const auto notes = notes_.find(op.op);
    if (notes != notes_.end() && !notes->second.device.empty())
      node.add_string(NodeField::device, notes->second.device);
    add_outputs(node, op);
    for (const auto& attribute : op.attributes) {
      add_attribute(node, printable(attribute.first),
                    [&](auto& to) { WriteAttribute{to}(attribute.second); });
    }
    if (notes == notes_.end()) return;
    for (const auto& told : notes->second.told) {
      add_attribute(node, told.first,
                    [&](auto& to) { std::visit(WriteAttribute{to}, told.second); });
    }
  }

  /// Values inside of bodies are not described.
  void add_outputs(Writer<NodeField>& node, const OpOutline& op) const {
    const ValueOutline unknown{.name = {}, .dtype = "?", .shape = "?"};
    std::vector<const ValueOutline*> outputs;
    for (const std::string& output : op.outputs) {
      const auto found = op.scope.empty() ? values_.find(output) : values_.end();
      outputs.push_back(found == values_.end() ? &unknown : found->second);
    }
    if (outputs.empty()) return;
    add_dtype(node, *outputs.front());
    add_attribute(node, "_output_shapes", [&](auto& to) {
      Writer<AttrListField> list(to, AttrField::list);
      for (const ValueOutline* output : outputs) add_shape(list, output->shape);
    });
  }

  const GraphOutline& graph_;
  const EventNames& names_;
  const GraphNotes& notes_;
  ValueMakers makers_;
  std::unordered_map<std::string, std::string> outside_;  // inputs and weights: their nodes
  std::unordered_map<std::string, const ValueOutline*> values_;
};

}  // namespace

std::string graph_def(const GraphOutline& graph, const EventNames& names, const GraphNotes& notes) {
  return GraphDefWriter(graph, names, notes).written();
}

}  // namespace quantlens
