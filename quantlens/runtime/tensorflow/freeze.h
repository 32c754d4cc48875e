// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/base/store.h"

namespace quantlens::tensorflow {

/// A SavedModel as a frozen graph: TensorFlow loads it and reads the variables. `where`: what
/// messages call the folder. Throws as graphdef::SavedGraph, and Errc::bad_input where TensorFlow
/// cannot load it.
std::string frozen(const fs::path& folder, const fs::path& where);

}  // namespace quantlens::tensorflow
