// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/encode.h"

#include <array>
#include <cstring>
#include <utility>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

std::uint64_t number_of(Type type) {
  return static_cast<std::uint64_t>(type);
}

void add_real(Pieces& out, std::uint32_t number, float value) {
  std::array<char, 1 + sizeof(float)> bytes{};
  bytes[0] = static_cast<char>(fixed32_key(number));
  static_assert(fixed32_key(AttrValue::f) < 0x80U, "its key is one byte");
  std::memcpy(bytes.data() + 1, &value, sizeof(value));
  out.text({bytes.data(), bytes.size()});
}

Pieces encode_shape(const Shape& shape) {
  Pieces out;
  for (const std::int64_t extent : shape) {
    Pieces dim;
    dim.varint_field(DimensionProto::size, static_cast<std::uint64_t>(extent));
    out.field(TensorShapeProto::dim, std::move(dim));
  }
  return out;
}

Pieces encode_tensor(const NewTensor& tensor) {
  Pieces out;
  out.varint_field(TensorProto::dtype, number_of(tensor.type));
  out.field(TensorProto::tensor_shape, encode_shape(tensor.shape));
  const auto dtype = dtype_of_number(static_cast<std::int64_t>(number_of(tensor.type)));
  const std::uint64_t each = byte_size(dtype.value());
  const auto count = static_cast<std::uint64_t>(element_count(tensor.shape).value_or(0));
  Pieces contents;
  contents.later(count * each, [make = tensor.make](const Sink& sink) { sink(make().bytes()); });
  out.field(TensorProto::tensor_content, std::move(contents));
  return out;
}

}  // namespace

AttributeWriter& AttributeWriter::add(std::string_view key, Pieces value) {
  Pieces entry;
  entry.field(MapEntry::key, key);
  entry.field(MapEntry::value, std::move(value));
  fields_.field(NodeDef::attr, std::move(entry));
  return *this;
}

AttributeWriter& AttributeWriter::type(std::string_view key, Type value) {
  Pieces out;
  out.varint_field(AttrValue::type, number_of(value));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::types(std::string_view key, const std::vector<Type>& values) {
  Pieces list;
  for (const Type value : values) list.varint_field(ListValue::type, number_of(value));
  Pieces out;
  out.field(AttrValue::list, std::move(list));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::text(std::string_view key, std::string_view value) {
  Pieces out;
  out.field(AttrValue::s, value);
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::texts(std::string_view key,
                                        const std::vector<std::string_view>& values) {
  Pieces list;
  for (const std::string_view value : values) list.field(ListValue::s, value);
  Pieces out;
  out.field(AttrValue::list, std::move(list));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::number(std::string_view key, std::int64_t value) {
  Pieces out;
  out.varint_field(AttrValue::i, static_cast<std::uint64_t>(value));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::flag(std::string_view key, bool value) {
  Pieces out;
  out.varint_field(AttrValue::b, value ? 1 : 0);
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::real(std::string_view key, float value) {
  Pieces out;
  add_real(out, AttrValue::f, value);
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::shape(std::string_view key, const Shape& value) {
  Pieces out;
  out.field(AttrValue::shape, encode_shape(value));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::tensor(std::string_view key, Pieces message) {
  Pieces out;
  out.field(AttrValue::tensor, std::move(message));
  return add(key, std::move(out));
}

AttributeWriter& AttributeWriter::copy(std::string_view field) {
  fields_.view(field);
  return *this;
}

NewTensor new_tensor(const Tensor& tensor) {
  return {.type = static_cast<Type>(number_of_dtype(tensor.dtype())),
          .shape = tensor.shape(),
          .make = [tensor] { return tensor; }};
}

NewNode constant_node(const std::string& name, const NewTensor& tensor) {
  AttributeWriter attributes;
  attributes.type("dtype", tensor.type).tensor("value", encode_tensor(tensor));
  return {.name = name, .type = "Const", .inputs = {}, .attributes = attributes.take()};
}

Pieces encode(const NewNode& node) {
  Pieces out;
  out.field(NodeDef::name, node.name);
  out.field(NodeDef::op, node.type);
  for (const std::string& input : node.inputs) out.field(NodeDef::input, input);
  if (!node.device.empty()) out.field(NodeDef::device, node.device);
  out.append(node.attributes);
  return out;
}

}  // namespace quantlens::graphdef
