// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/read_recipe.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/base/yaml.h"

namespace quantlens {
namespace {

using boost::json::object;

/// Reads one mapping of the recipe and remembers where it stands.
class Section {
 public:
  Section(const json::Value& value, std::string where, std::vector<std::string> keys)
      : where_(std::move(where)) {
    if (!value.is_object()) throw Error(Errc::usage, where_ + ": expected a mapping of options");
    object_ = &value.get_object();
    for (const auto& entry : *object_) {
      const std::string key(entry.key());
      if (std::ranges::find(keys, key) != keys.end()) continue;
      const std::string near = did_you_mean(key, keys);
      throw Error(
          Errc::usage,
          fmt::format("{}: unknown option '{}'; {}", where_, printable(key),
                      near.empty() ? fmt::format("known: {}", fmt::join(keys, ", ")) : near));
    }
  }

  const json::Value* find(std::string_view key) const { return object_->if_contains(key); }
  std::string where(std::string_view key) const { return fmt::format("{}.{}", where_, key); }

  /// Text, a number or a bool as text; of a list, the first.
  std::optional<std::string> text(std::string_view key) const {
    const json::Value* value = find(key);
    if (value && value->is_array() && !value->get_array().empty()) value = &value->get_array()[0];
    if (!value || value->is_null()) return std::nullopt;
    if (value->is_string()) return std::string(value->get_string());
    if (value->is_bool()) return value->get_bool() ? "true" : "false";
    throw Error(Errc::usage, where(key) + ": expected a word");
  }

  std::optional<bool> flag(std::string_view key) const {
    const std::optional<std::string> word = text(key);
    if (!word || *word == "true" || *word == "false") {
      return word ? std::optional(*word == "true") : std::nullopt;
    }
    throw Error(Errc::usage, where(key) + ": expected true or false");
  }

  std::optional<std::uint64_t> count(std::string_view key) const {
    const json::Value* value = find(key);
    if (value && value->is_array() && !value->get_array().empty()) value = &value->get_array()[0];
    if (!value || value->is_null()) return std::nullopt;
    if (!value->is_int64() || value->get_int64() < 1) {
      throw Error(Errc::usage, where(key) + ": expected a whole number of at least 1");
    }
    return static_cast<std::uint64_t>(value->get_int64());
  }

 private:
  std::string where_;
  const object* object_ = nullptr;
};

TensorRecipe read_tensor(const json::Value& value, const std::string& where) {
  const Section section(value, where, {"dtype", "scheme", "granularity", "algorithm"});
  return {.dtype = section.text("dtype"),
          .scheme = section.text("scheme"),
          .granularity = section.text("granularity"),
          .algorithm = section.text("algorithm")};
}

OpRecipe read_op(const json::Value& value, const std::string& where) {
  if (value.is_string()) {
    if (value.get_string() == "fp32")
      return {.activation = {.dtype = "fp32"}, .weight = {.dtype = "fp32"}};
    throw Error(Errc::usage, where + ": the only word that stands for a whole op is fp32");
  }
  const Section section(value, where, {"activation", "weight"});
  OpRecipe recipe;
  if (const json::Value* part = section.find("activation")) {
    recipe.activation = read_tensor(*part, section.where("activation"));
  }
  if (const json::Value* part = section.find("weight")) {
    recipe.weight = read_tensor(*part, section.where("weight"));
  }
  return recipe;
}

std::map<std::string, OpRecipe> read_ops(const json::Value& value, const std::string& where) {
  if (!value.is_object())
    throw Error(Errc::usage, where + ": expected a mapping of patterns to options");
  std::map<std::string, OpRecipe> ops;
  for (const auto& entry : value.get_object()) {
    const std::string pattern(entry.key());
    ops[pattern] = read_op(entry.value(), fmt::format("{}.'{}'", where, printable(pattern)));
  }
  return ops;
}

// Options that are set in part keep the defaults of the rest.
void overlay(TensorRecipe& base, const TensorRecipe& over) {
  if (over.dtype) base.dtype = over.dtype;
  if (over.scheme) base.scheme = over.scheme;
  if (over.granularity) base.granularity = over.granularity;
  if (over.algorithm) base.algorithm = over.algorithm;
}

/// An option of the predecessors that has no effect, and the value that asks for what is done
/// anyway.
struct Idle {
  const char* key;
  const char* met;
};
constexpr Idle kIdleOptions[] = {{"graph_optimization_level", "default"}, {"tensorboard", "false"}};
constexpr Idle kIdleRecipes[] = {{"smooth_quant", "false"},
                                 {"smooth_quant_args", nullptr},
                                 {"layer_wise_quant", "false"},
                                 {"weight_correction", "false"},
                                 {"gemm_to_matmul", "true"},
                                 {"graph_optimization_level", "default"},
                                 {"first_conv_or_matmul_quantization", "true"},
                                 {"last_conv_or_matmul_quantization", "true"},
                                 {"pre_post_process_quantization", "true"},
                                 {"add_qdq_pair_to_weight", "false"},
                                 {"optypes_to_exclude_output_quant", nullptr},
                                 {"dedicated_qdq_pair", "false"}};

std::vector<std::string> keys_of(std::span<const Idle> options) {
  std::vector<std::string> keys;
  for (const Idle& option : options) keys.emplace_back(option.key);
  return keys;
}

/// Adds the options that are given and ask for something else than what is done anyway.
void add_idle(const Section& section, std::span<const Idle> options, const std::string& prefix,
              std::vector<std::string>& idle) {
  for (const Idle& option : options) {
    const json::Value* value = section.find(option.key);
    if (value == nullptr || value->is_null()) continue;
    const bool is_empty = (value->is_array() && value->get_array().empty()) ||
                          (value->is_object() && value->get_object().empty());
    const bool is_word = value->is_string() || value->is_bool();
    if (is_empty || (is_word && option.met && *section.text(option.key) == option.met)) continue;
    idle.push_back(prefix + option.key);
  }
}

}  // namespace

Recipe read_recipe(std::string_view text, std::string_view where,
                   std::vector<std::string>* without_effect) {
  const json::Value document = parse_yaml(text, where);
  Recipe recipe;
  if (document.is_null()) return recipe;
  const Section section(document, std::string(where),
                        {"quant_format", "accuracy_level", "activation", "weight", "op_type_dict",
                         "op_name_dict", "reduce_range", "calibration_sampling_size", "recipes",
                         "graph_optimization_level", "tensorboard"});
  if (const auto format = section.text("quant_format")) recipe.quant_format = *format;
  if (const auto level = section.text("accuracy_level")) recipe.accuracy_level = *level;
  if (const auto reduce = section.text("reduce_range")) recipe.reduce_range = *reduce;
  if (const auto size = section.count("calibration_sampling_size"))
    recipe.calibration_sampling_size = *size;
  if (const json::Value* part = section.find("activation")) {
    overlay(recipe.activation, read_tensor(*part, section.where("activation")));
  }
  if (const json::Value* part = section.find("weight")) {
    overlay(recipe.weight, read_tensor(*part, section.where("weight")));
  }
  if (const json::Value* part = section.find("op_type_dict")) {
    recipe.op_type_dict = read_ops(*part, section.where("op_type_dict"));
  }
  if (const json::Value* part = section.find("op_name_dict")) {
    recipe.op_name_dict = read_ops(*part, section.where("op_name_dict"));
  }
  std::vector<std::string> idle;
  add_idle(section, kIdleOptions, "", idle);
  if (const json::Value* part = section.find("recipes")) {
    std::vector<std::string> keys = keys_of(kIdleRecipes);
    keys.insert(keys.end(), {"bias_correction", "fast_bias_correction"});
    const Section recipes(*part, section.where("recipes"), std::move(keys));
    for (const char* key : {"fast_bias_correction", "bias_correction"}) {
      if (const auto asked = recipes.flag(key)) recipe.recipes.bias_correction = asked;
    }
    add_idle(recipes, kIdleRecipes, "recipes.", idle);
  }
  if (without_effect) *without_effect = std::move(idle);
  return recipe;
}

}  // namespace quantlens
