// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/run.h"

namespace quantlens::onnxruntime {

/// How two models are run.
enum class Together {
  merged,  ///< as one model: a pair is compared as soon as both its values are there
  apart,  ///< the reference first, in a session of its own; its side of each pair is kept meanwhile
};

struct Placement {
  Together together = Together::merged;
  std::size_t group = 1;  ///< neighbouring taps fed at once, by as many threads; their values wait
};

/// Why a tap cannot be placed.
struct Obstacle {
  std::size_t slot = 0;
  std::string reason;
};

/// The edits that put the taps of a spec into the models.
///
/// A tap is one more reader of its value, so nothing of the model changes: no name, and no fusion
/// that ends in that value. When its readers run is up to the runtime, and with it how long a value
/// is kept. ONNX Runtime walks back from the nodes that nobody reads, the last of the file first;
/// so the taps stand at the end, in reverse order, behind a node that reads the graph's outputs.
/// Each tap then runs right after its value is there, and the walk never begins at the model's own
/// last op. Were the order another one, figures would be the same and memory larger (ADR 0003).
struct TapEdits {
  onnx::Edit reference;
  onnx::Edit quantized;                    ///< where merged, it holds all taps
  std::vector<Obstacle> dropped_taps;      ///< of spec.taps, ascending
  std::vector<Obstacle> dropped_pairs;     ///< of spec.pairs, ascending
  std::vector<std::size_t> channels_last;  ///< slots of spec.pairs whose images are [N,H,W,C]
  bool has_pairs = false;                  ///< one at least was placed
};

/// Throws Errc::not_found for a value that does not exist or is a weight.
/// REQUIRES: `quantized` is not null where there are pairs.
TapEdits insert_taps(const Model& reference, const Model* quantized, const TapSpec& spec,
                     const Placement& placement);

}  // namespace quantlens::onnxruntime
