// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "quantlens/base/text.h"

namespace quantlens::server {

/// A text that came with a request, as a sentence of an answer shows it: printable, and its first
/// bytes alone.
inline std::string shown(std::string_view text, std::size_t most = 200) {
  return printable(text.substr(0, most));
}

}  // namespace quantlens::server
