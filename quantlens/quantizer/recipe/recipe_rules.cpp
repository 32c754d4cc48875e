// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/recipe_rules.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/regex.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/recipe/recipe_section.h"
#include "quantlens/quantizer/recipe/recipe_words.h"

namespace quantlens {

struct RecipeRules::Rule {
  std::string pattern;
  boost::regex expression;
  OpRecipe recipe;
  std::vector<std::string> matched;  // op ids
};

namespace {

/// Of elements that are kept.
void check_percentile(const std::string& where, const std::optional<double>& percentile) {
  if (!percentile || (*percentile > 0 && *percentile <= 100)) return;
  throw Error(Errc::usage, fmt::format("recipe: {}activation percentile cannot be {}; it may be a "
                                       "number above 0, and 100 at most",
                                       where, *percentile));
}

constexpr std::array<std::uint64_t, 5> kBlockSizes = {16, 32, 64, 128, 256};

void check(const std::string& where, const OpRecipe& recipe, bool in_blocks) {
  const auto& [activation, weight] = recipe;
  const auto place = [&](const char* what) { return fmt::format("recipe: {}{}", where, what); };
  check_word<AskedDtype>(place("activation dtype"), activation.dtype, kActivationDtypes);
  check_word<Granularity>(place("activation granularity"), activation.granularity,
                          kActivationGranularities);
  check_percentile(where, activation.percentile);
  check_word<AskedDtype>(place("weight dtype"), weight.dtype, kWeightDtypes);
  check_word<Granularity>(place("weight granularity"), weight.granularity, kWeightGranularities);
  check_word<RangeAlgorithm>(place("weight algorithm"), weight.algorithm, kWeightAlgorithms);
  const std::uint64_t size = weight.group_size.value_or(kBlockSizes[0]);
  if (!in_blocks || std::ranges::find(kBlockSizes, size) != kBlockSizes.end()) return;
  throw Error(Errc::usage, fmt::format("recipe: {}weight group_size cannot be '{}'; it may be {}",
                                       where, size, fmt::join(kBlockSizes, ", ")));
}

bool has_switches(const RecipeSwitches& switches) {
  RecipeSwitches usual;
  usual.bias_correction =
      switches.bias_correction == true ? std::nullopt : switches.bias_correction;
  return switches != usual;
}

/// What the model's own options say in vain with its approach.
void add_idle_notes(const Recipe& recipe, std::vector<std::string>& sentences) {
  const bool in_blocks = recipe.approach == Approach::weight_only;
  if (in_blocks && recipe.weight.granularity) {
    sentences.emplace_back(
        "weight granularity has no effect: each block has a scale of its own (group_size)");
  }
  if (!needs_calibration(recipe) && has_switches(recipe.recipes)) {
    sentences.push_back(
        fmt::format("the switches under recipes have no effect with approach {}: "
                    "they are for static quantization; op_type_dict and "
                    "op_name_dict keep ops in float",
                    word(recipe.approach)));
  }
  if (!in_blocks && recipe.weight.group_size) {
    sentences.emplace_back(
        "weight group_size has no effect: only approach weight_only stores weights in blocks");
  }
}

void merge(TensorRecipe& base, const TensorRecipe& over) {
  if (over.dtype) base.dtype = over.dtype;
  if (over.scheme) base.scheme = over.scheme;
  if (over.granularity) base.granularity = over.granularity;
  if (over.algorithm) base.algorithm = over.algorithm;
  if (over.percentile) base.percentile = over.percentile;
  if (over.group_size) base.group_size = over.group_size;
}

bool matches(const boost::regex& expression, const std::string& pattern, const std::string& text) {
  try {
    return boost::regex_match(text, expression);
  } catch (const std::runtime_error&) {
    throw Error(Errc::usage,
                fmt::format("recipe: the pattern '{}' takes too long on the name '{}'; "
                            "write it without nested repetition",
                            printable(pattern), printable(text)));
  }
}

}  // namespace

RecipeRules::RecipeRules(const Recipe& recipe) : recipe_(recipe) {
  const bool in_blocks = recipe.approach == Approach::weight_only;
  check("", OpRecipe{recipe.activation, recipe.weight}, in_blocks);
  const auto compile = [in_blocks](const std::map<std::string, OpRecipe>& entries,
                                   std::vector<Rule>& rules) {
    for (const auto& [pattern, wanted] : entries) {
      check(fmt::format("'{}': ", printable(pattern)), wanted, in_blocks);
      try {
        rules.push_back({.pattern = pattern,
                         .expression = boost::regex(pattern),
                         .recipe = wanted,
                         .matched = {}});
      } catch (const boost::regex_error& error) {
        throw Error(Errc::usage, fmt::format("recipe: '{}' is no regular expression ({}); put a "
                                             "backslash before special characters of a name",
                                             printable(pattern), error.what()));
      }
    }
  };
  compile(recipe.op_type_dict, types_);
  compile(recipe.op_name_dict, names_);
}

RecipeRules::~RecipeRules() = default;

void check_recipe(const Recipe& recipe) {
  const RecipeRules rules(recipe);
}

Wish RecipeRules::for_op(const Node& node) {
  Wish wish{.recipe = {recipe_.activation, recipe_.weight}};
  const auto apply = [&](std::vector<Rule>& rules, const std::string& text) {
    for (Rule& rule : rules) {
      if (!matches(rule.expression, rule.pattern, text)) continue;
      rule.matched.push_back(op_id(node));
      merge(wish.recipe.activation, rule.recipe.activation);
      merge(wish.recipe.weight, rule.recipe.weight);
      if (rule.recipe.activation.dtype) wish.forced = !wants_float(rule.recipe);
    }
  };
  apply(types_, node.type);
  apply(names_, op_name(node));
  if (!wish.recipe.weight.algorithm) wish.recipe.weight.algorithm = usual_weight_algorithm(recipe_);
  if (recipe_.approach == Approach::weight_only) return wish;
  // kernels want one 8-bit type in the whole model; 16 bits are for single ops, too
  std::optional<AskedDtype>& activation = wish.recipe.activation.dtype;
  if (!activation || activation == AskedDtype::int_ || is_eight_bits(activation)) {
    activation = activation_dtype(recipe_);
  }
  std::optional<AskedDtype>& weight = wish.recipe.weight.dtype;
  if (!weight || weight == AskedDtype::int_) {
    weight = recipe_.weight.dtype == AskedDtype::uint8 ? AskedDtype::uint8 : AskedDtype::int8;
  }
  return wish;
}

std::vector<std::string> RecipeRules::notes(
    const Graph& graph, const std::unordered_map<std::string, Outcome>& outcomes,
    const std::vector<GoneOp>& gone, const KernelRules& kernels) const {
  std::set<std::string> types;
  std::set<std::string> names;
  for (const Node& node : graph.nodes) {
    types.insert(node.type);
    names.insert(op_name(node));
  }
  std::vector<std::string> sentences;
  const auto report = [&](const std::vector<Rule>& rules, const char* where,
                          const std::set<std::string>& known, std::string GoneOp::*text) {
    const std::vector<std::string> list(known.begin(), known.end());
    for (const Rule& rule : rules) {
      const std::string entry = fmt::format("{}: '{}'", where, printable(rule.pattern));
      std::vector<const GoneOp*> matched;
      for (const GoneOp& op : gone) {
        if (matches(rule.expression, rule.pattern, op.*text)) matched.push_back(&op);
      }
      note_folded(rule, entry, outcomes, matched, sentences);
      if (rule.matched.empty() && matched.empty()) {
        const std::string near = did_you_mean(rule.pattern, list);
        sentences.push_back(fmt::format("{} matches no op of the model{}{}", entry,
                                        near.empty() ? "" : "; ", near));
      }
      if (kernels.zero_points) note_options(rule, entry, sentences);  // else note_kernels says it
      note_effect(rule, entry, outcomes, sentences);
    }
  };
  add_idle_notes(recipe_, sentences);
  report(types_, "op_type_dict", types, &GoneOp::type);
  report(names_, "op_name_dict", names, &GoneOp::name);
  return sentences;
}

void RecipeRules::note_options(const Rule& rule, const std::string& where,
                               std::vector<std::string>& notes) const {
  if (recipe_.approach == Approach::weight_only) return;
  const TensorRecipe& activation = rule.recipe.activation;
  if (is_eight_bits(activation.dtype) && activation.dtype != activation_dtype(recipe_)) {
    notes.push_back(
        fmt::format("{}: activation dtype {} is read as {}: integer kernels want one 8-bit dtype "
                    "in the whole model; set it in the recipe's own 'activation'",
                    where, word(*activation.dtype), word(activation_dtype(recipe_))));
  }
}

void RecipeRules::note_effect(const Rule& rule, const std::string& where,
                              const std::unordered_map<std::string, Outcome>& outcomes,
                              std::vector<std::string>& notes) const {
  std::string why;
  for (const std::string& op : rule.matched) {
    const auto found = outcomes.find(op);
    if (found == outcomes.end()) return;
    const Outcome& outcome = found->second;
    const std::string& reason = wants_float(rule.recipe) ? outcome.anyway_reason : outcome.reason;
    if (reason.empty()) return;
    if (why.empty()) why = reason;
  }
  if (why.empty()) return;
  notes.push_back(fmt::format("{} has no effect: what it matches {} ({})", where,
                              wants_float(rule.recipe) ? "would be float anyway" : "stays float",
                              why));
}

void RecipeRules::note_folded(const Rule& rule, const std::string& where,
                              const std::unordered_map<std::string, Outcome>& outcomes,
                              const std::vector<const GoneOp*>& gone,
                              std::vector<std::string>& notes) {
  constexpr std::size_t kShown = 3;
  if (!wants_float(rule.recipe)) return;
  std::vector<std::string> folded;
  const auto add = [&](const std::string& name, const std::string& into) {
    folded.push_back(fmt::format("{} (of {})", printable(name), printable(into)));
  };
  for (const std::string& op : rule.matched) {
    const auto found = outcomes.find(op);
    if (found == outcomes.end() || found->second.into.empty()) continue;
    if (found->second.reason.empty()) add(found->second.name, found->second.into);
  }
  std::set<std::string> with_codes;  // names
  for (const auto& [op, outcome] : outcomes) {
    if (outcome.reason.empty()) with_codes.insert(outcome.name);
  }
  for (const GoneOp* op : gone) {
    if (with_codes.contains(op->into)) add(op->name, op->into);
  }
  if (folded.empty()) return;
  const std::size_t shown = std::min(kShown, folded.size());
  notes.push_back(fmt::format(
      "{} asks for float, but the constants of {} are part of integer ops now: {}{}; to keep "
      "them in float, keep those in float",
      where, folded.size() == 1 ? "one op" : fmt::format("{} ops", folded.size()),
      fmt::join(folded.begin(), folded.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < folded.size() ? ", ..." : ""));
}

bool is_eight_bits(const std::optional<AskedDtype>& dtype) {
  return dtype == AskedDtype::uint8 || dtype == AskedDtype::int8;
}

AskedDtype activation_dtype(const Recipe& recipe) {
  if (is_eight_bits(recipe.activation.dtype)) return *recipe.activation.dtype;
  return recipe.target == TargetCpu::arm ? AskedDtype::int8 : AskedDtype::uint8;
}

bool wants_float(const OpRecipe& recipe) {
  const auto is_float = [](const TensorRecipe& tensor) {
    return tensor.dtype == AskedDtype::fp32 || tensor.dtype == AskedDtype::fp16;
  };
  return is_float(recipe.activation) || is_float(recipe.weight);
}

}  // namespace quantlens
