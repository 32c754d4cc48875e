// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// At most `most` bytes of an open regular file, from `offset` on; nothing, with errno, where they
/// cannot be read.
std::optional<std::string> read_bounded(int fd, std::uint64_t most, std::uint64_t offset = 0);

/// The same of a file with a name, which is no link; nothing where there is none, too. It is
/// copied, not mapped: others may cut it short meanwhile, and that must not end the server.
std::optional<std::string> read_bounded(const fs::path& path, std::uint64_t most,
                                        std::uint64_t offset = 0);

}  // namespace quantlens::server
