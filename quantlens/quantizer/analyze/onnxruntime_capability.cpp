// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/onnxruntime_capability.h"

#include <array>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::array kRows = {
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

constexpr std::array kTargets = {
    TargetRow{.target = TargetCpu::avx2, .saturates = true},
    TargetRow{.target = TargetCpu::avx512, .saturates = true},
};

constexpr std::array kOthers = {Kind::softmax};

std::string_view resampling_obstacle(const Node& node) {
  const auto* resampling = role<roles::Resampling>(node);
  if (resampling == nullptr || !resampling->is_nearest)
    return "Resize that interpolates has no integer kernel";
  if (resampling->may_fill_in)
    return "Resize that fills in values from outside has no integer kernel";
  return {};
}

std::string_view obstacle(const Node& node) {
  switch (node.kind) {
    case Kind::gemm:
      if (transposes_a(node)) return "integer Gemm has no transA";
      if (node.inputs.size() > 2 && (alpha_of(node) != 1 || beta_of(node) != 1)) {
        return "integer Gemm with a bias needs alpha and beta of 1";
      }
      return {};
    case Kind::max_pool:
      if (node.outputs.size() > 1 && !node.outputs[1].empty()) {
        return "MaxPool that also returns indices has no integer kernel";
      }
      return {};
    case Kind::resize:
      return resampling_obstacle(node);
    default:
      return {};
  }
}

}  // namespace

const Capabilities& onnxruntime_capabilities() {
  static constexpr Capabilities kAble(kRows, kOthers, obstacle, kTargets);
  return kAble;
}

}  // namespace quantlens
