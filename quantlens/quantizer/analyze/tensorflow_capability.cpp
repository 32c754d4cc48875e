// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/tensorflow_capability.h"

#include <array>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::array kTensorflowRows = {
    Capability{.kind = Kind::conv, .role = Role::compute},
    Capability{.kind = Kind::matmul, .role = Role::compute, .needs_integer_output = false},
};

constexpr std::array kTensorflowTargets = {
    TargetRow{.target = TargetCpu::avx2, .saturates = true},
    TargetRow{.target = TargetCpu::avx512, .saturates = true},
};

constexpr KernelRules kTensorflowRules{
    .zero_points = false, .all_widths = false, .integer_bias = false, .finds_kernels = false};

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

std::string_view tensorflow_obstacle(const Node& node) {
  if (const auto* convolution = role<roles::Convolution>(node); convolution != nullptr)
    return convolution_obstacle(*convolution);
  if (node.type != "MatMul") return "products of batches of matrices have no int8 kernel";
  return transposes_a(node) ? "a product of a transposed matrix has no int8 kernel"
                            : std::string_view();
}

}  // namespace

const Capabilities& tensorflow_capabilities() {
  static constexpr Capabilities kAble(kTensorflowRows, {}, tensorflow_obstacle, kTensorflowTargets,
                                      kTensorflowRules);
  return kAble;
}

}  // namespace quantlens
