// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace quantlens::cli {

/// The first phrase of a help text, for where there is one line: up to ". ", ": ", "; " or " (".
std::string phrase(const std::string& text);

}  // namespace quantlens::cli
