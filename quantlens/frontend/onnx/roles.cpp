// What ONNX's positions and attributes mean, for nodes of ONNX and of the runtime's own sets.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

bool flag(const Node& node, const std::string& key, bool otherwise = false) {
  return attribute_int(node, key, otherwise ? 1 : 0) != 0;
}

bool has_attribute(const Node& node, const std::string& key) {
  return node.attributes.contains(key);
}

roles::Window window(const Node& node) {
  const std::string padding = attribute_string(node, "auto_pad", "NOTSET");
  roles::Window window{.kernel = attribute_ints(node, "kernel_shape"),
                       .strides = attribute_ints(node, "strides"),
                       .dilations = attribute_ints(node, "dilations"),
                       .pads = attribute_ints(node, "pads"),
                       .output_padding = attribute_ints(node, "output_padding"),
                       .pads_to_fit = padding != "NOTSET" && padding != "VALID",
                       .rounds_up = flag(node, "ceil_mode"),
                       .has_extents = has_attribute(node, "output_shape")};
  if (padding != "NOTSET") window.pads.clear();
  return window;
}

// Each takes what the kind has_attribute by itself for what the node does not say.

Roles convolution(const Node& node, roles::Convolution role) {
  role.groups = attribute_int(node, "group", 1);
  role.window = window(node);
  role.fuses_activation = has_attribute(node, "activation");
  return role;
}

Roles product(const Node& node, roles::MatrixProduct role) {
  role.transposes_a = flag(node, "transA");
  role.transposes_b = flag(node, "transB");
  role.transposes_batch_a = flag(node, "transBatchA");
  role.alpha = attribute_float(node, "alpha", 1);
  role.beta = attribute_float(node, "beta", 1);
  role.fuses_activation = has_attribute(node, "activation");
  return role;
}

Roles block_matrix(const Node& node) {
  return roles::BlockMatrix{.bits = attribute_int(node, "bits", 4),
                            .block_size = attribute_int(node, "block_size", 0),
                            .outputs = attribute_int(node, "N", 0),
                            .inputs = attribute_int(node, "K", 0)};
}

Roles recurrence(const Node& node) {
  roles::Recurrence role{.is_batch_first = flag(node, "layout")};
  role.has_codes = node.domain == kMicrosoftDomain;
  if (role.has_codes) role.input_axis = 1;
  role.cell = node.type == "GRU"   ? roles::Cell::gru
              : node.type == "RNN" ? roles::Cell::rnn
                                   : roles::Cell::lstm;
  return role;
}

Roles axis(const Node& node, roles::AxisChoice role) {
  if (has_attribute(node, "axis")) role.axis = attribute_int(node, "axis", 0);
  return role;
}

Roles bounds(const Node& node) {
  roles::Bounds role;
  if (has_attribute(node, "min")) role.low = attribute_float(node, "min", 0);
  if (has_attribute(node, "max")) role.high = attribute_float(node, "max", 0);
  return role;
}

Roles coding(const Node& node) {
  return roles::Coding{.axis = attribute_int(node, "axis", 1),
                       .codes = dtype_from_onnx(attribute_int(node, "output_dtype", 0))};
}

Roles resampling(const Node& node) {
  return roles::Resampling{.is_nearest = attribute_string(node, "mode", "nearest") == "nearest",
                           .may_fill_in = attribute_string(node, "coordinate_transformation_mode",
                                                           "") == "tf_crop_and_resize"};
}

template <class T>
const T* value_of(const Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::from<T>({static_cast<std::int64_t>(values.size())}, values);
}

/// Whichever attribute holds it; nothing of strings and sparse tensors.
Roles constant(const Node& node) {
  if (const auto* value = value_of<Tensor>(node, "value")) return roles::ConstantValue{*value};
  if (const auto* value = value_of<float>(node, "value_float"))
    return roles::ConstantValue{Tensor::scalar(*value)};
  if (const auto* value = value_of<std::int64_t>(node, "value_int"))
    return roles::ConstantValue{Tensor::scalar(*value)};
  if (const auto* values = value_of<std::vector<float>>(node, "value_floats"))
    return roles::ConstantValue{vector_of(*values)};
  if (const auto* values = value_of<std::vector<std::int64_t>>(node, "value_ints"))
    return roles::ConstantValue{vector_of(*values)};
  return {};
}

/// Operators without a kind, of whichever set: a runtime's own graphs have some of ONNX's words in
/// sets of their own.
struct RolesRow {
  std::string_view type;
  Roles (*roles)(const Node& node);
};

Roles fused_convolution(const Node& node) {
  return convolution(node, {});
}
Roles fused_product(const Node& node) {
  return product(node, {});
}
Roles max_pool(const Node& node) {
  return roles::Pool{.window = window(node), .takes_maximum = true};
}
Roles sum(const Node&) {
  return roles::Sum{};
}
Roles activation(const Node&) {
  return roles::Activation{};
}
Roles random_numbers(const Node&) {
  return roles::RandomNumbers{};
}
Roles untold_product(const Node&) {
  return roles::UntoldProduct{};
}
Roles into_blocks(const Node&) {
  return roles::Reorder{.into_blocks = true};
}
Roles out_of_blocks(const Node&) {
  return roles::Reorder{.into_blocks = false};
}

constexpr std::array kRolesRows = {
    RolesRow{"Bernoulli", random_numbers},
    RolesRow{"Conv", fused_convolution},
    RolesRow{"Einsum", untold_product},
    RolesRow{"FusedConv", fused_convolution},
    RolesRow{"FusedGemm", fused_product},
    RolesRow{"FusedMatMul", fused_product},
    RolesRow{"Multinomial", random_numbers},
    RolesRow{"NhwcFusedConv", fused_convolution},
    RolesRow{"NhwcMaxPool", max_pool},
    RolesRow{"ReorderInput", into_blocks},
    RolesRow{"ReorderOutput", out_of_blocks},
    RolesRow{"Selu", activation},
    RolesRow{"Softplus", activation},
    RolesRow{"Softsign", activation},
    RolesRow{"Sum", sum},
    RolesRow{"ThresholdedRelu", activation},
};
static_assert(std::ranges::is_sorted(kRolesRows, {}, &RolesRow::type));

Roles by_type(const Node& node) {
  const auto row = std::ranges::lower_bound(kRolesRows, node.type, {}, &RolesRow::type);
  if (row != kRolesRows.end() && row->type == node.type) return row->roles(node);
  const std::string_view type = node.type;
  if (type.find("Random") != std::string_view::npos) return roles::RandomNumbers{};
  if (type.ends_with("Attention")) return roles::UntoldProduct{};
  if (type.starts_with("QLinear")) return roles::UntoldCodes{};
  return {};
}

/// What the kind has_attribute, and what the node says beside.
struct Reader {
  const Node& node;

  Roles operator()(std::monostate) const {
    if (node.kind == Kind::constant) return constant(node);
    return node.kind == Kind::other ? by_type(node) : Roles();
  }
  Roles operator()(const roles::Convolution& role) const { return convolution(node, role); }
  Roles operator()(const roles::MatrixProduct& role) const { return product(node, role); }
  Roles operator()(const roles::BlockMatrix&) const { return block_matrix(node); }
  Roles operator()(const roles::Recurrence&) const { return recurrence(node); }
  Roles operator()(roles::Pool role) const {
    role.window = window(node);
    return role;
  }
  Roles operator()(const roles::Normalization&) const {
    return roles::Normalization{.epsilon = attribute_float(node, "epsilon", 1e-5F),
                                .is_training = flag(node, "training_mode")};
  }
  Roles operator()(const roles::AxisChoice& role) const { return axis(node, role); }
  Roles operator()(const roles::NamedAxes&) const {
    return roles::NamedAxes{.axes = attribute_ints(node, "axes")};
  }
  Roles operator()(const roles::Permutation&) const {
    return roles::Permutation{.order = attribute_ints(node, "perm")};
  }
  Roles operator()(const roles::Reduction&) const {
    return roles::Reduction{.keeps_axes = flag(node, "keepdims", true),
                            .axes = attribute_ints(node, "axes"),
                            .takes_all = !flag(node, "noop_with_empty_axes")};
  }
  Roles operator()(const roles::Bounds&) const { return bounds(node); }
  Roles operator()(const roles::Conversion&) const {
    return roles::Conversion{.to = dtype_from_onnx(attribute_int(node, "to", 0))};
  }
  Roles operator()(const roles::Coding&) const { return coding(node); }
  Roles operator()(const roles::Reshaping&) const {
    return roles::Reshaping{.copies_zeros = !flag(node, "allowzero")};
  }
  Roles operator()(const roles::Padding&) const {
    return roles::Padding{.is_constant = attribute_string(node, "mode", "constant") == "constant"};
  }
  Roles operator()(const roles::Resampling&) const { return resampling(node); }
  template <class Role>
  Roles operator()(const Role& role) const {
    return role;
  }
};

}  // namespace

Roles read_roles(const Node& node) {
  return std::visit(Reader{node}, default_roles(node.kind));
}

}  // namespace quantlens::onnx
