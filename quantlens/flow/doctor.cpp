// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/doctor.h"

#include <algorithm>

#include "quantlens/base/cores.h"
#include "quantlens/base/cpu.h"
#include "quantlens/flow/version.h"
#include "quantlens/runtime/open.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

Checkup doctor(Workers* workers) {
  return {.version = kVersion,
          .cores = available_cores(),
          .vnni = cpu_has_vnni(),
          .workspace = default_workspace().string(),
          .runtimes = runtimes(workers)};
}

bool can_run_models(const Checkup& checkup) {
  return std::ranges::any_of(checkup.runtimes, [](const RuntimeStatus& runtime) {
    return runtime.name == "onnxruntime" && runtime.available;
  });
}

}  // namespace quantlens::flow
