// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens {

/// Where the runtime's library may be, best first: the program's own ../lib/quantlens, the system's
/// library path (names without a folder), the build tree's third_party. Where
/// $QUANTLENS_ONNXRUNTIME (a file or its folder) is set, only there: what a user chose is never
/// passed over in silence.
std::vector<fs::path> onnxruntime_candidates();

}  // namespace quantlens
