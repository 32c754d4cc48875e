// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/record/recipe.h"

namespace quantlens {

/// The recipe with all that `fragment` says, a document of read_recipe's, laid over it: mappings
/// entry by entry, anything else in place of what was there. Throws as read_recipe does.
Recipe with_fragment(const Recipe& recipe, std::string_view fragment, std::string_view where);

/// A pattern that matches this name alone.
std::string pattern_of(std::string_view name);

}  // namespace quantlens
