// What records call the structs of roles.h: "is" of a role's object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/json_variant.h"
#include "quantlens/graph/roles.h"

namespace quantlens::json {

template <>
inline constexpr std::string_view kVariantName<roles::Convolution>{"convolution"};
template <>
inline constexpr std::string_view kVariantName<roles::MatrixProduct>{"matrix_product"};
template <>
inline constexpr std::string_view kVariantName<roles::BlockMatrix>{"block_matrix"};
template <>
inline constexpr std::string_view kVariantName<roles::Recurrence>{"recurrence"};
template <>
inline constexpr std::string_view kVariantName<roles::Pool>{"pool"};
template <>
inline constexpr std::string_view kVariantName<roles::Normalization>{"normalization"};
template <>
inline constexpr std::string_view kVariantName<roles::AxisChoice>{"axis_choice"};
template <>
inline constexpr std::string_view kVariantName<roles::NamedAxes>{"named_axes"};
template <>
inline constexpr std::string_view kVariantName<roles::Permutation>{"permutation"};
template <>
inline constexpr std::string_view kVariantName<roles::Reduction>{"reduction"};
template <>
inline constexpr std::string_view kVariantName<roles::Bounds>{"bounds"};
template <>
inline constexpr std::string_view kVariantName<roles::Conversion>{"conversion"};
template <>
inline constexpr std::string_view kVariantName<roles::Coding>{"coding"};
template <>
inline constexpr std::string_view kVariantName<roles::Reshaping>{"reshaping"};
template <>
inline constexpr std::string_view kVariantName<roles::Padding>{"padding"};
template <>
inline constexpr std::string_view kVariantName<roles::Resampling>{"resampling"};
template <>
inline constexpr std::string_view kVariantName<roles::Sum>{"sum"};
template <>
inline constexpr std::string_view kVariantName<roles::Activation>{"activation"};
template <>
inline constexpr std::string_view kVariantName<roles::RandomNumbers>{"random_numbers"};
template <>
inline constexpr std::string_view kVariantName<roles::UntoldProduct>{"untold_product"};
template <>
inline constexpr std::string_view kVariantName<roles::UntoldCodes>{"untold_codes"};
template <>
inline constexpr std::string_view kVariantName<roles::Reorder>{"reorder"};

}  // namespace quantlens::json
