// What recipes of the predecessors say in other words, at other places, or in vain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/quantizer/recipe/recipe_section.h"

namespace quantlens {

/// An option of theirs that has no effect.
struct Idle {
  std::string_view key;
  std::string_view met;  ///< values that ask for what is done anyway, between '|'; "*": all do
  std::string_view why;  ///< a part of a sentence
};

std::span<const Idle> idle_options();  ///< of the recipe itself
std::span<const Idle> idle_recipes();
std::span<const Idle> idle_smoothing();  ///< of smooth_quant_args  ///< of its `recipes`

/// A sentence for each option that is given and asks for something else than what is done anyway.
void add_idle(const Section& section, std::span<const Idle> options, std::string_view prefix,
              std::vector<std::string>& notes);

/// A document in the form of their YAML files (`model`, `quantization`, `tuning`, `evaluation`) as
/// a recipe; any other as it is. Throws Errc::usage for keys that such files do not have, and for
/// what is said in both forms.
json::Value flattened(const json::Value& document, const std::string& where,
                      std::vector<std::string>& notes);

}  // namespace quantlens
