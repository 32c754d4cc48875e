// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/base/json.h"

namespace quantlens::server {

/// On one line, in valid UTF-8.
std::string compact(const json::Value& value);

}  // namespace quantlens::server
