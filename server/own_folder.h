// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// Whether it can be the name of a folder beside others, and is no path to another place.
bool is_plain_name(std::string_view name);

/// Whether it is a folder, and not a link to one.
bool is_own_folder(const fs::path& folder);

/// Whether files can be made in it.
bool is_writable(const fs::path& folder);

}  // namespace quantlens::server
