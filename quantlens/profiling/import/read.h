// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <optional>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/record/profile.h"

namespace quantlens::imports {

using Importer = Profile (*)(std::istream&, Progress&);

inline constexpr std::size_t kBeginning = 4096;  ///< bytes of a file that tell what it is

/// Which importer reads a file that begins so; null: none.
Importer importer_for(std::string_view beginning);

}  // namespace quantlens::imports
