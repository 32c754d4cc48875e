// record: every stored box of the flow as a plain struct whose fields are declared once; files,
// API, tables and (later) UI and Python follow. No behaviour. Start with plan.h and diagnosis.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// What may be asked for activations or for weights; absent: the default, or what a more general
/// entry of the recipe says. dtype "fp32" means: leave in float.
struct TensorRecipe {
  std::optional<std::string> dtype;        ///< uint8 | int8 | fp32
  std::optional<std::string> scheme;       ///< asym | sym
  std::optional<std::string> granularity;  ///< per_tensor | per_channel (weights only)
  /// Of activations: minmax | percentile | entropy (also kl) | mse; of weights: minmax.
  std::optional<std::string> algorithm;
  bool operator==(const TensorRecipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(TensorRecipe, (), (dtype, scheme, granularity, algorithm))

/// What may be asked for some ops.
struct OpRecipe {
  TensorRecipe activation;
  TensorRecipe weight;
  bool operator==(const OpRecipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(OpRecipe, (), (activation, weight))

/// What may be done to a model besides rounding it. Absent: as `accuracy_level` has it.
struct RecipeSwitches {
  std::optional<bool> bias_correction;
  bool operator==(const RecipeSwitches&) const = default;
};
BOOST_DESCRIBE_STRUCT(RecipeSwitches, (), (bias_correction))

/// Everything a user may ask of the quantizer. Later entries win: model, op_type_dict,
/// op_name_dict.
struct Recipe {
  std::string quant_format = "qdq";
  std::string accuracy_level = "default";  ///< fast | default | best: what absent options mean
  TensorRecipe activation{"uint8", "asym", "per_tensor", std::nullopt};
  TensorRecipe weight{"int8", "sym", "per_channel", "minmax"};
  /// Keys: regular expressions, full match on the type, or on the name.
  std::map<std::string, OpRecipe> op_type_dict;
  std::map<std::string, OpRecipe> op_name_dict;
  std::string reduce_range = "auto";  ///< auto (where the CPU lacks VNNI) | true | false
  std::uint64_t calibration_sampling_size = 100;
  RecipeSwitches recipes;
  bool operator==(const Recipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(Recipe, (),
                      (quant_format, accuracy_level, activation, weight, op_type_dict, op_name_dict,
                       reduce_range, calibration_sampling_size, recipes))

}  // namespace quantlens
