// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/recipe.h"

namespace quantlens {

/// A recipe from YAML or JSON. `where` names the source in messages. Op entries may be the word
/// "fp32" or {activation: …, weight: …}; option values may be lists, as the predecessors allow: the
/// first counts. Options of the predecessors that ask for something quantlens does not do (yet) are
/// read over and added to `without_effect`, if given, by name. Throws Errc::usage for an unknown
/// key (naming the nearest) or a value of the wrong kind.
Recipe read_recipe(std::string_view text, std::string_view where,
                   std::vector<std::string>* without_effect = nullptr);

}  // namespace quantlens
