// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/diagnosis/view/channels.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// A weight of an op as the float model has it (after folding batch norm, where that was done) and
/// what the codes of the quantized model mean: float32, of one shape.
struct WeightSides {
  const WeightPair& pair;
  std::size_t node = 0;           ///< of the reference
  std::size_t input = 0;          ///< of that node
  DType stored = DType::float32;  ///< what the float model has it in
  const Tensor& before;
  const Tensor& after;
};

/// Tells of one weight pair after the other, in the order of the pairing; those whose tensors are
/// not there, or empty, or of unequal shapes are left out.
void for_each_weight(const PairedModels& models,
                     const std::function<void(const WeightSides&)>& tell);

/// Sums and histograms of both sides of each, keyed as its WeightRow is (weight, quantized), and of
/// some of its channels, the row's worst one included.
void for_each_weight_stats(const PairedModels& models,
                           const std::function<void(const PairedStats&)>& tell,
                           const ChannelLimits& limits = {});

/// One row a weight pair, by MSE, worst first; ties in the order of the pairing. The reference side
/// is the weight that was quantized: after folding batch norm, where that was done.
std::vector<WeightRow> weight_rows(const PairedModels& models);

}  // namespace quantlens
