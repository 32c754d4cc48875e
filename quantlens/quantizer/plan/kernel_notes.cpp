// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/kernel_notes.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

/// Options that say how codes lie around zero, those apart that the kernels have anyway.
std::vector<std::string> asked_codes(const OpRecipe& asked) {
  std::vector<std::string> options;
  if (is_eight_bits(asked.activation.dtype)) options.emplace_back("activation.dtype");
  if (asked.activation.scheme) options.emplace_back("activation.scheme");
  if (asked.weight.dtype == AskedDtype::uint8) options.emplace_back("weight.dtype");
  if (asked.weight.scheme == Symmetry::asym) options.emplace_back("weight.scheme");
  return options;
}

void note_codes(const Recipe& recipe, std::vector<std::string>& notes) {
  OpRecipe own{recipe.activation, recipe.weight};
  if (own.activation.scheme == Symmetry::asym) own.activation.scheme.reset();  // the default
  std::vector<std::string> options = asked_codes(own);
  const auto add = [&](const char* where, const std::map<std::string, OpRecipe>& entries) {
    for (const auto& [pattern, entry] : entries) {
      for (const std::string& option : asked_codes(entry))
        options.push_back(fmt::format("{}: '{}': {}", where, printable(pattern), option));
    }
  };
  add("op_type_dict", recipe.op_type_dict);
  add("op_name_dict", recipe.op_name_dict);
  if (options.empty()) return;
  notes.push_back(fmt::format(
      "{}: which 8-bit codes they ask for has no effect: the runtime's int8 kernels take uint8 "
      "from 0 on for what is never negative, and int8 around 0 for all else and for weights",
      fmt::join(options, ", ")));
}

void note_target(const Recipe& recipe, const KernelRules& rules, std::vector<std::string>& notes) {
  if (recipe.target != TargetCpu::arm) return;
  if (!rules.on_arm) {
    notes.emplace_back(
        "target arm: the model's runtime has int8 kernels for x86 alone; the quantized model does "
        "not run elsewhere");
    return;
  }
  if (!recipe.activation.dtype) {
    notes.emplace_back(
        "target arm: activations are int8, which its kernels multiply by int8 weights as they "
        "are");
  }
  if (activation_dtype(recipe) == AskedDtype::int8 && recipe.weight.dtype == AskedDtype::uint8) {
    notes.emplace_back(
        "target arm: no fast kernel multiplies int8 activations by uint8 weights; set one of "
        "them to the other's dtype");
  }
}

}  // namespace

void note_kernels(const Recipe& recipe, const KernelRules& rules, std::vector<std::string>& notes) {
  note_target(recipe, rules, notes);
  if (!rules.zero_points) note_codes(recipe, notes);
  if (!rules.finds_kernels && recipe.quant_format == QuantFormat::qoperator) {
    notes.emplace_back(
        "quant_format qoperator has no effect: models of this format have int8 operators anyway");
  }
}

}  // namespace quantlens
