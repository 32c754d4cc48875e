// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// The graph that the runtime really runs for this file after all its optimisations, with no tap in
/// it: fused, laid out anew, in file order. Values and nodes that are kept keep their names; a
/// fused node gives the value of the last one it stands for. Loads the model once and runs nothing;
/// in a process of its own where `options` ask for isolation (their `optimized_dump` does not
/// matter). Throws as `open` does, and Errc::failed where the runtime's graph cannot be read back.
Model deployed(const Model& model, const RunOptions& options);

/// The same, and the Run that runs it, as `open` gives it for these options: who goes on to run the
/// model need not load it again. `model` must outlive it.
struct DeployedRun {
  Model graph;
  std::unique_ptr<Run> run;
};
DeployedRun deployed_run(const Model& model, const RunOptions& options);

/// The same of the second of two models in a session apart with `taps`, which are nodes of it, too.
/// `folder`: where the runtime may write. Throws as `deployed`.
Model deployed_with(const TapSpec& taps, const Model& reference, const Model& quantized,
                    const RunOptions& options, const fs::path& folder);

}  // namespace quantlens
