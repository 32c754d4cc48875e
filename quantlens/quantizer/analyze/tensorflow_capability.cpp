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
  const auto* convolution = role<roles::Convolution>(node);
  return convolution == nullptr ? std::string_view() : convolution_obstacle(*convolution);
}

}  // namespace

const Capabilities& tensorflow_capabilities() {
  static constexpr Capabilities kAble(kTensorflowRows, {}, tensorflow_obstacle, {});
  return kAble;
}

}  // namespace quantlens
