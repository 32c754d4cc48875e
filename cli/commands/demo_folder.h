// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/base/store.h"

namespace quantlens::cli {

/// Where the demo's model and data are: beside the installed program, else in the source tree that
/// it was built from.
std::optional<fs::path> find_demo_folder();

}  // namespace quantlens::cli
