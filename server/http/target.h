// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "server/request.h"

namespace quantlens::server {

/// What a request asks for, in `path` and `query` as Request has them.
struct Target {
  std::string path;
  Pairs query;
};

/// Of "/a%20b?c=d". Nothing where it is no path from the root, escapes are broken, what is decoded
/// is no UTF-8 or has control characters, a segment is "..", or it has more than 64 queries: a
/// browser sends none of these.
std::optional<Target> parse_target(std::string_view text);

}  // namespace quantlens::server
