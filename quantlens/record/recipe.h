// record: every stored box of the flow as a plain struct whose fields are declared once; files,
// API, tables and (later) UI and Python follow. No behaviour. Start with plan.h and diagnosis.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// How ranges may be chosen, as recipes spell it: of activations, of weights.
inline constexpr std::array kActivationAlgorithms = {
    "minmax", "moving_average", "percentile", "entropy", "kl", "mse", "auto"};
inline constexpr std::array kWeightAlgorithms = {"minmax", "mse"};

/// What may be asked for activations or for weights; absent: the default, or what a more general
/// entry of the recipe says. dtype "fp32" means: leave in float.
struct TensorRecipe {
  /// Of activations: uint8 | int8 | uint16 | int16; of weights: int8 | uint8 | int4 | uint4; of
  /// both: fp32, fp16 (not quantized, computed in half), and int (the 8-bit dtype of the model).
  std::optional<std::string> dtype;
  std::optional<std::string> scheme;        ///< asym | sym
  std::optional<std::string> granularity;   ///< per_tensor | per_channel (weights only)
  std::optional<std::string> algorithm;     ///< one of the words above
  std::optional<double> percentile;         ///< of the elements that `percentile` keeps, in percent
  std::optional<std::uint64_t> group_size;  ///< of weights in blocks: elements of a block
  bool operator==(const TensorRecipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(TensorRecipe, (),
                      (dtype, scheme, granularity, algorithm, percentile, group_size))

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
  /// false | true | approximate (Relu6 is no obstacle then).
  std::string cross_layer_equalization = "false";
  std::optional<bool> smooth_quant;
  std::vector<double> smooth_quant_alphas;  ///< to choose from; empty: 0.1 to 0.9
  // Which ops become integer; `false` keeps them in float. By the order of the graph, of those that
  // could be integer.
  bool first_conv_or_matmul_quantization = true;
  bool last_conv_or_matmul_quantization = true;
  /// Of ops that no Conv, MatMul or Gemm reads, and of those that only the first one reads.
  bool pre_post_process_quantization = true;
  /// Types of ops whose results are not quantized, where their kernels can return float.
  std::vector<std::string> optypes_to_exclude_output_quant;
  bool operator==(const RecipeSwitches&) const = default;
};
BOOST_DESCRIBE_STRUCT(RecipeSwitches, (),
                      (bias_correction, cross_layer_equalization, smooth_quant, smooth_quant_alphas,
                       first_conv_or_matmul_quantization, last_conv_or_matmul_quantization,
                       pre_post_process_quantization, optypes_to_exclude_output_quant))

/// Everything a user may ask of the quantizer. Later entries win: model, op_type_dict,
/// op_name_dict.
struct Recipe {
  /// static | dynamic | weight_only | auto (static, and dynamic what cannot be); what it changes of
  /// the defaults below: `recipe_for`.
  std::string approach = "static";
  std::string fallback = "fp32";  ///< fp32 | fp16: what is computed in that is not quantized
  std::string quant_format = "qdq";
  std::string accuracy_level = "default";  ///< fast | default | best: what absent options mean
  /// dtype absent: int8 where the target is arm, else uint8.
  TensorRecipe activation{std::nullopt, "asym", "per_tensor", std::nullopt};
  TensorRecipe weight{"int8", "sym", "per_channel"};
  /// Keys: regular expressions, full match on the type, or on the name.
  std::map<std::string, OpRecipe> op_type_dict;
  std::map<std::string, OpRecipe> op_name_dict;
  std::string target = "auto";        ///< auto (this CPU) | vnni | avx2 | avx512 | arm
  std::string reduce_range = "auto";  ///< auto (where the target saturates) | true | false
  std::uint64_t calibration_sampling_size = 100;
  RecipeSwitches recipes;
  bool operator==(const Recipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(Recipe, (),
                      (approach, fallback, quant_format, accuracy_level, activation, weight,
                       op_type_dict, op_name_dict, target, reduce_range, calibration_sampling_size,
                       recipes))

}  // namespace quantlens
