// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/model_text.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <boost/pfr/tuple_size.hpp>
#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/check.h"
#include "quantlens/graph/outline.h"

namespace quantlens::remote {
namespace {

constexpr std::size_t kMostNesting = 32;  // as frontends read
constexpr std::size_t kOtherwise = 4;     // fields of Node: kind, roles, attributes, subgraphs
static_assert(boost::pfr::tuple_size_v<Node> ==
                  boost::mp11::mp_size<json::detail::Members<Node>>::value + kOtherwise,
              "describe the new field of Node, too, in model_text.h");
static_assert(boost::pfr::tuple_size_v<Graph> == 7, "a new field of Graph has to travel, too");
static_assert(boost::pfr::tuple_size_v<Model> == 7, "a new field of Model has to travel, too");
static_assert(std::variant_size_v<AnyAttribute> ==
                  boost::mp11::mp_size<boost::describe::describe_enumerators<AttributeType>>::value,
              "name the new alternative of Attribute in AttributeType, too");

[[noreturn]] void refuse_text(const std::string& problem) {
  throw Error(Errc::bad_input, problem);
}

/// Adds to a map or set what must not be in it yet.
template <class Map, class... Parts>
void add_once(Map& map, const std::string& name, Parts&&... parts) {
  if (!map.emplace(name, std::forward<Parts>(parts)...).second) {
    refuse_text(fmt::format("'{}' is there twice", printable(name)));
  }
}

ValueText text_of_value(const ValueInfo& info) {
  return {.name = info.name,
          .dtype = info.dtype,
          .shaped = info.shape.has_value(),
          .shape = info.shape.value_or(std::vector<Dim>())};
}

ValueInfo value_from(const ValueText& text) {
  for (const Dim& dim : text.shape) {
    if (dim.extent.value_or(0) >= 0) continue;
    refuse_text(fmt::format("'{}' has an extent below 0", printable(text.name)));
  }
  ValueInfo info{.name = text.name, .dtype = text.dtype, .shape = {}};
  if (text.shaped) info.shape = text.shape;
  return info;
}

/// Writes graphs, bodies first.
class Writer {
 public:
  Writer(Bytes file, Body& memory) : file_(file), memory_(memory) {}

  std::uint64_t add(const Graph& graph) {
    GraphText text{.name = graph.name,
                   .nodes = {},
                   .inputs = {},
                   .outputs = {},
                   .values = {},
                   .weights = {},
                   .weights_in_file = {},
                   .opaque_weights = {graph.opaque_weights.begin(), graph.opaque_weights.end()}};
    text.nodes.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) text.nodes.push_back(text_from_node(node));
    for (const ValueInfo& info : graph.inputs) text.inputs.push_back(text_of_value(info));
    for (const ValueInfo& info : graph.outputs) text.outputs.push_back(text_of_value(info));
    for (const auto& [name, info] : graph.values) text.values.push_back(text_of_value(info));
    for (const auto& [name, weight] : graph.weights) add_weight(name, weight, text);
    graphs_.push_back(std::move(text));
    return graphs_.size() - 1;
  }

  std::vector<GraphText> graphs() { return std::move(graphs_); }

 private:
  NodeText text_from_node(const Node& node) {
    NodeText text{.fields = json::encode(node),
                  .kind = node.kind,
                  .roles = json::encode(outline(node.roles)),
                  .constant = {},
                  .attributes = {},
                  .bodies = {}};
    if (const auto* constant = std::get_if<roles::ConstantValue>(&node.roles))
      text.constant = add_tensor({}, constant->value, memory_);
    for (const auto& [name, attribute] : node.attributes) {
      text.attributes.push_back(
          {.name = name,
           .type = static_cast<AttributeType>(attribute.index()),
           .value =
               std::visit([&](const auto& value) { return text_from_value(value); }, attribute)});
    }
    for (const auto& [name, body] : node.subgraphs) text.bodies.push_back({name, add(*body)});
    return text;
  }

  template <class T>
  json::Value text_from_value(const T& value) {
    if constexpr (std::is_same_v<T, Tensor>) {
      return json::encode(add_tensor({}, value, memory_));
    } else {
      return json::encode(value);
    }
  }

  void add_weight(const std::string& name, const Tensor& weight, GraphText& text) {
    const Bytes bytes = weight.bytes();
    const std::less_equal<> before;
    const bool in_file = !bytes.empty() && !file_.empty() && before(file_.data(), bytes.data()) &&
                         before(bytes.data() + bytes.size(), file_.data() + file_.size());
    if (!in_file) {
      text.weights.push_back(add_tensor(name, weight, memory_));
      return;
    }
    text.weights_in_file.push_back(
        {.name = name,
         .dtype = weight.dtype(),
         .shape = weight.shape(),
         .offset = static_cast<std::uint64_t>(bytes.data() - file_.data()),
         .bytes = bytes.size()});
  }

  Bytes file_;
  Body& memory_;
  std::vector<GraphText> graphs_;
};

/// Reads them again.
class Reader {
 public:
  Reader(const std::vector<GraphText>& graphs, const Payload& memory, const MappedFile& file)
      : texts_(graphs), memory_(memory), file_{.bytes = file.bytes(), .owner = file.owner()} {}

  /// Every body is used by one node, and comes before the graph that has it: so bodies neither go
  /// in circles nor grow by being shared.
  Graph read() {
    for (const GraphText& text : texts_) {
      Made made{.graph = std::make_shared<Graph>(), .nesting = 1};
      fill(text, made);
      if (made.nesting > kMostNesting) refuse_text("its graphs are nested too deep");
      made_.push_back(std::move(made));
    }
    if (made_.empty()) refuse_text("it has no graph");
    const std::shared_ptr<Graph> whole = std::move(made_.back().graph);
    made_.pop_back();
    for (const Made& left : made_) {
      if (left.graph) refuse_text("it has a graph that no node has");
    }
    check_names(*whole);
    return std::move(*whole);
  }

 private:
  struct Made {
    std::shared_ptr<Graph> graph;  ///< null once a node has it
    std::size_t nesting = 1;
  };

  void fill(const GraphText& text, Made& made) {
    Graph& graph = *made.graph;
    graph.name = text.name;
    for (const NodeText& node : text.nodes) graph.nodes.push_back(node_from(node, made));
    for (const ValueText& value : text.inputs) graph.inputs.push_back(value_from(value));
    for (const ValueText& value : text.outputs) graph.outputs.push_back(value_from(value));
    for (const ValueText& value : text.values) {
      add_once(graph.values, value.name, value_from(value));
    }
    for (const TensorText& weight : text.weights) {
      add_once(graph.weights, weight.name, tensor_from(weight, memory_));
    }
    for (const TensorText& weight : text.weights_in_file) {
      add_once(graph.weights, weight.name, tensor_from(weight, file_));
    }
    for (const std::string& name : text.opaque_weights) add_once(graph.opaque_weights, name);
  }

  Node node_from(const NodeText& text, Made& owner) {
    auto node = json::decode<Node>(text.fields, "its text: fields of a node");
    node.kind = text.kind;
    node.roles = roles_from(text, node.kind);
    for (const AttributeText& attribute : text.attributes) {
      add_once(node.attributes, attribute.name, attribute_from(attribute));
    }
    for (const BodyText& body : text.bodies) {
      if (body.graph >= made_.size() || !made_[body.graph].graph) {
        refuse_text(fmt::format("the body '{}' is none", printable(body.name)));
      }
      Made& inner = made_[body.graph];
      owner.nesting = std::max(owner.nesting, inner.nesting + 1);
      add_once(node.subgraphs, body.name, std::exchange(inner.graph, nullptr));
    }
    const bool are_all = node.results.empty() || node.results.size() == node.outputs.size();
    for (const ResultType& result : node.results) {
      if (are_all && (result.dtype || result.like < node.inputs.size())) continue;
      refuse_text(
          fmt::format("the results of '{}' are not of its outputs", printable(op_name(node))));
    }
    return node;
  }

  /// Those that the kind has by itself, and of other kinds any.
  Roles roles_from(const NodeText& text, Kind kind) const {
    const auto told = json::decode<RolesOutline>(text.roles, "its text: roles");
    Roles roles = std::visit([](const auto& role) -> Roles { return role; }, told);
    if (text.constant) roles = roles::ConstantValue{.value = tensor_from(*text.constant, memory_)};
    const Roles& usual = default_roles(kind);
    const bool has_any = !std::holds_alternative<std::monostate>(roles);
    const bool has_usual = !std::holds_alternative<std::monostate>(usual);
    if (has_any ? has_usual && roles.index() != usual.index() : !text.roles.is_null())
      refuse_text(
          fmt::format("a node of kind '{}' has roles of no or another kind", to_string(text.kind)));
    return roles;
  }

  Attribute attribute_from(const AttributeText& text) const {
    constexpr const char* kWhere = "its text: an attribute";
    switch (text.type) {
      case AttributeType::integer:
        return json::decode<std::int64_t>(text.value, kWhere);
      case AttributeType::real:
        return json::decode<float>(text.value, kWhere);
      case AttributeType::text:
        return json::decode<std::string>(text.value, kWhere);
      case AttributeType::integers:
        return json::decode<std::vector<std::int64_t>>(text.value, kWhere);
      case AttributeType::reals:
        return json::decode<std::vector<float>>(text.value, kWhere);
      case AttributeType::texts:
        return json::decode<std::vector<std::string>>(text.value, kWhere);
      case AttributeType::tensor:
        return tensor_from(json::decode<TensorText>(text.value, kWhere), memory_);
    }
    refuse_text("an attribute has no type");
  }

  const std::vector<GraphText>& texts_;
  const Payload& memory_;
  Payload file_;
  std::vector<Made> made_;
};

}  // namespace

std::vector<EntryText> entries_of(const std::map<std::string, std::string>& map) {
  std::vector<EntryText> entries;
  entries.reserve(map.size());
  for (const auto& [key, value] : map) entries.push_back({key, value});
  return entries;
}

std::map<std::string, std::string> map_from(const std::vector<EntryText>& entries) {
  std::map<std::string, std::string> map;
  for (const EntryText& entry : entries) add_once(map, entry.key, entry.value);
  return map;
}

GraphsText text_from(const Graph& graph, Bytes file, Body& memory) {
  Writer writer(file, memory);
  writer.add(graph);
  return {.graphs = writer.graphs()};
}

ModelText text_from(const Model& model, Bytes file, Body& memory) {
  ModelText text{.graph = text_from(model.graph, file, memory),
                 .opsets = {},
                 .vocabulary = model.vocabulary,
                 .metadata = entries_of(model.metadata)};
  for (const auto& [domain, version] : model.opsets) text.opsets.push_back({domain, version});
  return text;
}

Graph graph_from(const GraphsText& text, const Payload& memory, const MappedFile& file) {
  return Reader(text.graphs, memory, file).read();
}

Model model_from(const ModelText& text, const Payload& memory, const MappedFile& file) {
  Model model;
  model.graph = graph_from(text.graph, memory, file);
  for (const OpsetText& opset : text.opsets) add_once(model.opsets, opset.domain, opset.version);
  model.vocabulary = text.vocabulary;
  model.metadata = map_from(text.metadata);
  model.file = file;
  return model;
}

}  // namespace quantlens::remote
