// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/base/phases.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Counts the time that the runtime takes to give back what it loaded as a phase of its own.
struct CloseRun {
  Phases* phases = nullptr;  ///< null: nobody asks

  void operator()(Run* run) const {
    const Phase unloading(phases, "runtime: unload");
    delete run;
  }
};

using ClosingRun = std::unique_ptr<Run, CloseRun>;

/// The same Run, closed by the thread whose phases these are.
inline ClosingRun closing(std::unique_ptr<Run> run, Phases* phases) {
  return {run.release(), CloseRun{phases}};
}

}  // namespace quantlens
