// What records call the structs of roles.h, "is" of a role's object, and which they leave out.
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
inline constexpr std::string_view kVariantName<roles::Slicing>{"slicing"};
template <>
inline constexpr std::string_view kVariantName<roles::Repetition>{"repetition"};
template <>
inline constexpr std::string_view kVariantName<roles::Choice>{"choice"};
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
inline constexpr std::string_view kVariantName<roles::Elementwise>{"elementwise"};
template <>
inline constexpr std::string_view kVariantName<roles::UntoldCodes>{"untold_codes"};
template <>
inline constexpr std::string_view kVariantName<roles::Reorder>{"reorder"};

// Nearly every op has its inputs where all formats have them: documents say where one has not.
template <>
inline constexpr bool kLeftOutIfUsual<roles::BlockOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::RecurrenceOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::NormalizationOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::AxisOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::AxesOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::BoundsOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::CodingOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::ReshapingOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::PaddingOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::SlicingOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::RepetitionOperands>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::ChoiceOperands>{true};
// What tells nothing but that.
template <>
inline constexpr bool kLeftOutIfUsual<roles::Slicing>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::Repetition>{true};
template <>
inline constexpr bool kLeftOutIfUsual<roles::Choice>{true};

}  // namespace quantlens::json
