// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// Whether the recipe wants the float model's channels equalized before it is calibrated.
bool wants_equalization(const Recipe& recipe);

/// How the float model is to be edited, and what is said of it.
struct Equalization {
  Plan plan;                ///< input_edits, weights and effects alone; ops keep their ids
  bool is_exact = true;     ///< else the edited model computes something near the original
  std::size_t pairs = 0;    ///< that were looked at
  std::size_t inexact = 0;  ///< that were not, since the recipe wants none
};

/// Takes outlying channels from the weights of Conv, Gemm and MatMul, and gives them to the weights
/// that read these channels: channel c of the first is divided by s_c, all that reads it multiplied
/// by s_c (M. Nagel et al., "Data-free quantization through weight equalization and bias
/// correction", 2019), over again until the factors settle. With r the greatest magnitude of a
/// channel over that of the median channel, s = sqrt(r of the writer / r of the readers), but never
/// less than 1, and never more than brings r of the writer to kOutlier: channels below that stay as
/// they are. So no activation grows, and what need not be scaled is not.
///
/// Between the two may stand functions that scale with their input: Relu, LeakyRelu, PRelu,
/// Identity, pools, and Clip. A Clip from zero upwards is exact. Any other one around zero, Relu6
/// above all, keeps its bounds, so scaled channels saturate later than they did: these pairs are
/// taken only where the recipe says `approximate`.
///
/// Left out are values with readers of another kind, or that are outputs of the graph; weights
/// that several ops read, that are not float32 or not finite; biases that are computed. What comes
/// out as no finite number leaves all as it was.
///
/// An effect's gain compares, before and after, the mean square of what rounding the op's weight
/// adds to an output channel, relative to the channel's own, averaged over channels.
///
/// Throws Errc::usage for a recipe that asks for something impossible.
Equalization equalize(const Analyzed& analyzed, const Recipe& recipe);

/// How much wider than the median channel one has to be to be scaled.
inline constexpr double kOutlier = 4;

}  // namespace quantlens
