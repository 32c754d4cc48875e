// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/store.h"

namespace quantlens {

/// The file that DiskStore writes for this path: that which a symbolic link means, be it there or
/// not, so that the link stays; any other path is itself. Throws Errc::io for links in a circle.
fs::path written_file(const fs::path& path);

}  // namespace quantlens
