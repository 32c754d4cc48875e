// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <boost/regex.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {

struct RecipeRules::Rule {
  std::string pattern;
  boost::regex expression;
  OpRecipe recipe;
  bool matched = false;
};

namespace {

void check(const std::string& what, const std::optional<std::string>& value,
           std::initializer_list<const char*> known) {
  if (!value || std::ranges::find(known, *value) != known.end()) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw Error(Errc::usage, fmt::format("recipe: {} cannot be '{}'; it may be {}", what,
                                       printable(*value), fmt::join(names, ", ")));
}

void check(const std::string& where, const OpRecipe& recipe) {
  check(where + "activation dtype", recipe.activation.dtype, {"uint8", "int8", "fp32"});
  check(where + "activation scheme", recipe.activation.scheme, {"asym", "sym"});
  check(where + "activation granularity", recipe.activation.granularity, {"per_tensor"});
  check(where + "activation algorithm", recipe.activation.algorithm,
        {"minmax", "moving_average", "percentile", "entropy", "kl", "mse", "auto"});
  check(where + "weight dtype", recipe.weight.dtype, {"int8", "uint8", "fp32"});
  check(where + "weight scheme", recipe.weight.scheme, {"asym", "sym"});
  check(where + "weight granularity", recipe.weight.granularity, {"per_channel", "per_tensor"});
  check(where + "weight algorithm", recipe.weight.algorithm, {"minmax"});
}

void merge(TensorRecipe& base, const TensorRecipe& over) {
  if (over.dtype) base.dtype = over.dtype;
  if (over.scheme) base.scheme = over.scheme;
  if (over.granularity) base.granularity = over.granularity;
  if (over.algorithm) base.algorithm = over.algorithm;
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
  check("quant_format", recipe.quant_format, {"qdq", "qoperator", "default"});
  check("accuracy_level", recipe.accuracy_level, {"fast", "default", "best"});
  check("reduce_range", recipe.reduce_range, {"auto", "true", "false"});
  check("", OpRecipe{recipe.activation, recipe.weight});
  const auto compile = [](const std::map<std::string, OpRecipe>& entries,
                          std::vector<Rule>& rules) {
    for (const auto& [pattern, wanted] : entries) {
      check(fmt::format("'{}': ", printable(pattern)), wanted);
      try {
        rules.push_back(
            {.pattern = pattern, .expression = boost::regex(pattern), .recipe = wanted});
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

OpRecipe RecipeRules::for_op(const Node& node) {
  OpRecipe result{recipe_.activation, recipe_.weight};
  const auto apply = [&](std::vector<Rule>& rules, const std::string& text) {
    for (Rule& rule : rules) {
      if (!matches(rule.expression, rule.pattern, text)) continue;
      rule.matched = true;
      merge(result.activation, rule.recipe.activation);
      merge(result.weight, rule.recipe.weight);
    }
  };
  apply(types_, node.type);
  apply(names_, op_name(node));
  return result;
}

std::vector<std::string> RecipeRules::notes(const Graph& graph) const {
  std::set<std::string> types;
  std::set<std::string> names;
  for (const Node& node : graph.nodes) {
    types.insert(node.type);
    names.insert(op_name(node));
  }
  std::vector<std::string> sentences;
  const auto report = [&](const std::vector<Rule>& rules, const char* where,
                          const std::set<std::string>& known) {
    const std::vector<std::string> list(known.begin(), known.end());
    for (const Rule& rule : rules) {
      if (!rule.matched) {
        const std::string near = did_you_mean(rule.pattern, list);
        sentences.push_back(fmt::format("{}: '{}' matches no op of the model{}{}", where,
                                        printable(rule.pattern), near.empty() ? "" : "; ", near));
      }
      if (rule.recipe.activation.dtype && *rule.recipe.activation.dtype != "fp32" &&
          rule.recipe.activation.dtype != recipe_.activation.dtype) {
        sentences.push_back(
            fmt::format("{}: '{}': activation dtype {} has no effect: integer kernels want one "
                        "activation dtype in "
                        "the whole model; set it in the recipe's own 'activation'",
                        where, printable(rule.pattern), *rule.recipe.activation.dtype));
      }
    }
  };
  report(types_, "op_type_dict", types);
  report(names_, "op_name_dict", names);
  return sentences;
}

bool wants_float(const OpRecipe& recipe) {
  return recipe.activation.dtype == "fp32" || recipe.weight.dtype == "fp32";
}

}  // namespace quantlens
