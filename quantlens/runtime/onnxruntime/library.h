// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"

namespace quantlens::onnxruntime {

/// The runtime's library once it is loaded, or why it is not.
struct Library {
  const OrtApi* api = nullptr;  ///< null where it could not be loaded
  /// Tells sessions that are being made with these options to give up; null before 1.22.
  OrtStatusPtr (*cancel_loading)(OrtSessionOptions* options, bool cancel) = nullptr;
  std::string version;  ///< "1.31.1"
  std::string path;
  Errc code = Errc::not_found;  ///< with `problem`, of the error to throw
  std::string problem;          ///< a sentence that lists what was tried
};

/// The first of these that can be loaded and is new enough. Once loaded it stays so: the runtime
/// cannot be unloaded safely.
Library load_library(const std::vector<fs::path>& candidates);

/// The library of this process, loaded by the first call.
const Library& library();

/// Throws its problem where there is no library; otherwise Ort's C++ wrappers may be used from
/// here.
void require_library();

}  // namespace quantlens::onnxruntime
