// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// Writes all or nothing (but for a power cut), readable by its owner alone from the first byte on;
/// a symbolic link is replaced, not followed. Throws Errc::io.
void write_private(const fs::path& path, std::string_view bytes);

/// What write_private has written; nothing where it is absent, is no regular file of at most
/// 1 MB, belongs to someone else, or others may read it. Throws Errc::io where it cannot be read.
std::optional<std::string> read_private(const fs::path& path);

}  // namespace quantlens::server
