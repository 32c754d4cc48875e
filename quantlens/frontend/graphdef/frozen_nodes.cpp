// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/frozen_nodes.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace quantlens::graphdef {
namespace {

constexpr std::int64_t kInt32Type = 3;

/// An AttrValue as it was read.
Pieces message_of(const Value& value) {
  Pieces out;
  switch (value.field) {
    case AttrValue::i:
    case AttrValue::b:
    case AttrValue::type:
      out.varint_field(value.field, static_cast<std::uint64_t>(value.number));
      break;
    case AttrValue::f: {
      std::array<char, 1 + sizeof(float)> bytes{};
      bytes[0] = static_cast<char>(fixed32_key(AttrValue::f));
      std::memcpy(bytes.data() + 1, &value.real, sizeof(value.real));
      out.text({bytes.data(), bytes.size()});
      break;
    }
    case 0:
      break;
    default: {
      Pieces contents;
      contents.view(value.bytes);
      out.field(value.field, std::move(contents));
    }
  }
  return out;
}

void add_attribute(std::string_view key, Pieces message, Pieces& node) {
  Pieces entry;
  entry.field(MapEntry::key, key);
  entry.field(MapEntry::value, std::move(message));
  node.field(NodeDef::attr, std::move(entry));
}

void add_type(std::string_view key, std::int64_t type, Pieces& node) {
  add_attribute(key, message_of({.field = AttrValue::type, .number = type}), node);
}

Pieces begin_node(std::string_view name, std::string_view type,
                  const std::vector<std::string>& inputs) {
  Pieces node;
  node.field(NodeDef::name, name);
  node.field(NodeDef::op, type);
  for (const std::string& input : inputs) node.field(NodeDef::input, input);
  return node;
}

Pieces tensor_message(std::int64_t type, const Shape& shape, std::string_view bytes) {
  Pieces dims, contents, tensor;
  for (const std::int64_t extent : shape) {
    Pieces dim;
    dim.varint_field(DimensionProto::size, static_cast<std::uint64_t>(extent));
    dims.field(TensorShapeProto::dim, std::move(dim));
  }
  contents.view(bytes);
  tensor.varint_field(TensorProto::dtype, static_cast<std::uint64_t>(type));
  tensor.field(TensorProto::tensor_shape, std::move(dims));
  tensor.field(TensorProto::tensor_content, std::move(contents));
  return tensor;
}

Pieces constant(const std::string& name, std::int64_t type, Pieces tensor) {
  Pieces node = begin_node(name, "Const", {});
  add_type("dtype", type, node);
  Pieces value;
  value.field(AttrValue::tensor, std::move(tensor));
  add_attribute("value", std::move(value), node);
  return node;
}

}  // namespace

Pieces kept_node(const KeptNode& node) {
  Pieces out = begin_node(node.name, node.parts->type, node.inputs);
  for (const auto& [key, value] : node.parts->values) {
    if (key.starts_with('_') && key != "_output_shapes") continue;
    if (value.field != 0) add_attribute(key, message_of(value), out);
  }
  return out;
}

void add_gather(const KeptNode& node, Pieces& graph) {
  const auto find = [&](std::string_view key) {
    const auto found = node.parts->values.find(key);
    return found == node.parts->values.end() ? Value() : found->second;
  };
  const bool is_nd = node.parts->type == "ResourceGatherNd";
  std::vector<std::string> inputs = node.inputs;
  if (!is_nd) {
    const std::string axis = node.name + "/axis";
    inputs.insert(inputs.begin() + 2, axis);  // data, indices; control edges come last
    const auto number = static_cast<std::int32_t>(find("batch_dims").number);
    std::array<char, sizeof(number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    Pieces tensor;
    tensor.varint_field(TensorProto::dtype, static_cast<std::uint64_t>(kInt32Type));
    tensor.field(TensorProto::tensor_shape, Pieces());
    tensor.field(TensorProto::tensor_content, std::string_view(bytes.data(), bytes.size()));
    graph.field(GraphDef::node, constant(axis, kInt32Type, std::move(tensor)));
  }
  Pieces out = begin_node(node.name, is_nd ? "GatherNd" : "GatherV2", inputs);
  add_type("Tparams", find("dtype").number, out);
  add_type("Tindices", find("Tindices").number, out);
  if (!is_nd) {
    add_type("Taxis", kInt32Type, out);
    add_attribute("batch_dims",
                  message_of({.field = AttrValue::i, .number = find("batch_dims").number}), out);
  }
  graph.field(GraphDef::node, std::move(out));
}

Pieces placeholder_node(const std::string& name, const SavedEnd& input) {
  Pieces node = begin_node(name, "Placeholder", {});
  add_type("dtype", input.type, node);
  if (input.shape.data() == nullptr) return node;  // it is not known
  Pieces shape, contents;
  contents.view(input.shape);
  shape.field(AttrValue::shape, std::move(contents));
  add_attribute("shape", std::move(shape), node);
  return node;
}

Pieces identity_node(const std::string& name, const std::string& input, std::int64_t type) {
  Pieces node = begin_node(name, "Identity", {input});
  add_type("T", type, node);
  return node;
}

Pieces frozen_node(const std::string& name, std::int64_t type, const Tensor& value) {
  return constant(name, type, tensor_message(type, value.shape(), as_text(value.bytes())));
}

}  // namespace quantlens::graphdef
