// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/recipe.h"

namespace quantlens {

/// A recipe from YAML or JSON, also in the form of the predecessors' YAML files. `where` names the
/// source in messages. Op entries may be the words "fp32" and "int8" or {activation: ..., weight:
/// ...}; option values may be lists, as the predecessors allow: the first counts. For each option
/// or word of theirs that has no effect here there is a sentence in `notes`, if given. Throws
/// Errc::usage for an unknown key or word (naming the nearest) or a value of the wrong kind.
/// `approach`: wins over the document's own; its defaults hold where the document says nothing.
Recipe read_recipe(std::string_view text, std::string_view where,
                   std::vector<std::string>* notes = nullptr,
                   std::optional<Approach> approach = {});

}  // namespace quantlens
