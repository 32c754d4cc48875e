// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/read_recipe.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/base/yaml.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/recipe/predecessors.h"
#include "quantlens/quantizer/recipe/recipe_section.h"
#include "quantlens/quantizer/recipe/recipe_words.h"

namespace quantlens {
namespace {

std::optional<std::string> lower(std::optional<std::string> word) {
  if (!word) return word;
  for (char& c : *word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

/// A word of the predecessors, what it becomes here (empty: nothing is said), and why.
struct Foreign {
  std::string_view word;
  std::string_view becomes;
  std::string_view why;
};

constexpr std::string_view kNoShortFloats =
    "no runtime here computes in bf16; fp16 is another choice";
constexpr std::string_view kNoSuchCodes = "weights are stored as integers, in even steps";
constexpr std::string_view kWeightOnlyWord = "it is for weight-only quantization";

constexpr Foreign kDtypes[] = {
    {"bf16", "fp32", kNoShortFloats}, {"None", "", kWeightOnlyWord},
    {"nf4", "", kNoSuchCodes},        {"fp4", "", kNoSuchCodes},
    {"fp4_e2m1", "", kNoSuchCodes},   {"fp4_e2m1_bnb", "", kNoSuchCodes},
};
constexpr Foreign kSchemes[] = {
    {"asym_float", "asym", "zero points are codes, so that zero stays exact"}};
constexpr Foreign kForeignGranularities[] = {
    {"per_channel", "", "kernels take one scale for each activation"}};
constexpr Foreign kActivationWords[] = {{"placeholder", "", "it is for PyTorch"}};
constexpr Foreign kWeightWords[] = {
    {"kl", "", "it is for activations"}, {"RTN", "", kWeightOnlyWord},
    {"AWQ", "", kWeightOnlyWord},        {"GPTQ", "", kWeightOnlyWord},
    {"TEQ", "", kWeightOnlyWord},        {"AUTOROUND", "", kWeightOnlyWord},
};

/// Reads a recipe; gathers what it says in vain.
class Reader {
 public:
  /// `approach`: absent: as the document says.
  Reader(std::vector<std::string>& notes, std::optional<Approach> approach)
      : notes_(notes), asked_(approach), approach_(approach.value_or(Approach::static_)) {}

  Recipe read(const json::Value& document, const std::string& where);

 private:
  std::optional<std::string> translated(std::optional<std::string> word,
                                        std::span<const Foreign> words, const std::string& where) {
    const auto found = std::ranges::find(words, word.value_or(""), &Foreign::word);
    if (!word || found == words.end()) return word;
    const std::string instead =
        found->becomes.empty() ? " has no effect" : fmt::format(" is read as {}", found->becomes);
    notes_.push_back(fmt::format("{}: {}{}: {}", where, *word, instead, found->why));
    if (found->becomes.empty()) return std::nullopt;
    return std::string(found->becomes);
  }

  /// `foreign`: words of the predecessors. `may_be`: none: any word of E.
  template <WordEnum E>
  std::optional<E> read_word(const Section& section, const char* key,
                             std::span<const Foreign> foreign = {},
                             std::span<const std::type_identity_t<E>> may_be = {}) {
    const std::string where = section.where(key);
    return choice<E>(translated(section.text(key), foreign, where), where, may_be);
  }

  /// `bits` and `group_size` of a weight.
  void read_width(const Section& section, TensorRecipe& recipe) {
    const bool in_blocks = approach_ == Approach::weight_only;
    if (const auto bits = section.count("bits")) {
      const bool is_unsigned =
          recipe.dtype == AskedDtype::uint8 || recipe.dtype == AskedDtype::uint4;
      const bool is_eight = recipe.dtype == AskedDtype::int8 || recipe.dtype == AskedDtype::uint8;
      if (in_blocks && *bits == 8) {
        recipe.dtype = is_unsigned ? AskedDtype::uint8 : AskedDtype::int8;
      }
      const bool is_narrow = *bits == 4;
      const bool is_plain = !recipe.dtype || *recipe.dtype == AskedDtype::int_;
      if (is_narrow && (is_plain || is_eight)) {
        recipe.dtype = is_unsigned ? AskedDtype::uint4 : AskedDtype::int4;
      }
      if (!is_narrow && *bits != 8) {
        notes_.push_back(
            fmt::format("{} has no effect: weights have 8 bits or 4; reduce_range "
                        "makes it 7 for the whole model",
                        section.where("bits")));
      }
    }
    if (in_blocks) {
      recipe.group_size = section.count("group_size");
      return;
    }
    const json::Value* size = first_of(section.find("group_size"));
    if (size != nullptr && *size != -1) {
      notes_.push_back(fmt::format("{} has no effect: a weight has one scale, or one a channel",
                                   section.where("group_size")));
    }
  }

  TensorRecipe read_activation(const json::Value& value, const std::string& where) {
    const Section section(
        value, where, {"dtype", "scheme", "granularity", "algorithm", "percentile", "quant_mode"});
    if (const auto mode = section.text("quant_mode"); mode && *mode != word(approach_)) {
      notes_.push_back(section.where("quant_mode") +
                       " has no effect: the approach is one for the whole model");
    }
    return {.dtype = read_word<AskedDtype>(section, "dtype", kDtypes, kActivationDtypes),
            .scheme = read_word<Symmetry>(section, "scheme", kSchemes),
            .granularity = read_word<Granularity>(section, "granularity", kForeignGranularities,
                                                  kActivationGranularities),
            .algorithm = read_word<RangeAlgorithm>(section, "algorithm", kActivationWords),
            .percentile = section.number("percentile")};
  }

  /// Of a weight. Rounding to the nearest, as they call it, looks at minimum and maximum.
  std::optional<RangeAlgorithm> read_algorithm(const Section& section) {
    const bool in_blocks = approach_ == Approach::weight_only;
    if (in_blocks && section.text("algorithm") == "RTN") return RangeAlgorithm::minmax;
    return read_word<RangeAlgorithm>(section, "algorithm", kWeightWords, kWeightAlgorithms);
  }

  TensorRecipe read_weight(const json::Value& value, const std::string& where) {
    const Section section(value, where,
                          {"dtype", "scheme", "granularity", "algorithm", "bits", "group_size"});
    TensorRecipe recipe{
        .dtype = read_word<AskedDtype>(section, "dtype", kDtypes, kWeightDtypes),
        .scheme = read_word<Symmetry>(section, "scheme", kSchemes),
        .granularity = read_word<Granularity>(section, "granularity", {}, kWeightGranularities),
        .algorithm = read_algorithm(section),
        .percentile = {}};
    read_width(section, recipe);
    return recipe;
  }

  /// `activation`, `weight` and how the predecessors' article spells it, of a recipe or an op.
  OpRecipe read_both(const Section& section) {
    OpRecipe recipe;
    if (const json::Value* part = section.find("activation")) {
      recipe.activation = read_activation(*part, section.where("activation"));
    }
    const char* key = section.find("weights") ? "weights" : "weight";
    if (section.find("weights") && section.find("weight")) {
      throw Error(Errc::usage, section.where("weights") + ": 'weight' is said too; say it once");
    }
    if (const json::Value* part = section.find(key)) {
      recipe.weight = read_weight(*part, section.where(key));
    }
    return recipe;
  }

  OpRecipe read_op(const json::Value& value, const std::string& where) {
    if (const json::Value* first = first_of(&value); first != nullptr && first->is_string()) {
      const auto said = translated(std::string(first->get_string()), kDtypes, where);
      const auto dtype = from_word<AskedDtype>(said.value_or(""));
      if (dtype == AskedDtype::fp32 || dtype == AskedDtype::fp16)
        return {.activation = {.dtype = dtype}, .weight = {.dtype = dtype}};
      if (dtype == AskedDtype::int8 || dtype == AskedDtype::int_) {
        return {.activation = {.dtype = AskedDtype::int_}, .weight = {.dtype = AskedDtype::int_}};
      }
      throw Error(Errc::usage,
                  fmt::format("{} cannot be '{}'; the words that stand for a whole op are fp32, "
                              "fp16 and int8",
                              where, printable(std::string_view(first->get_string()))));
    }
    return read_both(Section(value, where, {"activation", "weight", "weights"}));
  }

  std::map<std::string, OpRecipe> read_ops(const json::Value* value, const std::string& where) {
    if (value == nullptr || value->is_null()) return {};
    if (!value->is_object())
      throw Error(Errc::usage, where + ": expected a mapping of patterns to options");
    std::map<std::string, OpRecipe> ops;
    for (const auto& entry : value->get_object()) {
      const std::string pattern(entry.key());
      ops[pattern] = read_op(entry.value(), fmt::format("{}.'{}'", where, printable(pattern)));
    }
    return ops;
  }

  void read_switches(const json::Value& value, const std::string& where, RecipeSwitches& switches);

  /// Empty: to be chosen freely.
  std::vector<double> read_alphas(const json::Value& value, const std::string& where);

  std::vector<std::string>& notes_;
  std::optional<Approach> asked_;
  Approach approach_;
};

// Options that are set in part keep the defaults of the rest.
void overlay(TensorRecipe& base, const TensorRecipe& over) {
  if (over.dtype) base.dtype = over.dtype;
  if (over.scheme) base.scheme = over.scheme;
  if (over.granularity) base.granularity = over.granularity;
  if (over.algorithm) base.algorithm = over.algorithm;
  if (over.percentile) base.percentile = over.percentile;
  if (over.group_size) base.group_size = over.group_size;
}

std::vector<std::string> with_keys_of(std::span<const Idle> options,
                                      std::vector<std::string> keys) {
  for (const Idle& option : options) keys.emplace_back(option.key);
  return keys;
}

void Reader::read_switches(const json::Value& value, const std::string& where,
                           RecipeSwitches& switches) {
  struct Switch {
    const char* key;
    bool RecipeSwitches::*field;
  };
  constexpr Switch kSwitches[] = {
      {"first_conv_or_matmul_quantization", &RecipeSwitches::first_conv_or_matmul_quantization},
      {"last_conv_or_matmul_quantization", &RecipeSwitches::last_conv_or_matmul_quantization},
      {"pre_post_process_quantization", &RecipeSwitches::pre_post_process_quantization},
  };
  std::vector<std::string> keys{
      "optypes_to_exclude_output_quant", "bias_correction", "fast_bias_correction",
      "cross_layer_equalization",        "smooth_quant",    "smooth_quant_args"};
  for (const Switch& one : kSwitches) keys.emplace_back(one.key);
  const Section section(value, where, with_keys_of(idle_recipes(), std::move(keys)));
  for (const Switch& one : kSwitches) {
    switches.*one.field = section.flag(one.key).value_or(switches.*one.field);
  }
  for (const char* key : {"fast_bias_correction", "bias_correction"}) {
    if (const auto asked = section.flag(key)) switches.bias_correction = asked;
  }
  switches.smooth_quant = section.flag("smooth_quant");
  if (const json::Value* args = section.find("smooth_quant_args"); args && !args->is_null()) {
    switches.smooth_quant_alphas = read_alphas(*args, section.where("smooth_quant_args"));
  }
  if (const auto asked = read_word<AskedEqualization>(section, "cross_layer_equalization")) {
    switches.cross_layer_equalization = *asked;
  }
  switches.optypes_to_exclude_output_quant = section.words("optypes_to_exclude_output_quant");
  add_idle(section, idle_recipes(), "recipes.", notes_);
}

std::vector<double> Reader::read_alphas(const json::Value& value, const std::string& where) {
  const Section section(value, where, with_keys_of(idle_smoothing(), {"alpha"}));
  add_idle(section, idle_smoothing(), "recipes.smooth_quant_args.", notes_);
  const json::Value* alpha = section.find("alpha");
  if (alpha == nullptr || alpha->is_null() || *alpha == "auto") return {};
  std::vector<json::Value> list{*alpha};
  if (alpha->is_array()) list.assign(alpha->get_array().begin(), alpha->get_array().end());
  std::vector<double> alphas;
  for (const json::Value& one : list) {
    const double number = one.is_number() ? one.to_number<double>() : -1;
    if (!(number >= 0 && number <= 1)) {
      throw Error(Errc::usage,
                  section.where("alpha") + ": expected 'auto', or numbers from 0 to 1");
    }
    alphas.push_back(number);
  }
  return alphas;
}

Recipe Reader::read(const json::Value& document, const std::string& where) {
  if (document.is_null()) return recipe_for(approach_);
  const json::Value flat = flattened(document, where, notes_);
  const Section section(
      flat, where,
      with_keys_of(idle_options(),
                   {"approach", "fallback", "quant_format", "accuracy_level", "activation",
                    "weight", "weights", "op_type_dict", "op_name_dict", "target", "reduce_range",
                    "calibration_sampling_size", "recipes", "tensorboard"}));
  if (const auto said = section.text("approach")) {
    const Approach own = approach_named(*said, section.where("approach"));
    approach_ = asked_.value_or(own);
  }
  Recipe recipe = recipe_for(approach_);
  const auto set = [&]<class E>(const char* key, E& option) {
    option = read_word<E>(section, key).value_or(option);
  };
  set("fallback", recipe.fallback);
  recipe.quant_format =
      choice<QuantFormat>(lower(section.text("quant_format")), section.where("quant_format"))
          .value_or(recipe.quant_format);
  set("accuracy_level", recipe.accuracy_level);
  set("target", recipe.target);
  set("reduce_range", recipe.reduce_range);
  recipe.calibration_sampling_size =
      section.count("calibration_sampling_size").value_or(recipe.calibration_sampling_size);
  recipe.tensorboard = section.flag("tensorboard").value_or(recipe.tensorboard);
  const OpRecipe all = read_both(section);
  const TensorRecipe usual = recipe.weight;
  overlay(recipe.activation, all.activation);
  overlay(recipe.weight, all.weight);
  if (recipe.activation.dtype == AskedDtype::int_) recipe.activation.dtype.reset();
  if (recipe.weight.dtype == AskedDtype::int_) recipe.weight.dtype = usual.dtype;
  recipe.op_type_dict = read_ops(section.find("op_type_dict"), section.where("op_type_dict"));
  recipe.op_name_dict = read_ops(section.find("op_name_dict"), section.where("op_name_dict"));
  add_idle(section, idle_options(), "", notes_);
  if (const json::Value* part = section.find("recipes"); part && !part->is_null()) {
    read_switches(*part, section.where("recipes"), recipe.recipes);
  }
  return recipe;
}

}  // namespace

Recipe read_recipe(std::string_view text, std::string_view where, std::vector<std::string>* notes,
                   std::optional<Approach> approach) {
  std::vector<std::string> said_in_vain;
  Recipe recipe = Reader(said_in_vain, approach).read(parse_yaml(text, where), std::string(where));
  if (notes) *notes = std::move(said_in_vain);
  return recipe;
}

}  // namespace quantlens
