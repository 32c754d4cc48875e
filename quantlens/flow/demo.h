// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/flow/quantize.h"

namespace quantlens::flow {

/// Two runs over one model, both diagnosed and scored.
struct DemoResult {
  QuantizeResult per_tensor;   ///< one scale a weight: the model is broken
  QuantizeResult per_channel;  ///< one scale a channel: mended
};

/// Quantizes the network that comes with quantlens in two ways; the models are written to `demo` in
/// the workspace. The broken one is the newest run. `folder`: holds digits.onnx, digits.npz and
/// calibration.npz. The session's name is not used.
DemoResult demo(const fs::path& folder, const Session& session);

}  // namespace quantlens::flow
