// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens::server {

/// As Content-Encoding: gzip has it; equal bytes for equal text. Fast rather than small where the
/// text is long.
std::string gzip(std::string_view text);

}  // namespace quantlens::server
