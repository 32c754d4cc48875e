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

/// Where TensorFlow's library may be, best first: the build tree's third_party, the package
/// `tensorflow` beside the first python3 in $PATH, the system's library path. Where
/// $QUANTLENS_TENSORFLOW (a file, its folder, or a folder of the package's) is set, only there.
std::vector<fs::path> tensorflow_candidates();

/// Says that none of them is of use; `tried`: what was found instead, if anything.
std::string tensorflow_problem(const std::string& tried);

}  // namespace quantlens
