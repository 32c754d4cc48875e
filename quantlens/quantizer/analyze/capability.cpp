// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/capability.h"

#include <algorithm>
#include <array>

namespace quantlens {
namespace {

constexpr std::array kCapabilities = {
    Capability{.kind = Kind::conv, .role = Role::compute},
    Capability{.kind = Kind::matmul,
               .role = Role::compute,
               .data_inputs = 2,
               .needs_integer_output = false},
    Capability{.kind = Kind::gemm, .role = Role::compute, .needs_integer_output = false},
    Capability{.kind = Kind::add, .data_inputs = 2},
    Capability{.kind = Kind::mul, .data_inputs = 2},
    Capability{.kind = Kind::concat, .data_inputs = 0},
    Capability{.kind = Kind::average_pool},
    Capability{.kind = Kind::global_average_pool},
    Capability{.kind = Kind::relu},
    Capability{.kind = Kind::clip},
    Capability{.kind = Kind::leaky_relu},
    Capability{.kind = Kind::sigmoid},
    Capability{.kind = Kind::where, .data_inputs = 2, .first_data_input = 1},
    Capability{.kind = Kind::max_pool, .role = Role::pass_through},
    Capability{.kind = Kind::reduce_max, .role = Role::pass_through},
    Capability{.kind = Kind::reduce_min, .role = Role::pass_through},
    Capability{.kind = Kind::slice, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::split, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::gather, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::gather_elements, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::expand, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::tile, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::resize, .role = Role::pass_through},
    Capability{.kind = Kind::reshape, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::transpose, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::squeeze, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::unsqueeze, .role = Role::pass_through, .moves_all_widths = true},
    Capability{.kind = Kind::flatten, .role = Role::pass_through, .moves_all_widths = true},
};

}  // namespace

std::span<const Capability> capabilities() {
  return kCapabilities;
}

const Capability* capability(Kind kind) {
  const auto* row = std::ranges::find(kCapabilities, kind, &Capability::kind);
  return row == kCapabilities.end() ? nullptr : row;
}

bool passes_elements(Kind kind) {
  const Capability* able = capability(kind);
  return moves_elements(kind) || (able != nullptr && able->role == Role::pass_through);
}

std::optional<int> output_channel_axis(const Node& node,
                                       std::span<const std::int64_t> weight_shape) {
  switch (node.kind) {
    case Kind::conv:
      return weight_shape.size() >= 3 ? std::optional(0) : std::nullopt;
    case Kind::conv_transpose:
      return weight_shape.size() >= 3 ? std::optional(1) : std::nullopt;
    case Kind::gemm:
      if (weight_shape.size() != 2) return std::nullopt;
      return attribute_int(node, "transB", 0) != 0 ? 0 : 1;
    case Kind::matmul:  // integer kernels take per-column scales for plain matrices only
      return weight_shape.size() == 2 ? std::optional(1) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string_view attribute_obstacle(const Node& node) {
  switch (node.kind) {
    case Kind::gemm:
      if (attribute_int(node, "transA", 0) != 0) return "integer Gemm has no transA";
      if (node.inputs.size() > 2 &&
          (attribute_float(node, "alpha", 1) != 1 || attribute_float(node, "beta", 1) != 1)) {
        return "integer Gemm with a bias needs alpha and beta of 1";
      }
      return {};
    case Kind::max_pool:
      if (node.outputs.size() > 1 && !node.outputs[1].empty()) {
        return "MaxPool that also returns indices has no integer kernel";
      }
      return {};
    case Kind::resize:
      if (attribute_string(node, "mode", "nearest") != "nearest") {
        return "Resize that interpolates has no integer kernel";
      }
      if (attribute_string(node, "coordinate_transformation_mode", "") == "tf_crop_and_resize") {
        return "Resize that fills in values from outside has no integer kernel";
      }
      return {};
    default:
      return {};
  }
}

}  // namespace quantlens
