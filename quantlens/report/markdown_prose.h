// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens {

/// A comment that nobody sees stands behind an @, for which GitHub might send somebody a message,
/// and inside of what it would make a link.
std::string without_mentions(std::string_view text);

/// A paragraph's text as it stands.
std::string markdown_prose(std::string_view text);

}  // namespace quantlens
