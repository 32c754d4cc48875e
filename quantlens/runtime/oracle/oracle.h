// The oracle: a plain interpreter of float and integer ops, slow and exact, that other runtimes are
// checked against. Sums in double for float ops and in int64 for integer ones; requantization as
// the ONNX operator specification words it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/runtime/run.h"

namespace quantlens::oracle {

/// As quantlens::open. Throws Errc::unsupported naming the op that it does not know.
std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options);

/// Whether the oracle knows this op.
bool supports(const Node& node);

}  // namespace quantlens::oracle
