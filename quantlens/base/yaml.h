// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/json.h"

namespace quantlens {

/// A YAML document (JSON is one) as a JSON value: plain scalars become null, bool, integer or
/// double where they look like one, else strings, all in UTF-8. At most 1 MiB, 32 levels and
/// 100,000 values, so that aliases cannot explode. What people ask for is written so: throws
/// Errc::usage naming `where` and the line.
json::Value parse_yaml(std::string_view text, std::string_view where);

}  // namespace quantlens
