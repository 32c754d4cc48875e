// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/encode.h"

#include <cstring>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint64_t kIrVersion = 8;       // of generated models: what opsets 13 to 19 came with
constexpr std::uint64_t kIrVersionInt4 = 10;  // the first with int4

bool is_half_byte(DType dtype) {
  return dtype == DType::int4 || dtype == DType::uint4;
}

void fixed32_field(Pieces& out, std::uint32_t number, float value) {
  char bytes[5] = {static_cast<char>(fixed32_key(number))};  // numbers below 16 take one byte
  std::memcpy(bytes + 1, &value, sizeof value);
  out.text({bytes, sizeof bytes});
}

/// Writes an attribute's value and returns its AttributeProto.type.
struct AttributeValue {
  Pieces& out;

  AttributeType operator()(std::int64_t value) const {
    out.varint_field(AttributeProto::i, static_cast<std::uint64_t>(value));
    return AttributeType::integer;
  }
  AttributeType operator()(float value) const {
    fixed32_field(out, AttributeProto::f, value);
    return AttributeType::real;
  }
  AttributeType operator()(const std::string& value) const {
    out.field(AttributeProto::s, value);
    return AttributeType::text;
  }
  AttributeType operator()(const std::vector<std::int64_t>& values) const {
    for (const std::int64_t value : values) {
      out.varint_field(AttributeProto::ints, static_cast<std::uint64_t>(value));
    }
    return AttributeType::integers;
  }
  AttributeType operator()(const std::vector<float>& values) const {
    for (const float value : values) fixed32_field(out, AttributeProto::floats, value);
    return AttributeType::reals;
  }
  AttributeType operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) out.field(AttributeProto::strings, value);
    return AttributeType::texts;
  }
  AttributeType operator()(const Tensor& value) const {
    out.field(AttributeProto::t, encode_tensor(new_weight("", value), std::nullopt));
    return AttributeType::tensor;
  }
};

Pieces encode_attribute(const std::string& name, const Attribute& attribute) {
  Pieces out;
  out.field(AttributeProto::name, name);
  const AttributeType type = std::visit(AttributeValue{out}, attribute);
  out.varint_field(AttributeProto::type, static_cast<std::uint64_t>(type));
  return out;
}

Pieces encode_shape(const std::vector<Dim>& shape) {
  Pieces out;
  for (const Dim& dim : shape) {
    Pieces message;
    if (dim.extent) {
      message.varint_field(DimensionProto::dim_value, static_cast<std::uint64_t>(*dim.extent));
    } else if (!dim.symbol.empty()) {
      message.field(DimensionProto::dim_param, dim.symbol);
    }
    out.field(TensorShapeProto::dim, std::move(message));
  }
  return out;
}

/// Attributes that hold graphs; "key[0]", "key[1]", … are one list.
void add_subgraphs(const Node& node, Pieces& out) {
  std::map<std::string, Pieces> lists;
  for (const auto& [key, body] : node.subgraphs) {
    const std::size_t bracket = key.find('[');
    if (bracket != std::string::npos) {
      lists[key.substr(0, bracket)].field(AttributeProto::graphs, encode_graph(*body));
      continue;
    }
    Pieces attribute;
    attribute.field(AttributeProto::name, key);
    attribute.field(AttributeProto::g, encode_graph(*body));
    attribute.varint_field(AttributeProto::type, static_cast<std::uint64_t>(AttributeType::graph));
    out.field(NodeProto::attribute, std::move(attribute));
  }
  for (auto& [key, graphs] : lists) {
    graphs.field(AttributeProto::name, key);
    graphs.varint_field(AttributeProto::type, static_cast<std::uint64_t>(AttributeType::graphs));
    out.field(NodeProto::attribute, std::move(graphs));
  }
}

bool has_half_bytes(const Graph& graph) {
  for (const auto& [name, weight] : graph.weights) {
    if (is_half_byte(weight.dtype())) return true;
  }
  return false;
}

}  // namespace

NewWeight new_weight(const std::string& name, const Tensor& tensor) {
  return {name, tensor.dtype(), tensor.shape(), [tensor] { return tensor; }};
}

std::uint64_t stored_bytes(DType dtype, const Shape& shape) {
  const auto count = static_cast<std::uint64_t>(element_count(shape).value());
  return is_half_byte(dtype) ? count / 2 + count % 2 : count * byte_size(dtype);
}

void write_elements(const Tensor& tensor, const Sink& sink) {
  const Bytes bytes = tensor.bytes();
  if (!is_half_byte(tensor.dtype())) return sink(bytes);
  std::string packed(bytes.size() / 2 + bytes.size() % 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned half = std::to_integer<unsigned>(bytes[i]) & 15U;
    const auto before = static_cast<unsigned char>(packed[i / 2]);
    packed[i / 2] = static_cast<char>(before | (i % 2 == 0 ? half : half << 4U));
  }
  sink(as_bytes(packed));
}

Pieces encode_external(const External& external) {
  Pieces out;
  out.field(TensorProto::external_data, encode_entry("location", external.location));
  out.field(TensorProto::external_data, encode_entry("offset", fmt::to_string(external.offset)));
  if (external.length) {
    out.field(TensorProto::external_data, encode_entry("length", fmt::to_string(*external.length)));
  }
  out.varint_field(TensorProto::data_location, 1);
  return out;
}

Pieces encode_tensor(const NewWeight& weight, const std::optional<External>& elsewhere) {
  Pieces out;
  for (const std::int64_t extent : weight.shape) {
    out.varint_field(TensorProto::dims, static_cast<std::uint64_t>(extent));
  }
  out.varint_field(TensorProto::data_type,
                   static_cast<std::uint64_t>(onnx_from_dtype(weight.dtype)));
  if (weight.dtype == DType::string) {
    const Tensor tensor = weight.make();
    for (const std::string& text : tensor.strings()) out.field(TensorProto::string_data, text);
  }
  if (!weight.name.empty()) out.field(TensorProto::name, weight.name);
  if (weight.dtype == DType::string) return out;
  if (elsewhere) {
    out.append(encode_external(*elsewhere));
    return out;
  }
  Pieces data;
  data.later(stored_bytes(weight.dtype, weight.shape),
             [make = weight.make](const Sink& sink) { write_elements(make(), sink); });
  out.field(TensorProto::raw_data, std::move(data));
  return out;
}

Pieces encode_node(const Node& node) {
  Pieces out;
  for (const std::string& name : node.inputs) out.field(NodeProto::input, name);
  for (const std::string& name : node.outputs) out.field(NodeProto::output, name);
  if (!node.name.empty()) out.field(NodeProto::name, node.name);
  out.field(NodeProto::op_type, node.type);
  for (const auto& [name, attribute] : node.attributes) {
    out.field(NodeProto::attribute, encode_attribute(name, attribute));
  }
  add_subgraphs(node, out);
  if (!node.domain.empty()) out.field(NodeProto::domain, node.domain);
  return out;
}

Pieces encode_value_info(const ValueInfo& info) {
  Pieces out;
  out.field(ValueInfoProto::name, info.name);
  if (!info.dtype) return out;
  Pieces tensor;
  tensor.varint_field(TensorTypeProto::elem_type,
                      static_cast<std::uint64_t>(onnx_from_dtype(*info.dtype)));
  if (info.shape) tensor.field(TensorTypeProto::shape, encode_shape(*info.shape));
  Pieces type;
  type.field(TypeProto::tensor_type, std::move(tensor));
  out.field(ValueInfoProto::type, std::move(type));
  return out;
}

Pieces encode_opset(const Opset& opset) {
  Pieces out;
  if (!opset.domain.empty()) out.field(OperatorSetIdProto::domain, opset.domain);
  out.varint_field(OperatorSetIdProto::version, static_cast<std::uint64_t>(opset.version));
  return out;
}

Pieces encode_entry(std::string_view key, std::string_view value) {
  Pieces out;
  out.field(StringStringEntryProto::key, key);
  out.field(StringStringEntryProto::value, value);
  return out;
}

Pieces encode_graph(const Graph& graph) {
  Pieces out;
  for (const Node& node : graph.nodes) out.field(GraphProto::node, encode_node(node));
  out.field(GraphProto::name, graph.name.empty() ? "graph" : graph.name);
  for (const auto& [name, weight] : graph.weights) {
    out.field(GraphProto::initializer, encode_tensor(new_weight(name, weight), std::nullopt));
  }
  for (const ValueInfo& input : graph.inputs) {
    out.field(GraphProto::input, encode_value_info(input));
  }
  for (const ValueInfo& output : graph.outputs) {
    out.field(GraphProto::output, encode_value_info(output));
  }
  for (const auto& [name, info] : graph.values) {
    out.field(GraphProto::value_info, encode_value_info(info));
  }
  return out;
}

std::string serialize(const Graph& graph, const std::map<std::string, std::int64_t>& opsets,
                      const std::map<std::string, std::string>& metadata) {
  Pieces out;
  out.varint_field(ModelProto::ir_version, has_half_bytes(graph) ? kIrVersionInt4 : kIrVersion);
  out.field(ModelProto::producer_name, "quantlens");
  out.field(ModelProto::graph, encode_graph(graph));
  for (const auto& [domain, version] : opsets) {
    out.field(ModelProto::opset_import, encode_opset({domain, version}));
  }
  for (const auto& [key, value] : metadata) {
    out.field(ModelProto::metadata_props, encode_entry(key, value));
  }
  return out.str();
}

}  // namespace quantlens::onnx
