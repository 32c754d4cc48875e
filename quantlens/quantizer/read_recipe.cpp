// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/read_recipe.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

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
      throw Error(Errc::usage, fmt::format("{}: unknown option '{}'; {}", where_, printable(key),
                                           did_you_mean(key, keys)));
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

}  // namespace

Recipe read_recipe(std::string_view text, std::string_view where) {
  const json::Value document = parse_yaml(text, where);
  Recipe recipe;
  if (document.is_null()) return recipe;
  const Section section(document, std::string(where),
                        {"quant_format", "activation", "weight", "op_type_dict", "op_name_dict",
                         "reduce_range", "calibration_sampling_size"});
  if (const auto format = section.text("quant_format")) recipe.quant_format = *format;
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
  return recipe;
}

}  // namespace quantlens
