// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/qoperator_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "quantlens/frontend/onnx/domains.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kDilatedPoolOpset = 19;  // the first whose AveragePool has dilations

bool has_eight_bits(const Coded& codes) {
  return codes.dtype() == DType::uint8 || codes.dtype() == DType::int8;
}

/// What a kernel takes as the code of an activation: 8 bits, one scale.
bool is_plain(const Coded* codes) {
  return codes != nullptr && has_eight_bits(*codes) && codes->scales.size() == 1;
}

const Coded* at(const std::vector<const Coded*>& list, std::size_t position) {
  return position < list.size() ? list[position] : nullptr;
}

bool has_input(const Node& node, std::size_t position) {
  return position < node.inputs.size() && !node.inputs[position].empty();
}

/// Kernels multiply uint8 by both, int8 by int8 only.
bool multiply(const Coded& a, const Coded& b) {
  return a.dtype() == DType::uint8 || b.dtype() == DType::int8;
}

bool same_zero_points(const Coded& codes) {
  const std::vector<std::int64_t> values = to_int64(codes.zero_points);
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == values[0]; });
}

float scale_at(const Coded& codes, std::size_t channel) {
  const std::span<const float> scales = codes.scales.data<float>();
  return scales[scales.size() == 1 ? 0 : channel];
}

/// Whether the bias counts in the steps of the products, which is all that a kernel knows of it.
bool fits_products(const Coded& bias, const Coded& x, const Coded& weight) {
  constexpr float kRounding = 1e-6F;
  if (bias.dtype() != DType::int32 || !same_zero_points(bias)) return false;
  if (to_int64(bias.zero_points)[0] != 0) return false;
  const std::size_t channels = std::max(bias.scales.data<float>().size(),  //
                                        weight.scales.data<float>().size());
  for (const Coded* one : {&bias, &weight}) {
    const std::size_t count = one->scales.data<float>().size();
    if (count != 1 && count != channels) return false;
  }
  for (std::size_t c = 0; c < channels; ++c) {
    const float step = scale_at(x, 0) * scale_at(weight, c);
    if (std::abs(scale_at(bias, c) - step) > kRounding * step) return false;
  }
  return true;
}

void read(Node& op, const Coded& codes) {
  op.inputs.insert(op.inputs.end(), {codes.tensor, codes.scale, codes.zero_point});
}

void give(Node& op, const Coded& codes) {
  op.inputs.insert(op.inputs.end(), {codes.scale, codes.zero_point});
}

struct OperatorRow {
  Kind kind = Kind::other;
  const char* type = nullptr;
  const char* domain = nullptr;
  std::optional<Node> (*make)(const Site& site, const OperatorRow& row) = nullptr;
  std::array<std::string_view, 6> attributes = {};  ///< that both ops have
};

Node empty_op(const Site& site, const OperatorRow& row) {
  Node op;
  op.name = site.node.name;
  op.type = row.type;
  op.domain = row.domain;
  for (const auto& [key, value] : site.node.attributes) {
    if (std::ranges::find(row.attributes, key) != row.attributes.end()) op.attributes[key] = value;
  }
  return op;
}

/// (x, scale, zero, weight, scale, zero, y scale, y zero, bias?)
std::optional<Node> conv(const Site& site, const OperatorRow& row) {
  const Coded* x = at(site.inputs, 0);
  const Coded* weight = at(site.inputs, 1);
  const Coded* bias = at(site.inputs, 2);
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(x) || !is_plain(y) || weight == nullptr || !has_eight_bits(*weight)) return {};
  if (x->dtype() != y->dtype() || !multiply(*x, *weight)) return {};
  if (weight->axis.value_or(0) != 0 || !same_zero_points(*weight)) return {};
  if (has_input(site.node, 2) && (bias == nullptr || !fits_products(*bias, *x, *weight))) return {};
  Node op = empty_op(site, row);
  read(op, *x);
  read(op, *weight);
  give(op, *y);
  if (bias != nullptr) op.inputs.push_back(bias->tensor);
  return op;
}

/// Whether the scales of the right operand are one, or one a column of a plain matrix.
bool has_column_scales(const Coded& b) {
  return !b.axis || (b.shape && b.shape->size() == 2 && *b.axis == 1);
}

/// (a, scale, zero, b, scale, zero, y scale, y zero); without y the op that gives floats, which has
/// another order of inputs and a bias.
std::optional<Node> matmul(const Site& site, const OperatorRow& row) {
  const Coded* a = at(site.inputs, 0);
  const Coded* b = at(site.inputs, 1);
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(a) || b == nullptr || !has_eight_bits(*b) || !multiply(*a, *b)) return {};
  if (!has_column_scales(*b)) return {};
  Node op = empty_op(site, row);
  if (y == nullptr) {
    op.type = "MatMulIntegerToFloat";
    op.domain = kMicrosoftDomain;
    op.inputs = {a->tensor, b->tensor, a->scale, b->scale, a->zero_point, b->zero_point};
    if (!site.bias.empty()) op.inputs.push_back(site.bias);
    return op;
  }
  if (!is_plain(y) || y->dtype() != a->dtype()) return {};
  read(op, *a);
  read(op, *b);
  give(op, *y);
  return op;
}

/// (a, scale, zero, b, scale, zero, bias?, y scale?, y zero?); without y it gives floats.
std::optional<Node> gemm(const Site& site, const OperatorRow& row) {
  const Node& node = site.node;
  const Coded* a = at(site.inputs, 0);
  const Coded* b = at(site.inputs, 1);
  const Coded* bias = at(site.inputs, 2);
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(a) || b == nullptr || !has_eight_bits(*b) || !multiply(*a, *b)) return {};
  if (attribute_int(node, "transA", 0) != 0 || attribute_float(node, "alpha", 1) != 1) return {};
  const int columns = attribute_int(node, "transB", 0) != 0 ? 0 : 1;
  if (b->axis.value_or(columns) != columns) return {};
  if (has_input(node, 2)) {
    if (bias == nullptr || !fits_products(*bias, *a, *b)) return {};
    if (attribute_float(node, "beta", 1) != 1) return {};
  }
  if (y != nullptr && (!is_plain(y) || y->dtype() != a->dtype())) return {};
  Node op = empty_op(site, row);
  read(op, *a);
  read(op, *b);
  if (bias != nullptr || y != nullptr) op.inputs.push_back(bias == nullptr ? "" : bias->tensor);
  if (y != nullptr) give(op, *y);
  return op;
}

/// (x, scale, zero, y scale, y zero), and two operands the same way.
std::optional<Node> elementwise(const Site& site, const OperatorRow& row) {
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(y)) return {};
  Node op = empty_op(site, row);
  for (const Coded* x : site.inputs) {
    if (!is_plain(x) || x->dtype() != y->dtype()) return {};
    read(op, *x);
  }
  give(op, *y);
  return op;
}

/// The integer pool knows no holes between what it takes together.
std::optional<Node> average_pool(const Site& site, const OperatorRow& row) {
  const std::vector<std::int64_t> dilations = attribute_ints(site.node, "dilations");
  const bool has_holes = std::ranges::any_of(dilations, [](std::int64_t d) { return d != 1; });
  if (site.opset >= kDilatedPoolOpset && has_holes) return {};
  return elementwise(site, row);
}

/// (y scale, y zero, then x, scale, zero of each)
std::optional<Node> concat(const Site& site, const OperatorRow& row) {
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(y)) return {};
  Node op = empty_op(site, row);
  give(op, *y);
  for (const Coded* x : site.inputs) {
    if (!is_plain(x) || x->dtype() != y->dtype()) return {};
    read(op, *x);
  }
  return op;
}

/// (condition, a, scale, zero, b, scale, zero, y scale, y zero)
std::optional<Node> where(const Site& site, const OperatorRow& row) {
  const Coded* a = at(site.inputs, 1);
  const Coded* b = at(site.inputs, 2);
  const Coded* y = at(site.outputs, 0);
  if (!is_plain(a) || !is_plain(b) || !is_plain(y)) return {};
  if (a->dtype() != y->dtype() || b->dtype() != y->dtype()) return {};
  Node op = empty_op(site, row);
  op.inputs.push_back(site.node.inputs[0]);
  read(op, *a);
  read(op, *b);
  give(op, *y);
  return op;
}

// clang-format off
constexpr OperatorRow kOperatorRows[] = {
    {Kind::conv, "QLinearConv", "", conv,
     {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
    {Kind::matmul, "QLinearMatMul", "", matmul},
    {Kind::gemm, "QGemm", kMicrosoftDomain, gemm, {"transB"}},
    {Kind::add, "QLinearAdd", kMicrosoftDomain, elementwise},
    {Kind::mul, "QLinearMul", kMicrosoftDomain, elementwise},
    {Kind::concat, "QLinearConcat", kMicrosoftDomain, concat, {"axis"}},
    {Kind::average_pool, "QLinearAveragePool", kMicrosoftDomain, average_pool,
     {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}},
    {Kind::global_average_pool, "QLinearGlobalAveragePool", kMicrosoftDomain, elementwise},
    {Kind::leaky_relu, "QLinearLeakyRelu", kMicrosoftDomain, elementwise, {"alpha"}},
    {Kind::sigmoid, "QLinearSigmoid", kMicrosoftDomain, elementwise},
    {Kind::where, "QLinearWhere", kMicrosoftDomain, where},
};
// clang-format on

/// From which operators on the runtime runs an op that moves elements on int8 and uint8 too.
struct Moves {
  Kind kind = Kind::other;
  std::int64_t opset = 0;
};

constexpr Moves kMoves[] = {
    {Kind::depth_to_space, 11}, {Kind::expand, 10},     {Kind::flatten, 10},
    {Kind::gather, 10},         {Kind::identity, 10},   {Kind::gather_elements, 11},
    {Kind::max_pool, 12},       {Kind::reduce_max, 12}, {Kind::reduce_min, 12},
    {Kind::reshape, 10},        {Kind::resize, 10},     {Kind::slice, 10},
    {Kind::space_to_depth, 10}, {Kind::split, 10},      {Kind::squeeze, 10},
    {Kind::tile, 10},           {Kind::transpose, 10},  {Kind::unsqueeze, 10},
};

/// Whether it makes no number of its own: interpolation rounds down on integers, and a value for
/// what lies outside is given as a float.
bool only_picks(const Node& node) {
  if (node.kind != Kind::resize) return true;
  return attribute_string(node, "mode", "nearest") == "nearest" &&
         attribute_string(node, "coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

}  // namespace

bool equal_parameters(const Coded& a, const Coded& b) {
  return a.dtype() == b.dtype() && a.axis == b.axis &&
         std::ranges::equal(a.scales.bytes(), b.scales.bytes()) &&
         std::ranges::equal(a.zero_points.bytes(), b.zero_points.bytes());
}

std::optional<Node> integer_op(const Site& site) {
  const OperatorRow* row = std::ranges::find(kOperatorRows, site.node.kind, &OperatorRow::kind);
  return row == std::end(kOperatorRows) ? std::nullopt : row->make(site, *row);
}

bool moves_codes(const Site& site) {
  const Moves* row = std::ranges::find(kMoves, site.node.kind, &Moves::kind);
  if (row == std::end(kMoves) || site.opset < row->opset) return false;
  const Coded* x = at(site.inputs, 0);
  if (!is_plain(x) || !only_picks(site.node)) return false;
  return std::ranges::all_of(
      site.outputs, [&](const Coded* y) { return y != nullptr && equal_parameters(*x, *y); });
}

}  // namespace quantlens::onnx
