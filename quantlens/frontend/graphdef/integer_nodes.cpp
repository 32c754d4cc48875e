// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/integer_nodes.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

/// Ops that have kernels for any element, or for codes.
constexpr std::array<std::string_view, 9> kMoves = {"Concat",   "ConcatV2", "ExpandDims",
                                                    "Identity", "MaxPool",  "Pad",
                                                    "Reshape",  "Squeeze",  "StridedSlice"};

/// The attributes of these names, as they stand in the file.
void copy_attributes(const NodeParts& node, std::initializer_list<std::string_view> keys,
                     AttributeWriter& attributes) {
  Fields fields(node.message);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(NodeDef::attr)) continue;
    if (std::ranges::count(keys, read_entry(field.payload).first) > 0) attributes.copy(field.whole);
  }
}

/// Inputs, and what all fused ops say of them and of their results.
NewNode fused(const IntegerOp& op, std::string_view type, AttributeWriter& attributes) {
  const std::vector<Type> device{op.data.type, Type::qint8, Type::float32};
  std::vector<std::string> inputs{op.data.node,       op.weight,         op.bias,
                                  op.data.range.min,  op.data.range.max, op.weight_range.min,
                                  op.weight_range.max};
  if (op.result) {
    inputs.push_back(op.result_range.min);
    inputs.push_back(op.result_range.max);
  }
  std::vector<std::string_view> ops{"BiasAdd"};
  if (op.has_relu) ops.emplace_back("Relu");
  ops.emplace_back(op.result ? "Requantize" : "Dequantize");
  attributes.types("Tdevice_inputs", device)
      .types("Thost_inputs", std::vector<Type>(inputs.size() - device.size(), Type::float32))
      .types("Tdevice_outputs", {op.result.value_or(Type::float32)})
      .types("Thost_outputs", std::vector<Type>(op.result ? 2 : 0, Type::float32))
      .type("Tbias", Type::float32)
      .texts("fused_ops", ops);
  return {.name = op.name,
          .type = std::string(type),
          .inputs = std::move(inputs),
          .attributes = attributes.take(),
          .device = std::string(op.floats->device)};
}

constexpr float kGreatestSigned = 127, kGreatestUnsigned = 255;

AttributeWriter attributes_of(const Codes& codes, std::optional<int> axis) {
  AttributeWriter attributes;
  attributes.type("T", codes.type)
      .text("mode", "SCALED")
      .flag("narrow_range", codes.type == Type::qint8 && codes.is_narrow);
  if (axis) attributes.number("axis", *axis);
  return attributes;
}

}  // namespace

NewNode integer_convolution(const IntegerOp& op, bool is_depthwise) {
  AttributeWriter attributes;
  copy_attributes(*op.floats,
                  {"strides", "padding", "explicit_paddings", "dilations", "data_format"},
                  attributes);
  const Type result = op.result.value_or(Type::quint8);
  attributes.type("Tinput", op.data.type)
      .type("Tfilter", Type::qint8)
      .type("Tsummand", result)  // there is none; the kernel wants the result's type
      .type("out_type", result);
  return fused(op, is_depthwise ? "_FusedQuantizedDepthwiseConv2D" : "_FusedQuantizedConv2D",
               attributes);
}

NewNode integer_product(const IntegerOp& op) {
  AttributeWriter attributes;
  copy_attributes(*op.floats, {"transpose_b"}, attributes);
  attributes.type("T1", op.data.type)
      .type("T2", Type::qint8)
      .type("U", Type::float32)
      .type("Tout", op.result.value_or(Type::float32))
      .text("input_quant_mode", "SCALED")
      .text("output_quant_mode", "SCALED");
  return fused(op, "_QuantizedMatMul", attributes);
}

std::optional<Type> code_type(DType dtype, std::span<const QParams> params) {
  const bool is_centred =
      std::ranges::all_of(params, [](const QParams& one) { return one.zero_point == 0; });
  if (is_centred && dtype == DType::int8) return Type::qint8;
  if (is_centred && dtype == DType::uint8) return Type::quint8;
  return std::nullopt;
}

RangeTensors range_tensors(Type type, std::span<const QParams> params, const Shape& shape) {
  const bool is_signed = type == Type::qint8;
  std::vector<float> min, max;
  for (const QParams& one : params) {
    max.push_back((is_signed ? kGreatestSigned : kGreatestUnsigned) * one.scale);
    min.push_back(is_signed ? -max.back() : 0);
  }
  return {.min = Tensor::from<float>(shape, std::move(min)),
          .max = Tensor::from<float>(shape, std::move(max))};
}

bool moves_codes(std::string_view type) {
  return std::ranges::count(kMoves, type) > 0;
}

MovedCodes move_codes(const NodeParts& floats, const std::map<std::size_t, std::string>& parts,
                      const std::string& name, const Codes& data) {
  const bool is_pool = floats.type == "MaxPool";
  AttributeWriter attributes;
  attributes.type("T", data.type);
  copy_attributes(
      floats,
      {"N", "Tidx", "Tdim", "Tpaddings", "Tshape", "squeeze_dims", "Index", "begin_mask",
       "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask", "ksize", "strides"},
      attributes);
  if (is_pool) copy_attributes(floats, {"padding"}, attributes);
  NewNode node{.name = name,
               .type = is_pool ? "QuantizedMaxPool" : std::string(floats.type),
               .inputs = {},
               .attributes = attributes.take(),
               .device = std::string(floats.device)};
  for (const std::string_view input : floats.inputs) {
    if (!input.starts_with('^')) node.inputs.emplace_back(input);
  }
  for (const auto& [position, codes] : parts) node.inputs.at(position) = codes;
  if (!is_pool) return {.node = std::move(node), .codes = Codes(name, data.type, data.range)};
  node.inputs.push_back(data.range.min);
  node.inputs.push_back(data.range.max);
  return {.node = std::move(node), .codes = Codes(name, data.type)};
}

std::vector<NewNode> range_nodes(const RangeNodes& names, Type type,
                                 std::span<const QParams> params) {
  const Shape shape =
      params.size() == 1 ? Shape{} : Shape{static_cast<std::int64_t>(params.size())};
  const RangeTensors tensors = range_tensors(type, params, shape);
  std::vector<NewNode> nodes;
  nodes.push_back(constant_node(names.min, new_tensor(tensors.min)));
  nodes.push_back(constant_node(names.max, new_tensor(tensors.max)));
  return nodes;
}

NewNode quantize_node(const Codes& made, const std::string& value, const RangeNodes& range,
                      std::optional<int> axis) {
  AttributeWriter attributes = attributes_of(made, axis);
  attributes.text("round_mode", "HALF_TO_EVEN").real("ensure_minimum_range", 0);
  return {.name = made.node,
          .type = "QuantizeV2",
          .inputs = {value, range.min, range.max},
          .attributes = attributes.take()};
}

NewNode dequantize_node(const std::string& name, const Codes& codes, std::optional<int> axis) {
  AttributeWriter attributes = attributes_of(codes, axis);
  return {.name = name,
          .type = "Dequantize",
          .inputs = {codes.node, codes.range.min, codes.range.max},
          .attributes = attributes.take()};
}

NewNode copy_of(const NodeParts& node, const std::string& name) {
  Pieces attributes;
  Fields fields(node.message);
  for (Field field; fields.next(field);) {
    const bool is_attribute = field.key == bytes_key(NodeDef::attr);
    if (is_attribute && read_entry(field.payload).first != "_class") attributes.view(field.whole);
  }
  return {.name = name,
          .type = std::string(node.type),
          .inputs = {},
          .attributes = std::move(attributes),
          .device = std::string(node.device)};
}

}  // namespace quantlens::graphdef
