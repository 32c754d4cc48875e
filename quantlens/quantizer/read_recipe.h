// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/record/recipe.h"

namespace quantlens {

/// A recipe from YAML or JSON. `where` names the source in messages. Op entries may be the word
/// "fp32" or {activation: …, weight: …}; option values may be lists, as the predecessors allow: the
/// first counts. Throws Errc::usage for an unknown key (naming the nearest) or a value of the wrong
/// kind.
Recipe read_recipe(std::string_view text, std::string_view where);

}  // namespace quantlens
