// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "quantlens/record/recipe.h"

namespace quantlens {

// What a recipe may say at a place where not every word of an enum fits; in the order in which
// messages list it.

inline constexpr std::array kActivationDtypes = {
    AskedDtype::uint8, AskedDtype::int8, AskedDtype::uint16, AskedDtype::int16,
    AskedDtype::int_,  AskedDtype::fp16, AskedDtype::fp32};
inline constexpr std::array kWeightDtypes = {AskedDtype::int8,  AskedDtype::uint8, AskedDtype::int4,
                                             AskedDtype::uint4, AskedDtype::int_,  AskedDtype::fp16,
                                             AskedDtype::fp32};
inline constexpr std::array kActivationGranularities = {Granularity::per_tensor};
inline constexpr std::array kWeightGranularities = {Granularity::per_channel,
                                                    Granularity::per_tensor};
inline constexpr std::array kWeightAlgorithms = {RangeAlgorithm::minmax, RangeAlgorithm::mse};

}  // namespace quantlens
