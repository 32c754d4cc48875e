// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// At most `most` bytes of a regular file, from `offset` on; nothing where it is none or cannot be
/// read. It is copied, not mapped: others may cut it short meanwhile, and that must not end the
/// server.
std::optional<std::string> read_bounded(const fs::path& path, std::uint64_t most,
                                        std::uint64_t offset = 0);

}  // namespace quantlens::server
