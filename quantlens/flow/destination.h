// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/base/store.h"

namespace quantlens::flow {

/// Where a quantized model goes: `wanted`, or, where that is empty, `.int8` before the model's
/// extension.
fs::path destination_of(const fs::path& wanted, const fs::path& model);

/// Says before hours of work what would stop the writing of `output` after them: throws Errc::usage
/// where it is one of the files that are `read` (empty paths are none), Errc::io where its folder
/// is not there or may not be written to, or it is no regular file.
void check_destination(const fs::path& output, const std::vector<fs::path>& read);

}  // namespace quantlens::flow
