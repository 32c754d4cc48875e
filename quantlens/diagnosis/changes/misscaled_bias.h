// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// A bias in int32 codes whose steps are not those of the op's input times those of its weight.
/// Integer kernels add the codes as they are stored, so that such a bias counts `factor` times.
struct MisscaledBias {
  std::size_t op = 0;     ///< that multiplies by the weight; of the view
  std::size_t value = 0;  ///< that it reads in codes
  double step = 0;        ///< of the bias, in the first channel
  double factor = 1;
};

/// Of a quantized model: all of them, in order of flow, whose factor is one for all channels.
std::vector<MisscaledBias> misscaled_biases(const FloatView& view);

}  // namespace quantlens
