// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>

#include "quantlens/base/progress.h"
#include "quantlens/record/profile.h"

namespace quantlens::imports {

/// Reads what ONNX Runtime writes with SessionOptions.enable_profiling, of all its versions.
/// Throws Errc::bad_input with a sentence that lacks the path where no node's time is in it.
Profile import_onnxruntime(std::istream& in, Progress& progress);

}  // namespace quantlens::imports
