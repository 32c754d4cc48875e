// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/roles.h"

#include <array>

namespace quantlens {
namespace {

Roles product_of(roles::Operands operands) {
  return roles::MatrixProduct{.operands = operands};
}

/// Of ops with a weight.
Roles weighted_by(Kind kind) {
  switch (kind) {
    case Kind::conv:
      return roles::Convolution{};
    case Kind::conv_transpose:
      return roles::Convolution{.output_axis = 1, .input_axis = 0};
    case Kind::conv_integer:
      return roles::Convolution{.operands = {.bias = {}}};
    case Kind::qconv:
      return roles::Convolution{.operands = {.data = 0, .weight = 3, .bias = 8}};
    case Kind::gemm:
      return roles::MatrixProduct{};
    case Kind::matmul:
    case Kind::matmul_integer:
      return product_of({.bias = {}});
    case Kind::qmatmul:
      return product_of({.data = 0, .weight = 3, .bias = {}});
    case Kind::qgemm:
      return product_of({.data = 0, .weight = 3, .bias = 6});
    case Kind::matmul_integer_to_float:
      return product_of({.bias = 6});
    case Kind::dynamic_quantize_matmul:
      return product_of({.bias = 4});
    case Kind::matmul_blocks:
    case Kind::gather_blocks:
      return roles::BlockMatrix{};
    case Kind::recurrent:
      return roles::Recurrence{};
    default:
      return {};
  }
}

Roles roles_by(Kind kind) {
  switch (kind) {
    case Kind::max_pool:
      return roles::Pool{.takes_maximum = true};
    case Kind::average_pool:
    case Kind::qaverage_pool:
      return roles::Pool{};
    case Kind::batch_norm:
    case Kind::layer_norm:
    case Kind::instance_norm:
      return roles::Normalization{};
    case Kind::gather:
    case Kind::gather_elements:
      return roles::AxisChoice{.axis = 0};
    case Kind::flatten:
      return roles::AxisChoice{.axis = 1};
    case Kind::softmax:
    case Kind::concat:
    case Kind::split:
    case Kind::arg_max:
      return roles::AxisChoice{};
    case Kind::squeeze:
    case Kind::unsqueeze:
      return roles::NamedAxes{};
    case Kind::transpose:
      return roles::Permutation{};
    case Kind::reduce_mean:
    case Kind::reduce_sum:
    case Kind::reduce_max:
    case Kind::reduce_min:
      return roles::Reduction{};
    case Kind::clip:
      return roles::Bounds{};
    case Kind::cast:
      return roles::Conversion{};
    case Kind::quantize:
    case Kind::dequantize:
      return roles::Coding{};
    case Kind::reshape:
      return roles::Reshaping{};
    case Kind::pad:
      return roles::Padding{};
    case Kind::slice:
      return roles::Slicing{};
    case Kind::expand:
    case Kind::tile:
      return roles::Repetition{};
    case Kind::where:
      return roles::Choice{};
    case Kind::resize:
      return roles::Resampling{};
    default:
      return weighted_by(kind);
  }
}

}  // namespace

Roles::Roles() = default;
Roles::Roles(const Roles& other) = default;
Roles::Roles(Roles&& other) noexcept = default;
Roles& Roles::operator=(const Roles& other) = default;
Roles& Roles::operator=(Roles&& other) noexcept = default;
Roles::~Roles() = default;

const Roles& default_roles(Kind kind) {
  static const auto kRoles = [] {
    std::array<Roles, static_cast<std::size_t>(Kind::control_flow) + 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = roles_by(static_cast<Kind>(i));
    return all;
  }();
  return kRoles[static_cast<std::size_t>(kind)];
}

}  // namespace quantlens
