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

/// What a tensor may be asked to be. Of activations alone: uint16, int16; of weights alone: int4,
/// uint4. int_: the 8-bit dtype of the model; fp16: not quantized, computed in half; fp32: left in
/// float.
BOOST_DEFINE_ENUM_CLASS(AskedDtype, uint8, int8, uint16, int16, int4, uint4, int_, fp16, fp32)

BOOST_DEFINE_ENUM_CLASS(Symmetry, asym, sym)

/// What shares a scale: a tensor, a channel (of a weight), a block of a channel (of one stored in
/// blocks, which no recipe asks for by this word).
BOOST_DEFINE_ENUM_CLASS(Granularity, per_tensor, per_channel, per_block)

/// How the range of codes is chosen (docs/recipes.md). kl is another word for entropy; auto_ takes
/// the best of several. Weights have minmax and mse.
BOOST_DEFINE_ENUM_CLASS(RangeAlgorithm, minmax, moving_average, percentile, entropy, kl, mse, auto_)

/// What may be asked for activations or for weights; absent: the default, or what a more general
/// entry of the recipe says.
struct TensorRecipe {
  std::optional<AskedDtype> dtype;
  std::optional<Symmetry> scheme;
  std::optional<Granularity> granularity;
  std::optional<RangeAlgorithm> algorithm;
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

/// Whether channels of consecutive layers are made alike; approximate: Relu6 is no obstacle.
BOOST_DEFINE_ENUM_CLASS(AskedEqualization, false_, true_, approximate)

/// What may be done to a model besides rounding it. Absent: as `accuracy_level` has it.
struct RecipeSwitches {
  std::optional<bool> bias_correction;
  AskedEqualization cross_layer_equalization = AskedEqualization::false_;
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

/// auto_: static, and dynamic what cannot be; what each changes of the defaults of a recipe:
/// `recipe_for`.
BOOST_DEFINE_ENUM_CLASS(Approach, static_, dynamic, weight_only, auto_)

/// What is computed in that is not quantized.
BOOST_DEFINE_ENUM_CLASS(Fallback, fp32, fp16)

/// qdq: QuantizeLinear and DequantizeLinear around float ops; qoperator: integer operators;
/// default_, in recipes alone: qdq.
BOOST_DEFINE_ENUM_CLASS(QuantFormat, qdq, qoperator, default_)

/// What absent options mean.
BOOST_DEFINE_ENUM_CLASS(AccuracyLevel, fast, default_, best)

/// The CPU that a model is for; auto_: this one; avx512: without VNNI.
BOOST_DEFINE_ENUM_CLASS(TargetCpu, auto_, vnni, avx2, avx512, arm)

/// Whether int8 weights have 7 bits; auto_: where the target saturates.
BOOST_DEFINE_ENUM_CLASS(ReduceRange, auto_, true_, false_)

/// Everything a user may ask of the quantizer. Later entries win: model, op_type_dict,
/// op_name_dict.
struct Recipe {
  Approach approach = Approach::static_;
  Fallback fallback = Fallback::fp32;
  QuantFormat quant_format = QuantFormat::qdq;
  AccuracyLevel accuracy_level = AccuracyLevel::default_;
  /// dtype absent: int8 where the target is arm, else uint8.
  TensorRecipe activation{.scheme = Symmetry::asym, .granularity = Granularity::per_tensor};
  TensorRecipe weight{
      .dtype = AskedDtype::int8, .scheme = Symmetry::sym, .granularity = Granularity::per_channel};
  /// Keys: regular expressions, full match on the type, or on the name.
  std::map<std::string, OpRecipe> op_type_dict;
  std::map<std::string, OpRecipe> op_name_dict;
  TargetCpu target = TargetCpu::auto_;
  ReduceRange reduce_range = ReduceRange::auto_;
  std::uint64_t calibration_sampling_size = 100;
  RecipeSwitches recipes;
  bool tensorboard = false;  ///< the run is written as event files as well
  bool operator==(const Recipe&) const = default;
};
BOOST_DESCRIBE_STRUCT(Recipe, (),
                      (approach, fallback, quant_format, accuracy_level, activation, weight,
                       op_type_dict, op_name_dict, target, reduce_range, calibration_sampling_size,
                       recipes, tensorboard))

}  // namespace quantlens
