// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens {

/// Text as HTML and XML take it, in elements and in attributes of double quotes. What they cannot
/// hold at all, as control characters, stays.
std::string escaped_markup(std::string_view text);

}  // namespace quantlens
