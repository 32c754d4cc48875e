// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

Dim read_dim(std::string_view message) {
  Dim dim;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(DimensionProto::dim_value)) {
      dim = {};                                                // of the two, the later one counts
      if (field.integer() >= 0) dim.extent = field.integer();  // exporters write -1 for "any"
    }
    if (field.key == bytes_key(DimensionProto::dim_param)) dim = {{}, std::string(field.payload)};
  }
  return dim;
}

void read_tensor_type(std::string_view message, ValueInfo& info) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(TensorTypeProto::elem_type)) {
      info.dtype = dtype_from_onnx(field.integer());
    }
    if (field.key != bytes_key(TensorTypeProto::shape)) continue;
    std::vector<Dim> shape;
    Fields dims(field.payload);
    for (Field dim; dims.next(dim);) {
      if (dim.key == bytes_key(TensorShapeProto::dim)) shape.push_back(read_dim(dim.payload));
    }
    info.shape = std::move(shape);
  }
}

/// An AttributeProto; all fields that may hold its value, until its type is known.
struct Parts {
  std::string name;
  AttributeType type = AttributeType::undefined;
  float real = 0;
  std::int64_t integer = 0;
  std::string_view text;
  std::optional<std::string_view> tensor;
  std::optional<std::string_view> graph;
  std::vector<std::byte> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  std::vector<std::string_view> graphs;
};

AttributeType type_of(const Field& field) {
  return static_cast<AttributeType>(std::min<std::uint64_t>(field.bits, 0xFF));
}

/// Old files leave the type out: then it is that of the field which is there.
void guess_type(Parts& parts, const Field& field) {
  switch (field.number()) {
    case AttributeProto::f:
      parts.type = AttributeType::real;
      break;
    case AttributeProto::i:
      parts.type = AttributeType::integer;
      break;
    case AttributeProto::s:
      parts.type = AttributeType::text;
      break;
    case AttributeProto::t:
      parts.type = AttributeType::tensor;
      break;
    case AttributeProto::g:
      parts.type = AttributeType::graph;
      break;
    case AttributeProto::floats:
      parts.type = AttributeType::reals;
      break;
    case AttributeProto::ints:
      parts.type = AttributeType::integers;
      break;
    case AttributeProto::strings:
      parts.type = AttributeType::texts;
      break;
    case AttributeProto::graphs:
      parts.type = AttributeType::graphs;
      break;
    default:
      break;
  }
}

void read_attribute_field(Parts& parts, const Field& field) {
  switch (field.key) {
    case bytes_key(AttributeProto::name):
      parts.name = field.payload;
      break;
    case fixed32_key(AttributeProto::f):
      parts.real = field.real();
      break;
    case varint_key(AttributeProto::i):
      parts.integer = field.integer();
      break;
    case bytes_key(AttributeProto::s):
      parts.text = field.payload;
      break;
    case bytes_key(AttributeProto::t):
      parts.tensor = field.payload;
      break;
    case bytes_key(AttributeProto::g):
      parts.graph = field.payload;
      break;
    case fixed32_key(AttributeProto::floats):
    case bytes_key(AttributeProto::floats):
      append_fixed(field, parts.reals);
      break;
    case varint_key(AttributeProto::ints):
    case bytes_key(AttributeProto::ints):
      append_varints(field, parts.integers);
      break;
    case bytes_key(AttributeProto::strings):
      parts.texts.emplace_back(field.payload);
      break;
    case bytes_key(AttributeProto::graphs):
      parts.graphs.push_back(field.payload);
      break;
    default:
      break;
  }
}

Parts split_attribute(const Source& source, std::string_view message) {
  Parts parts;
  AttributeType type = AttributeType::undefined;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(AttributeProto::type)) type = type_of(field);
    if ((field.key == bytes_key(AttributeProto::t) && parts.tensor) ||
        (field.key == bytes_key(AttributeProto::g) && parts.graph)) {
      unsound(source.path, "an attribute has two values");
    }
    guess_type(parts, field);
    read_attribute_field(parts, field);
  }
  if (type != AttributeType::undefined) parts.type = type;
  if (parts.name.empty()) unsound(source.path, "an attribute has no name");
  if ((parts.tensor && parts.type != AttributeType::tensor) ||
      (parts.graph && parts.type != AttributeType::graph) ||
      (!parts.graphs.empty() && parts.type != AttributeType::graphs)) {
    unsound(source.path, fmt::format("the attribute '{}' has a value that is not of its type",
                                     printable(parts.name)));
  }
  return parts;
}

std::vector<float> floats_of(const Source& source, const std::vector<std::byte>& bytes) {
  if (bytes.size() % sizeof(float) != 0)
    unsound(source.path, "an attribute's floats are cut short");
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

class NodeReader {
 public:
  NodeReader(Source& source, int depth) : source_(source), depth_(depth) {}

  Node read(std::string_view message) {
    Fields fields(message);
    for (Field field; fields.next(field);) {
      switch (field.key) {
        case bytes_key(NodeProto::input):
          node_.inputs.emplace_back(field.payload);
          break;
        case bytes_key(NodeProto::output):
          node_.outputs.emplace_back(field.payload);
          break;
        case bytes_key(NodeProto::name):
          node_.name = field.payload;
          break;
        case bytes_key(NodeProto::op_type):
          node_.type = field.payload;
          break;
        case bytes_key(NodeProto::domain):
          node_.domain = canonical_domain(field.payload);
          break;
        case bytes_key(NodeProto::attribute):
          add_attribute(field.payload);
          break;
        default:
          break;
      }
    }
    if (node_.type.empty()) unsound(source_.path, "a node has no operator");
    if (op_id(node_).empty()) {
      unsound(source_.path, fmt::format("the {} node '{}' makes nothing", printable(node_.type),
                                        printable(node_.name)));
    }
    if (!source_.functions.contains({node_.domain, node_.type})) {
      node_.kind = kind_of(node_.domain, node_.type);
      if (node_.kind == Kind::cast || node_.kind == Kind::other) {
        node_.results = result_types(node_);
      }
      node_.roles = read_roles(node_);
    }
    if (!node_.subgraphs.empty()) node_.kind = Kind::control_flow;
    return std::move(node_);
  }

 private:
  void add_graph(const std::string& key, std::string_view message) {
    node_.subgraphs[key] = std::make_shared<const Graph>(read_graph(source_, message, depth_ + 1));
  }

  void add_attribute(std::string_view message) {
    Parts parts = split_attribute(source_, message);
    const auto set = [&](Attribute value) {
      node_.attributes.insert_or_assign(parts.name, std::move(value));
    };
    switch (parts.type) {
      case AttributeType::real:
        return set(parts.real);
      case AttributeType::integer:
        return set(parts.integer);
      case AttributeType::text:
        return set(std::string(parts.text));
      case AttributeType::reals:
        return set(floats_of(source_, parts.reals));
      case AttributeType::integers:
        return set(std::move(parts.integers));
      case AttributeType::texts:
        return set(std::move(parts.texts));
      case AttributeType::tensor: {
        if (!parts.tensor) unsound(source_.path, "an attribute lacks its tensor");
        NamedTensor value = read_tensor(source_, *parts.tensor);
        if (value.tensor) set(std::move(*value.tensor));
        return;
      }
      case AttributeType::graph:
        if (!parts.graph) unsound(source_.path, "an attribute lacks its graph");
        return add_graph(parts.name, *parts.graph);
      case AttributeType::graphs:
        for (std::size_t i = 0; i < parts.graphs.size(); ++i) {
          add_graph(fmt::format("{}[{}]", parts.name, i), parts.graphs[i]);
        }
        return;
      default:
        return;  // other types stay in the file
    }
  }

  Source& source_;
  int depth_;
  Node node_;
};

std::string sparse_name(std::string_view message) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(SparseTensorProto::values)) return tensor_name(field.payload);
  }
  return {};
}

void add_weight(Source& source, Graph& graph, std::string_view message) {
  NamedTensor weight = read_tensor(source, message);
  if (weight.name.empty()) unsound(source.path, "a weight has no name");
  const bool added = weight.tensor
                         ? graph.weights.emplace(weight.name, std::move(*weight.tensor)).second
                         : graph.opaque_weights.insert(weight.name).second;
  if (!added) {
    unsound(source.path, fmt::format("two weights are named '{}'", printable(weight.name)));
  }
}

ValueInfo read_named(const Source& source, std::string_view message) {
  ValueInfo info = read_value_info(message);
  if (info.name.empty()) unsound(source.path, "an input or output has no name");
  return info;
}

}  // namespace

std::string tensor_name(std::string_view message) {
  std::string name;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(TensorProto::name)) name = field.payload;
  }
  return name;
}

ValueInfo read_value_info(std::string_view message) {
  ValueInfo info;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(ValueInfoProto::name)) info.name = field.payload;
    if (field.key != bytes_key(ValueInfoProto::type)) continue;
    Fields types(field.payload);
    for (Field type; types.next(type);) {
      if (type.key == bytes_key(TypeProto::tensor_type)) read_tensor_type(type.payload, info);
    }
  }
  return info;
}

Graph read_graph(Source& source, std::string_view message, int depth) {
  if (depth > kMostNesting) {
    unsound(source.path, fmt::format("its graphs are nested more than {} deep", kMostNesting));
  }
  Graph graph;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(GraphProto::name):
        graph.name = field.payload;
        break;
      case bytes_key(GraphProto::node):
        graph.nodes.push_back(NodeReader(source, depth).read(field.payload));
        break;
      case bytes_key(GraphProto::initializer):
        add_weight(source, graph, field.payload);
        break;
      case bytes_key(GraphProto::sparse_initializer):
        graph.opaque_weights.insert(sparse_name(field.payload));
        break;
      case bytes_key(GraphProto::input):
        graph.inputs.push_back(read_named(source, field.payload));
        break;
      case bytes_key(GraphProto::output):
        graph.outputs.push_back(read_named(source, field.payload));
        break;
      case bytes_key(GraphProto::value_info): {
        ValueInfo info = read_value_info(field.payload);
        const std::string name = info.name;
        graph.values.insert_or_assign(name, std::move(info));
        break;
      }
      default:
        break;
    }
  }
  std::erase_if(graph.inputs, [&](const ValueInfo& input) {
    return graph.weights.contains(input.name) || graph.opaque_weights.contains(input.name);
  });
  return graph;
}

}  // namespace quantlens::onnx
