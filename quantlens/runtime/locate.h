// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens {

/// Where a runtime's library may be, best first: $QUANTLENS_ONNXRUNTIME (a file or its folder), the
/// program's own ../lib/quantlens, the system's library path, the build tree's third_party.
std::vector<fs::path> onnxruntime_candidates();

}  // namespace quantlens
