// calib: from data to statistics, and from statistics to ranges. Nothing here decides what is
// quantized. Start here, then choose_ranges.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// What `taps` ask for of values of the model, in one pass.
TapState calibrate(const Model& model, const std::vector<Tap>& taps, BatchReader& reader,
                   const RunOptions& options, Progress& progress);

}  // namespace quantlens
