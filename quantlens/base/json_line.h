// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/base/json.h"

namespace quantlens::json {

/// A value on one line, as a recipe on a command line or an event has it. Like `dump`, it shows no
/// terminal a character that is_unprintable as it is: there is an escape in its place.
std::string line(const Value& value);

/// Whether texts have an escape in place of this character. Of those above U+FFFF none has: it
/// would take two, which are JSON and no YAML, and recipes are read as that.
bool is_escaped(char32_t c);

/// "\u202e". REQUIRES: is_escaped(c).
std::string escape_of(char32_t c);

}  // namespace quantlens::json
