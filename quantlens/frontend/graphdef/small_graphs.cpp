// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/small_graphs.h"

#include <algorithm>
#include <cstring>

#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

using protozero::pbf_writer;

std::string shape_message(const std::vector<std::int64_t>& extents) {
  std::string message;
  pbf_writer writer(message);
  for (const std::int64_t extent : extents) {
    pbf_writer dim(writer, TensorShapeProto::dim);
    dim.add_int64(DimensionProto::size, extent);
  }
  return message;
}

std::string attribute_with(std::uint32_t field, const std::string& payload) {
  std::string message;
  pbf_writer(message).add_bytes(field, payload);
  return message;
}

std::string tensor_head(std::int64_t type, const std::vector<std::int64_t>& shape) {
  std::string message;
  pbf_writer writer(message);
  writer.add_int64(TensorProto::dtype, type);
  writer.add_bytes(TensorProto::tensor_shape, shape_message(shape));
  return message;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void add_entries(pbf_writer& writer, std::uint32_t field, const Attributes& entries) {
  for (const auto& [key, value] : entries) {
    pbf_writer entry(writer, field);
    entry.add_bytes(MapEntry::key, key);
    entry.add_bytes(MapEntry::value, value);
  }
}

std::string function_message(const std::string& name, const Attributes& attributes) {
  std::string message;
  pbf_writer writer(message);
  writer.add_bytes(NameAttrList::name, name);
  add_entries(writer, NameAttrList::attr, attributes);
  return message;
}

void add_arguments(pbf_writer& signature, std::uint32_t field, const FunctionParts& function,
                   const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    pbf_writer argument(signature, field);
    argument.add_bytes(ArgDef::name, name);
    if (function.type_attribute.empty()) {
      argument.add_int64(ArgDef::type, kFloat);
    } else {
      argument.add_bytes(ArgDef::type_attr, function.type_attribute);
    }
  }
}

}  // namespace

std::string number(std::int64_t value) {
  std::string message;
  pbf_writer(message).add_int64(AttrValue::i, value);
  return message;
}

std::string real(float value) {
  std::string message;
  pbf_writer(message).add_float(AttrValue::f, value);
  return message;
}

std::string flag(bool value) {
  std::string message;
  pbf_writer(message).add_bool(AttrValue::b, value);
  return message;
}

std::string type(std::int64_t value) {
  std::string message;
  pbf_writer(message).add_int64(AttrValue::type, value);
  return message;
}

std::string text(const std::string& value) {
  return attribute_with(AttrValue::s, value);
}

std::string shape(const std::vector<std::int64_t>& extents) {
  return attribute_with(AttrValue::shape, shape_message(extents));
}

std::string unknown_shape() {
  std::string message;
  pbf_writer(message).add_bool(TensorShapeProto::unknown_rank, true);
  return attribute_with(AttrValue::shape, message);
}

std::string numbers(const std::vector<std::int64_t>& values) {
  std::string list;
  pbf_writer(list).add_packed_int64(ListValue::i, values.begin(), values.end());
  return attribute_with(AttrValue::list, list);
}

std::string types(const std::vector<std::int64_t>& values) {
  std::string list;
  pbf_writer writer(list);
  for (const std::int64_t value : values) writer.add_int64(ListValue::type, value);
  return attribute_with(AttrValue::list, list);
}

std::string texts(const std::vector<std::string>& values) {
  std::string list;
  pbf_writer writer(list);
  for (const std::string& value : values) writer.add_bytes(ListValue::s, value);
  return attribute_with(AttrValue::list, list);
}

std::string shapes(const std::vector<std::vector<std::int64_t>>& values) {
  std::string list;
  pbf_writer writer(list);
  for (const auto& value : values) writer.add_bytes(ListValue::shape, shape_message(value));
  return attribute_with(AttrValue::list, list);
}

std::string function(const std::string& name, const Attributes& attributes) {
  return attribute_with(AttrValue::func, function_message(name, attributes));
}

std::string functions(const std::vector<std::string>& names) {
  std::string list;
  pbf_writer writer(list);
  for (const std::string& name : names)
    writer.add_bytes(ListValue::func, function_message(name, {}));
  return attribute_with(AttrValue::list, list);
}

std::string placeholder(const std::string& name) {
  return attribute_with(AttrValue::placeholder, name);
}

std::string tensor(const std::string& message) {
  return attribute_with(AttrValue::tensor, message);
}

std::string with_bytes(std::int64_t type, const std::vector<std::int64_t>& shape,
                       std::uint32_t field, const std::string& bytes) {
  std::string message = tensor_head(type, shape);
  pbf_writer(message).add_bytes(field, bytes);
  return message;
}

std::string floats(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
  return with_bytes(kFloat, shape, TensorProto::tensor_content, bytes_of(values));
}

std::string integers(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int32_t>& values) {
  return with_bytes(kInt32, shape, TensorProto::tensor_content, bytes_of(values));
}

std::string varints(std::int64_t type, const std::vector<std::int64_t>& shape, std::uint32_t field,
                    const std::vector<std::uint64_t>& values, bool packed) {
  std::string message = tensor_head(type, shape);
  pbf_writer writer(message);
  if (packed) {
    writer.add_packed_uint64(field, values.begin(), values.end());
  } else {
    for (const std::uint64_t value : values) writer.add_uint64(field, value);
  }
  return message;
}

std::string node_bytes(const std::string& name, const std::string& op,
                       const std::vector<std::string>& inputs, const Attributes& attributes,
                       const std::string& device) {
  std::string message;
  pbf_writer writer(message);
  writer.add_bytes(NodeDef::name, name);
  writer.add_bytes(NodeDef::op, op);
  for (const std::string& input : inputs) writer.add_bytes(NodeDef::input, input);
  if (!device.empty()) writer.add_bytes(NodeDef::device, device);
  add_entries(writer, NodeDef::attr, attributes);
  return message;
}

GraphBytes& GraphBytes::node(const std::string& name, const std::string& op,
                             const std::vector<std::string>& inputs, const Attributes& attributes,
                             const std::string& device) {
  pbf_writer(bytes_).add_bytes(GraphDef::node, node_bytes(name, op, inputs, attributes, device));
  return *this;
}

GraphBytes& GraphBytes::input(const std::string& name, const std::vector<std::int64_t>& extents) {
  return node(name, "Placeholder", {}, {{"dtype", type(kFloat)}, {"shape", shape(extents)}});
}

GraphBytes& GraphBytes::constant(const std::string& name, const std::string& tensor_message) {
  return node(name, "Const", {}, {{"value", tensor(tensor_message)}});
}

GraphBytes& GraphBytes::define(const FunctionParts& function) {
  pbf_writer writer(bytes_);
  pbf_writer library(writer, GraphDef::library);
  pbf_writer message(library, FunctionDefLibrary::function);
  {
    pbf_writer signature(message, FunctionDef::signature);
    signature.add_bytes(OpDef::name, function.name);
    add_arguments(signature, OpDef::input_arg, function, function.inputs);
    add_arguments(signature, OpDef::output_arg, function, function.outputs);
  }
  for (const std::string& one : function.nodes) message.add_bytes(FunctionDef::node_def, one);
  add_entries(message, FunctionDef::ret, function.returned);
  return *this;
}

GraphBytes& GraphBytes::producer(std::int64_t version) {
  std::string versions;
  pbf_writer(versions).add_int64(VersionDef::producer, version);
  pbf_writer(bytes_).add_bytes(GraphDef::versions, versions);
  return *this;
}

Model GraphBytes::read() const {
  return model_of(bytes_);
}

Model model_of(const std::string& bytes) {
  return graphdef::read("small.pb", MappedFile::from_bytes(bytes));
}

const Node& maker(const Graph& graph, const std::string& value) {
  for (const Node& node : graph.nodes) {
    if (std::ranges::find(node.outputs, value) != node.outputs.end()) return node;
  }
  throw Error(Errc::not_found, "no node makes " + value);
}

std::vector<std::string> names_of(const std::vector<ValueInfo>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ValueInfo& value : values) names.push_back(value.name);
  return names;
}

std::vector<std::string> types_of(const std::vector<Node>& nodes) {
  std::vector<std::string> types;
  types.reserve(nodes.size());
  for (const Node& node : nodes) types.push_back(node.type);
  return types;
}

std::string refusal(const std::string& bytes) {
  try {
    model_of(bytes);
  } catch (const Error& error) {
    return error.code() == Errc::bad_input ? error.what() : "of another kind";
  }
  return {};
}

GraphBytes small_network() {
  GraphBytes graph;
  const Attributes same{{"strides", numbers({1, 2, 2, 1})},
                        {"padding", text("SAME")},
                        {"data_format", text("NHWC")},
                        {"T", type(kFloat)}};
  Attributes pool = same;
  pool.emplace("ksize", numbers({1, 2, 2, 1}));
  graph.producer(1286)
      .input("image", {-1, 8, 8, 2})
      .constant("filter", floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}))
      .constant("bias", floats({3}, {1, 2, 3}))
      .constant("scale", floats({3}, {1, 1, 2}))
      .constant("mean", floats({3}, {0, 0, 1}))
      .constant("variance", floats({3}, {1, 1, 1}))
      .node("filter/read", "Identity", {"filter"}, {{"T", type(kFloat)}})
      .node("conv", "Conv2D", {"image", "filter/read"}, same)
      .node("biased", "BiasAdd", {"conv", "bias"}, {{"T", type(kFloat)}})
      .node("norm", "FusedBatchNormV3", {"biased", "scale", "bias", "mean", "variance"},
            {{"T", type(kFloat)}, {"U", type(kFloat)}, {"is_training", flag(false)}})
      .node("relu", "Relu6", {"norm"}, {{"T", type(kFloat)}})
      .node("pool", "MaxPool", {"relu"}, pool);
  return graph;
}

}  // namespace quantlens::graphdef
