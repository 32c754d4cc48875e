// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace quantlens {

/// The word as a POSIX shell takes it: in single quotes where it could mean anything else.
std::string shell_word(const std::string& word);

}  // namespace quantlens
