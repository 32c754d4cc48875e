// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/tensorflow_capability.h"

#include <array>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::array kTensorflowRows = {
    Capability{.kind = Kind::conv, .role = Role::compute},
    Capability{.kind = Kind::matmul, .role = Role::compute, .needs_integer_output = false},
    Capability{.kind = Kind::concat, .role = Role::join, .data_inputs = 0},
    Capability{.kind = Kind::max_pool, .role = Role::pass_through},
    Capability{.kind = Kind::pad, .role = Role::pass_through},
    Capability{.kind = Kind::slice, .role = Role::pass_through},
    Capability{.kind = Kind::reshape, .role = Role::pass_through},
    Capability{.kind = Kind::squeeze, .role = Role::pass_through},
    Capability{.kind = Kind::unsqueeze, .role = Role::pass_through},
    Capability{.kind = Kind::identity, .role = Role::pass_through},
};

constexpr std::array kTensorflowTargets = {
    TargetRow{.target = TargetCpu::avx2, .saturates = true},
    TargetRow{.target = TargetCpu::avx512, .saturates = true},
};

constexpr KernelRules kTensorflowRules{.zero_points = false,
                                       .all_widths = false,
                                       .on_arm = false,
                                       .integer_bias = false,
                                       .finds_kernels = false};

std::string_view convolution_obstacle(const roles::Convolution& convolution) {
  constexpr std::size_t kLastAxis = 3;  // of data and weights of two axes of positions
  if (convolution.output_axis > kLastAxis || convolution.input_axis > kLastAxis)
    return "a convolution over three axes has no int8 kernel";
  if (convolution.channel_axis != kLastAxis)
    return "a convolution whose channels are not last has no int8 kernel";
  const bool is_depthwise = convolution.input_axis == kLastAxis;
  if (convolution.groups != 1 && !is_depthwise) return "a convolution in groups has no int8 kernel";
  return {};
}

std::string_view pool_obstacle(const roles::Pool& pool) {
  constexpr std::size_t kLastAxis = 3;
  if (pool.window.strides.size() > 2 || pool.channel_axis != kLastAxis)
    return "a pool over other axes than two, before the channels, has no int8 kernel";
  return pool.window.pads.empty() ? std::string_view()
                                  : "a pool with given pads has no int8 kernel";
}

/// Code 0 is what such an op adds.
std::string_view pad_obstacle(const Node& node) {
  return node.type == "Pad" ? std::string_view()
                            : "a pad with other numbers than 0 has no int8 kernel";
}

std::string_view product_obstacle(const Node& node) {
  if (node.type != "MatMul") return "products of batches of matrices have no int8 kernel";
  return transposes_a(node) ? "a product of a transposed matrix has no int8 kernel"
                            : std::string_view();
}

template <class Role>
std::string_view obstacle_in(const Node& node, std::string_view (*obstacle)(const Role&)) {
  const auto* found = role<Role>(node);
  return found == nullptr ? std::string_view() : obstacle(*found);
}

/// Types of one kind differ in what kernels they have.
std::string_view tensorflow_obstacle(const Node& node) {
  switch (node.kind) {
    case Kind::conv:
      return obstacle_in<roles::Convolution>(node, convolution_obstacle);
    case Kind::matmul:
      return product_obstacle(node);
    case Kind::max_pool:
      return obstacle_in<roles::Pool>(node, pool_obstacle);
    case Kind::pad:
      return pad_obstacle(node);
    case Kind::concat:
      return node.type == "Concat" || node.type == "ConcatV2" ? std::string_view()
                                                              : "it has no kernel for codes";
    case Kind::identity:
      return node.type == "Identity" ? std::string_view() : "it has no kernel for codes";
    default:
      return {};
  }
}

}  // namespace

const Capabilities& tensorflow_capabilities() {
  static constexpr Capabilities kAble(kTensorflowRows, {}, tensorflow_obstacle, kTensorflowTargets,
                                      kTensorflowRules);
  return kAble;
}

}  // namespace quantlens
