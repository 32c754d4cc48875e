// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/quantizer/plan/correct_bias.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What MatMuls and Gemms multiply by a weight of their own, each value once, in order: those of
/// them whose range the recipe asks for.
std::vector<ValueChannels> channels_for_smoothing(const Draft& draft);

/// Moves outlying channels of what MatMul and Gemm read into their weights: channel c is divided by
/// s_c, the weights that read it are multiplied by s_c, with s_c = max|x_c|^a / max|w_c|^(1 - a)
/// (G. Xiao et al., "SmoothQuant", 2022). Ops that read the same value share one Mul before them;
/// other readers keep the value as it is. The float model computes the same.
///
/// a is chosen for each value: of the recipe's, or of 0.1, 0.2, ... 0.9, the one with the least
/// expected error of the products, from the channels' extremes and moments in `statistics`: half
/// steps of the codes of x, and of w, each by the energy of the other. What gains less than
/// kLeastGainDb stays as it is. Weights that several ops share, that are not float32 or not finite,
/// and values that the statistics do not know are left out.
///
/// The plan has scalings, input_edits, weights and effects, no more.
Plan smooth(const Draft& draft, const TapState& statistics);

/// A Mul is worth this much.
inline constexpr double kLeastGainDb = 3;

}  // namespace quantlens
