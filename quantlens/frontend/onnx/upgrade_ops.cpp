// SPDX-License-Identifier: Apache-2.0
// What changed in ONNX's operators between opset 6 and 13, by their specification's change log.
#include "quantlens/frontend/onnx/upgrade_ops.h"

#include <algorithm>
#include <memory>

#include "quantlens/frontend/onnx/source.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/tensor/half.h"

namespace quantlens::onnx {
namespace {

Tensor integers(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from<std::int64_t>({count}, std::move(values));
}

Tensor real(float value, DType type) {
  if (type == DType::float64) return Tensor::scalar(static_cast<double>(value));
  if (type != DType::float16) return Tensor::scalar(value);
  const auto bits = std::make_shared<std::vector<std::uint16_t>>(1, half_from_float(value));
  return {DType::float16, {}, std::as_bytes(std::span(*bits)), bits};
}

bool has_input(const Node& node, const std::string& attribute) {
  return node.attributes.contains(attribute);
}

Node helper(UpgradeContext& context, const Node& node, const std::string& type) {
  Node helper;
  helper.name = context.free_name(op_id(node) + "_" + type);
  helper.type = type;
  helper.outputs = {context.free_name(op_id(node) + "_" + type + "_output")};
  return helper;
}

void set_input(Node& node, std::size_t input, std::string value) {
  if (node.inputs.size() <= input) node.inputs.resize(input + 1);
  node.inputs[input] = std::move(value);
}

/// An attribute of integers becomes an input.
void move_to_input(UpgradeContext& context, Node& node, const std::string& key, std::size_t input) {
  if (!has_input(node, key)) return;
  set_input(node, input, context.add_weight(node, key, integers(attribute_ints(node, key))));
  node.attributes.erase(key);
}

std::string refused(UpgradeContext&, Node&) {
  return "has no equal in newer operators";
}

// 7: elementwise ops broadcast as NumPy does; before, from a given axis on.

std::string binary_7(UpgradeContext& context, Node& node) {
  const bool from_axis = attribute_int(node, "broadcast", 0) != 0 && has_input(node, "axis");
  std::int64_t axis = attribute_int(node, "axis", -1);
  node.attributes.clear();
  if (!from_axis || node.inputs.size() < 2) return {};
  const std::optional<std::size_t> a = context.rank_of(node.inputs[0]);
  const std::optional<std::size_t> b = context.rank_of(node.inputs[1]);
  if (!a || !b) return "broadcasts from an axis, and the file does not tell its shapes";
  if (axis < 0) axis += static_cast<std::int64_t>(*a);
  const std::int64_t missing = static_cast<std::int64_t>(*a) - axis - static_cast<std::int64_t>(*b);
  if (axis < 0 || missing < 0) return "broadcasts from an axis that it does not have";
  if (missing == 0) return {};
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < missing; ++i) axes.push_back(static_cast<std::int64_t>(*b) + i);
  Node unsqueeze = helper(context, node, "Unsqueeze");
  unsqueeze.inputs = {node.inputs[1], context.add_weight(node, "axes", integers(axes))};
  node.inputs[1] = unsqueeze.outputs[0];
  context.before.push_back(std::move(unsqueeze));
  return {};
}

std::string gemm_7(UpgradeContext&, Node& node) {
  node.attributes.erase("broadcast");
  return {};
}

/// Several slopes are one for each channel, which is the second axis.
std::string prelu_7(UpgradeContext& context, Node& node) {
  if (node.inputs.size() < 2) return {};
  const Tensor* slope = context.constant(node.inputs[1]);
  if (slope != nullptr && slope->size() == 1) return {};
  const std::optional<std::size_t> slope_rank = context.rank_of(node.inputs[1]);
  const std::optional<std::size_t> rank = context.rank_of(node.inputs[0]);
  if (!rank || !slope_rank) return "has slopes, and the file does not tell its shapes";
  if (*rank <= 2 || *slope_rank != 1) return {};
  node.attributes["broadcast"] = std::int64_t{1};
  node.attributes["axis"] = std::int64_t{1};
  return binary_7(context, node);
}

std::string without_is_test_7(UpgradeContext&, Node& node) {
  node.attributes.erase("is_test");
  node.attributes.erase("consumed_inputs");
  return {};
}

// 9

std::string batch_norm_9(UpgradeContext& context, Node& node) {
  if (attribute_int(node, "spatial", 1) == 0) return "normalises each pixel by its own statistics";
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (context.is_read(node.outputs[i])) return "is in training";
  }
  node.attributes.erase("spatial");
  node.outputs.resize(1);
  return {};
}

std::string upsample_9(UpgradeContext& context, Node& node) {
  const auto found = node.attributes.find("scales");
  const auto* scales =
      found == node.attributes.end() ? nullptr : std::get_if<std::vector<float>>(&found->second);
  if (scales == nullptr) return "has no scales";
  const auto rank = static_cast<std::int64_t>(scales->size());
  Tensor tensor = Tensor::from<float>({rank}, *scales);
  node.attributes.erase(found);
  set_input(node, 1, context.add_weight(node, "scales", std::move(tensor)));
  return {};
}

// 10

std::string dropout_10(UpgradeContext& context, Node& node) {
  if (node.outputs.size() > 1 && context.is_read(node.outputs[1])) return "gives its mask away";
  node.outputs.resize(1);
  return {};
}

std::string slice_10(UpgradeContext& context, Node& node) {
  move_to_input(context, node, "starts", 1);
  move_to_input(context, node, "ends", 2);
  move_to_input(context, node, "axes", 3);
  return {};
}

std::string top_k_10(UpgradeContext& context, Node& node) {
  const std::int64_t k = attribute_int(node, "k", 1);
  node.attributes.erase("k");
  set_input(node, 1, context.add_weight(node, "k", integers({k})));
  return {};
}

std::string upsample_10(UpgradeContext&, Node& node) {
  node.type = "Resize";
  node.kind = Kind::resize;
  return {};
}

// 11

std::string clip_11(UpgradeContext& context, Node& node) {
  const DType type = context.type_of(node.inputs.at(0));
  std::size_t input = 1;
  for (const std::string key : {"min", "max"}) {
    if (has_input(node, key)) {
      Tensor bound = real(attribute_float(node, key, 0), type);
      set_input(node, input, context.add_weight(node, key, std::move(bound)));
      node.attributes.erase(key);
    }
    ++input;
  }
  return {};
}

std::string pad_11(UpgradeContext& context, Node& node) {
  move_to_input(context, node, "pads", 1);
  const float value = attribute_float(node, "value", 0);
  node.attributes.erase("value");
  if (value == 0) return {};
  const DType type = context.type_of(node.inputs.at(0));
  set_input(node, 2, context.add_weight(node, "value", real(value, type)));
  return {};
}

/// Before 11, Resize (and Upsample, as it was called first) scaled about the corner; it took the
/// pixel below when a picture grew, and the one above when it shrank.
std::string resize_11(UpgradeContext& context, Node& node) {
  if (node.inputs.size() < 2) return "has no scales";
  const std::string scales = node.inputs[1];
  node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  node.inputs = {node.inputs[0], "", scales};
  if (attribute_string(node, "mode", "nearest") != "nearest") return {};
  const auto given =
      std::ranges::find(context.weights, scales, &std::pair<std::string, Tensor>::first);
  const Tensor* values = given != context.weights.end() ? &given->second : context.constant(scales);
  if (values == nullptr || values->dtype() != DType::float32) return "computes its scales";
  const Tensor known = aligned(*values);
  const bool grows = std::ranges::all_of(known.data<float>(), [](float s) { return s >= 1; });
  const bool shrinks = std::ranges::all_of(known.data<float>(), [](float s) { return s <= 1; });
  if (!grows && !shrinks) return "makes one axis longer and another shorter";
  node.attributes["nearest_mode"] = std::string(grows ? "floor" : "ceil");
  return {};
}

std::string scatter_11(UpgradeContext&, Node& node) {
  node.type = "ScatterElements";
  return {};
}

// 12

std::string dropout_12(UpgradeContext&, Node& node) {
  node.attributes.erase("ratio");
  return {};
}

// 13

std::string axes_13(UpgradeContext& context, Node& node) {
  move_to_input(context, node, "axes", 1);
  return {};
}

std::string split_13(UpgradeContext& context, Node& node) {
  move_to_input(context, node, "split", 1);
  return {};
}

std::string resize_13(UpgradeContext&, Node& node) {
  const std::string mode = attribute_string(node, "coordinate_transformation_mode", "");
  return mode == "tf_half_pixel_for_nn" ? "uses tf_half_pixel_for_nn, which is gone" : "";
}

/// Before 13, all axes from the given one on were one.
std::string softmax_13(UpgradeContext& context, Node& node) {
  const std::int64_t axis = attribute_int(node, "axis", 1);
  const std::optional<std::size_t> rank = context.rank_of(node.inputs.at(0));
  const std::optional<std::size_t> known = rank ? rank : context.rank_of(op_id(node));
  node.attributes["axis"] = std::int64_t{-1};
  if (axis == -1 || (known && axis + 1 == static_cast<std::int64_t>(*known))) return {};
  Node shape = helper(context, node, "Shape");
  shape.inputs = {node.inputs[0]};
  Node flatten = helper(context, node, "Flatten");
  flatten.inputs = {node.inputs[0]};
  flatten.attributes["axis"] = axis;
  Node reshape = helper(context, node, "Reshape");
  const std::string rows = std::exchange(reshape.outputs, {op_id(node)})[0];
  reshape.inputs = {rows, shape.outputs[0]};
  node.inputs[0] = flatten.outputs[0];
  node.outputs = {rows};
  context.before.push_back(std::move(shape));
  context.before.push_back(std::move(flatten));
  context.after.push_back(std::move(reshape));
  return {};
}

/// Not a change of the operator: runtimes know Add better.
std::string sum_13(UpgradeContext&, Node& node) {
  if (node.inputs.size() != 2) return {};
  node.type = "Add";
  node.kind = Kind::add;
  return {};
}

constexpr UpgradeRow kUpgradeRows[] = {
    {"Add", 7, binary_7},
    {"And", 7, binary_7},
    {"Div", 7, binary_7},
    {"Equal", 7, binary_7},
    {"Greater", 7, binary_7},
    {"Less", 7, binary_7},
    {"Mul", 7, binary_7},
    {"Or", 7, binary_7},
    {"Pow", 7, binary_7},
    {"Sub", 7, binary_7},
    {"Xor", 7, binary_7},
    {"Gemm", 7, gemm_7},
    {"PRelu", 7, prelu_7},
    {"BatchNormalization", 7, without_is_test_7},
    {"Dropout", 7, without_is_test_7},
    {"LSTM", 7, refused},
    {"GRU", 7, refused},
    {"RNN", 7, refused},
    {"Upsample", 7, refused},
    {"BatchNormalization", 9, batch_norm_9},
    {"Upsample", 9, upsample_9},
    {"Scan", 9, refused},
    {"Dropout", 10, dropout_10},
    {"Slice", 10, slice_10},
    {"TopK", 10, top_k_10},
    {"Upsample", 10, upsample_10},
    {"Clip", 11, clip_11},
    {"Pad", 11, pad_11},
    {"Resize", 11, resize_11},
    {"Scatter", 11, scatter_11},
    {"Dropout", 12, dropout_12},
    {"Squeeze", 13, axes_13},
    {"Unsqueeze", 13, axes_13},
    {"ReduceSum", 13, axes_13},
    {"Split", 13, split_13},
    {"Resize", 13, resize_13},
    {"Softmax", 13, softmax_13},
    {"LogSoftmax", 13, softmax_13},
    {"Hardmax", 13, softmax_13},
    {"Sum", 13, sum_13},
    // experiments that the operator set gave up
    {"ATen", 13, refused},
    {"Affine", 13, refused},
    {"ConstantFill", 13, refused},
    {"Crop", 13, refused},
    {"DynamicSlice", 13, refused},
    {"GRUUnit", 13, refused},
    {"GivenTensorFill", 13, refused},
    {"ImageScaler", 13, refused},
    {"ParametricSoftplus", 13, refused},
    {"Scale", 13, refused},
    {"ScaledTanh", 13, refused},
};

}  // namespace

UpgradeContext::UpgradeContext(const GraphIndex& index, FreeNames& names)
    : index_(index), names_(names), types_(element_types(index)), ranks_(ranks(index)) {}

DType UpgradeContext::type_of(const std::string& value) const {
  if (const Tensor* constant = index_.constant(value)) return constant->dtype();
  const auto found = types_.find(value);
  return found == types_.end() ? DType::float32 : found->second;
}

std::optional<std::size_t> UpgradeContext::rank_of(const std::string& value) const {
  if (const Tensor* constant = index_.constant(value)) return constant->shape().size();
  const auto found = ranks_.find(value);
  return found == ranks_.end() ? std::nullopt : std::optional(found->second);
}

bool UpgradeContext::is_read(const std::string& value) const {
  return !value.empty() && (!index_.uses(value).empty() || index_.is_output(value));
}

std::string UpgradeContext::add_weight(const Node& node, const std::string& what, Tensor tensor) {
  std::string name = names_.take(op_id(node) + "_" + what);
  weights.emplace_back(name, std::move(tensor));
  return name;
}

std::span<const UpgradeRow> upgrade_rows() {
  return kUpgradeRows;
}

}  // namespace quantlens::onnx
