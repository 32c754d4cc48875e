// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/request.h"

namespace quantlens::server {

/// The name of "name:port", "[::1]:port" or "name", in lower case; nothing where it is none of
/// these.
std::optional<std::string> host_name(std::string_view host);

/// Whether a request means this server: a page of another site that had its own name resolve to
/// this machine (DNS rebinding) names another host. `names` in lower case. An address is meant
/// where the connection came in by it, localhost where that is this machine's own.
bool is_own_host(const Request& request, const std::vector<std::string>& names,
                 std::string_view local_address);

/// Whether no browser says that a page of another site sends it.
bool is_same_origin(const Request& request, bool is_secure);

}  // namespace quantlens::server
