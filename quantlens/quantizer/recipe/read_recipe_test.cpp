// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/read_recipe.h"

#include <gmock/gmock.h>

#include "quantlens/base/error.h"
#include "quantlens/quantizer/recipe/approach.h"

namespace quantlens {
namespace {

std::string complaint(const std::string& text) {
  try {
    read_recipe(text, "recipe.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ReadRecipe, KeepsDefaultsOfWhatIsNotSaid) {
  const Recipe recipe =
      read_recipe("weight: {granularity: per_tensor}\ncalibration_sampling_size: 7", "r");
  EXPECT_EQ(recipe.weight.granularity, Granularity::per_tensor);
  EXPECT_EQ(recipe.weight.dtype, AskedDtype::int8);
  EXPECT_EQ(recipe.activation, Recipe().activation);
  EXPECT_EQ(recipe.calibration_sampling_size, 7U);
}

TEST(ReadRecipe, TakesOpEntriesAsWordsListsOrMappings) {
  const Recipe recipe = read_recipe(R"({op_name_dict: {"/a.\\d+/MatMul": fp32},
      op_type_dict: {Add: {activation: {dtype: [fp32]}}}, reduce_range: false})",
                                    "r");
  EXPECT_EQ(recipe.op_name_dict.at("/a.\\d+/MatMul").weight.dtype, AskedDtype::fp32);
  EXPECT_EQ(recipe.op_type_dict.at("Add").activation.dtype, AskedDtype::fp32);
  EXPECT_EQ(recipe.reduce_range, ReduceRange::false_);
}

TEST(ReadRecipe, NamesOptionsOfThePredecessorsThatHaveNoEffect) {
  std::vector<std::string> notes;
  read_recipe(R"({recipes: {weight_correction: true, gemm_to_matmul: false, rtn_args: {}},
                  graph_optimization_level: ENABLE_ALL, tensorboard: false, device: [cpu]})",
              "r", &notes);
  EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("graph_optimization_level"),
                                          testing::HasSubstr("recipes.weight_correction ")));
  EXPECT_THAT(complaint("recipes: {smoth_quant: true}"), testing::HasSubstr("smooth_quant"));
}

std::vector<std::string> notes_of(const std::string& text) {
  std::vector<std::string> notes;
  read_recipe(text, "r", &notes);
  return notes;
}

TEST(ReadRecipe, TakesTheConstantsAndExamplesOfThePredecessorsDocuments) {
  const OpRecipe fp32{.activation = {.dtype = AskedDtype::fp32},
                      .weight = {.dtype = AskedDtype::fp32}};
  const Recipe recipe = read_recipe(R"({op_name_dict: {
      "v0/cg/conv0/conv2d/Conv2D": {"activation": {"dtype": ["fp32"]}},
      "/layoutlmv3/encoder/layer.\\d+/output/dense/MatMul":
          {"weight": {"dtype": ["fp32"]}, "activation": {"dtype": ["fp32"]}},
      "conv0": {"weights": {"granularity": ["per_channel"]}},
      "conv1": {"weight": {"dtype": ["int8"], "scheme": ["sym"], "algorithm": ["minmax"],
                           "granularity": ["per_tensor"]},
                "activation": {"dtype": ["int8"], "scheme": ["sym"], "algorithm": ["kl"],
                               "granularity": ["per_tensor"]}}},
      calibration_sampling_size: [50, 100], quant_format: QOperator, quant_level: 1,
      approach: static, diagnosis: false, device: cpu, backend: default, domain: auto,
      excluded_precisions: [bf16], reduce_range: null, inputs: [], outputs: []})",
                                    "r");
  EXPECT_EQ(recipe.op_name_dict.at("v0/cg/conv0/conv2d/Conv2D").activation.dtype, AskedDtype::fp32);
  EXPECT_EQ(recipe.op_name_dict.at("/layoutlmv3/encoder/layer.\\d+/output/dense/MatMul"), fp32);
  EXPECT_EQ(recipe.op_name_dict.at("conv0").weight.granularity, Granularity::per_channel);
  EXPECT_EQ(recipe.op_name_dict.at("conv1").activation.algorithm, RangeAlgorithm::kl);
  EXPECT_EQ(recipe.calibration_sampling_size, 50U);
  EXPECT_EQ(recipe.quant_format, QuantFormat::qoperator);
  EXPECT_EQ(recipe.reduce_range, ReduceRange::auto_);
}

TEST(ReadRecipe, TakesAllFieldsOfTheirConfigurationAndSaysWhichHaveNoEffect) {
  const std::string text = R"({device: gpu, backend: onnxrt_trt_ep, domain: nlp,
      approach: dynamic, quant_level: 0, ni_workload_name: mine, inputs: [x], outputs: [y],
      example_inputs: 3, diagnosis: true, excluded_precisions: [bf16, fp16],
      accuracy_criterion: {higher_is_better: true, criterion: relative, tolerable_loss: 0.01},
      tuning_criterion: {strategy: basic, timeout: 0, max_trials: 100, objective: performance},
      calibration_sampling_size: 10,
      recipes: {layer_wise_quant: true, weight_correction: true, gemm_to_matmul: true,
                add_qdq_pair_to_weight: true, dedicated_qdq_pair: true, rtn_args: {bits: 4},
                graph_optimization_level: ENABLE_BASIC}})";
  const std::vector<std::string> notes = notes_of(text);
  for (const char* name :
       {"device", "backend", "domain", "quant_level", "ni_workload_name", "inputs", "outputs",
        "example_inputs", "diagnosis", "accuracy_criterion", "tuning_criterion",
        "recipes.layer_wise_quant", "recipes.weight_correction", "recipes.gemm_to_matmul",
        "recipes.add_qdq_pair_to_weight", "recipes.dedicated_qdq_pair", "recipes.rtn_args",
        "recipes.graph_optimization_level"}) {
    EXPECT_THAT(notes, testing::Contains(testing::StartsWith("recipe option " + std::string(name) +
                                                             " has no effect: ")));
  }
  EXPECT_EQ(notes.size(), 18U);
}

TEST(ReadRecipe, GivesEffectToTheSwitchesOfTheirRecipes) {
  const RecipeSwitches switches =
      read_recipe(R"({recipes: {first_conv_or_matmul_quantization: false,
                      last_conv_or_matmul_quantization: [False],
                      pre_post_process_quantization: false,
                      optypes_to_exclude_output_quant: [MatMul, Gemm]}})",
                  "r")
          .recipes;
  EXPECT_FALSE(switches.first_conv_or_matmul_quantization);
  EXPECT_FALSE(switches.last_conv_or_matmul_quantization);
  EXPECT_FALSE(switches.pre_post_process_quantization);
  EXPECT_THAT(switches.optypes_to_exclude_output_quant, testing::ElementsAre("MatMul", "Gemm"));
  EXPECT_TRUE(read_recipe("recipes: {}", "r").recipes.first_conv_or_matmul_quantization);
  EXPECT_THAT(complaint("recipes: {first_conv_or_matmul_quantization: 2}"),
              testing::HasSubstr("expected true or false"));
  EXPECT_THAT(complaint("recipes: {optypes_to_exclude_output_quant: [1]}"),
              testing::HasSubstr("list of words"));
}

TEST(ReadRecipe, RefusesWordsThatAreNoneAndSaysWhichAre) {
  struct Case {
    const char* text;
    const char* complaint;
  };
  for (const Case& one : {
           Case{"quant_format: qop", "recipe.yaml.quant_format cannot be 'qop'; "},
           Case{"quant_format: qop", "it may be qdq, qoperator, default"},
           Case{"approach: stattic",
                "recipe.yaml.approach cannot be 'stattic'; did you mean 'static'"},
           Case{"op_type_dict: {Conv: fp31}", "'Conv' cannot be 'fp31'"},
           Case{"target: avx", "recipe.yaml.target cannot be 'avx'"},
           Case{"weight: {dtype: int3}", "recipe.yaml.weight.dtype cannot be 'int3'; "},
           Case{"weight: {dtype: uint16}", "may be int8, uint8, int4, uint4, int, fp16, fp32"},
           Case{"weight: {granularity: per_block}", "may be per_channel, per_tensor"},
           Case{"weight: {algorithm: entropy}", "may be minmax, mse"},
           Case{"activation: {dtype: int4}", "may be uint8, int8, uint16, int16, int, fp16, fp32"},
           Case{"activation: {granularity: per_block}", "may be per_tensor"},
           Case{"op_type_dict: {Conv: {activation: {scheme: asymm}}}",
                "recipe.yaml.op_type_dict.'Conv'.activation.scheme cannot be 'asymm'; did you mean "
                "'asym'"},
           Case{"recipes: {cross_layer_equalization: maybe}", "may be false, true, approximate"},
       }) {
    EXPECT_THAT(complaint(one.text), testing::HasSubstr(one.complaint));
  }
}

TEST(ReadRecipe, TakesCrossLayerEqualizationAsAFlagOrAWord) {
  const auto wish = [](const std::string& text) {
    return read_recipe("recipes: {cross_layer_equalization: " + text + "}", "r")
        .recipes.cross_layer_equalization;
  };
  EXPECT_EQ(wish("true"), AskedEqualization::true_);
  EXPECT_EQ(wish("False"), AskedEqualization::false_);
  EXPECT_EQ(wish("approximate"), AskedEqualization::approximate);
  EXPECT_EQ(read_recipe("recipes: {}", "r").recipes.cross_layer_equalization,
            AskedEqualization::false_);
  EXPECT_THAT(complaint("recipes: {cross_layer_equalisation: true}"),
              testing::HasSubstr("did you mean 'cross_layer_equalization'"));
}

TEST(ReadRecipe, TakesSmoothQuantAndItsAlphas) {
  const auto switches = [](const std::string& args) {
    return read_recipe("recipes: {smooth_quant: true, smooth_quant_args: " + args + "}", "r")
        .recipes;
  };
  EXPECT_EQ(switches("{alpha: 0.5}").smooth_quant, true);
  EXPECT_THAT(switches("{alpha: 0.5}").smooth_quant_alphas, testing::ElementsAre(0.5));
  EXPECT_THAT(switches("{alpha: [0.25, 1]}").smooth_quant_alphas, testing::ElementsAre(0.25, 1));
  EXPECT_TRUE(switches("{alpha: auto}").smooth_quant_alphas.empty());
  EXPECT_TRUE(switches("{}").smooth_quant_alphas.empty());
  EXPECT_FALSE(read_recipe("recipes: {}", "r").recipes.smooth_quant);
  for (const char* wrong : {"2", "-0.5", "often", "[0.5, many]", ".nan"}) {
    EXPECT_THAT(complaint(std::string("recipes: {smooth_quant_args: {alpha: ") + wrong + "}}"),
                testing::HasSubstr("numbers from 0 to 1"))
        << wrong;
  }
  std::vector<std::string> notes;
  read_recipe("recipes: {smooth_quant_args: {alpha_step: 0.1, folding: false}}", "r", &notes);
  EXPECT_THAT(notes,
              testing::ElementsAre(testing::HasSubstr("smooth_quant_args.alpha_step has no")));
}

TEST(ReadRecipe, SaysWhatBecomesOfTheirWordsForWhichThereIsNothing) {
  std::vector<std::string> notes;
  const Recipe recipe = read_recipe(R"({op_type_dict: {
      Conv: {activation: {dtype: bf16, algorithm: placeholder, granularity: per_channel},
             weight: {dtype: nf4, scheme: asym_float, algorithm: RTN, group_size: 32, bits: 3}},
      Gemm: bf16, MatMul: {weight: {dtype: int, bits: 4, group_size: -1}}}})",
                                    "r", &notes);
  EXPECT_EQ(notes.size(), 9U) << testing::PrintToString(notes);
  EXPECT_THAT(notes, testing::Contains(testing::AllOf(testing::HasSubstr("'Conv'.activation.dtype"),
                                                      testing::HasSubstr("read as fp32"))));
  const OpRecipe& conv = recipe.op_type_dict.at("Conv");
  EXPECT_EQ(conv.activation, TensorRecipe{.dtype = AskedDtype::fp32});
  EXPECT_EQ(conv.weight, TensorRecipe{.scheme = Symmetry::asym});
  EXPECT_EQ(recipe.op_type_dict.at("Gemm").weight.dtype, AskedDtype::fp32);
  EXPECT_EQ(recipe.op_type_dict.at("MatMul").weight.dtype, AskedDtype::int4);
}

TEST(ReadRecipe, ReadsTheYamlFilesOfThePredecessors) {
  std::vector<std::string> notes;
  const Recipe recipe = read_recipe(R"(
version: 1.0
model: {name: resnet50, framework: onnxrt_qlinearops}
device: cpu
quantization:
  approach: post_training_static_quant
  calibration: {sampling_size: "50, 100", dataloader: {batch_size: 1}}
  recipes: {last_conv_or_matmul_quantization: false}
  model_wise: {weight: {granularity: per_tensor}, activation: {algorithm: kl}}
  op_wise: {conv1: {activation: {dtype: fp32}}}
  optype_wise: {Add: {activation: {dtype: [fp32]}}}
evaluation: {accuracy: {metric: {topk: 1}}}
tuning:
  accuracy_criterion: {relative: 0.01}
  exit_policy: {timeout: 0}
  tensorboard: true
)",
                                    "r", &notes);
  EXPECT_EQ(recipe.quant_format, QuantFormat::qoperator);
  EXPECT_EQ(recipe.calibration_sampling_size, 50U);
  EXPECT_FALSE(recipe.recipes.last_conv_or_matmul_quantization);
  EXPECT_EQ(recipe.weight.granularity, Granularity::per_tensor);
  EXPECT_EQ(recipe.activation.algorithm, RangeAlgorithm::kl);
  EXPECT_EQ(recipe.op_name_dict.at("conv1").activation.dtype, AskedDtype::fp32);
  EXPECT_EQ(recipe.op_type_dict.at("Add").activation.dtype, AskedDtype::fp32);
  EXPECT_TRUE(recipe.tensorboard);
  EXPECT_FALSE(read_recipe("tensorboard: false", "r").tensorboard);
  EXPECT_EQ(notes.size(), 4U) << testing::PrintToString(notes);
  EXPECT_THAT(complaint("{quantization: {recipes: {}}, recipes: {}}"),
              testing::HasSubstr("said twice"));
  EXPECT_THAT(complaint("{quantization: {op_wize: {}}}"), testing::HasSubstr("op_wise"));
  EXPECT_THAT(complaint("{tuning: 3}"), testing::HasSubstr("mapping"));
  EXPECT_THAT(complaint("{quantization: {calibration: {sampling_size: many}}}"),
              testing::HasSubstr("at least 1"));
}

TEST(ReadRecipe, TakesAWordForAWholeOpThatShallBeInteger) {
  const OpRecipe forced = read_recipe("op_type_dict: {\".*\": int8}", "r").op_type_dict.at(".*");
  EXPECT_EQ(forced.activation.dtype, AskedDtype::int_);
  EXPECT_EQ(forced.weight.dtype, AskedDtype::int_);
}

TEST(ReadRecipe, RefusesWhatIsSaidInBothSpellings) {
  EXPECT_THAT(complaint("{weight: {dtype: int8}, weights: {dtype: int8}}"),
              testing::HasSubstr("say it once"));
}

TEST(ReadRecipe, NamesWhatItDoesNotUnderstandAndTheNearestOption) {
  EXPECT_THAT(complaint("weigth: {}"), testing::HasSubstr("weight"));
  EXPECT_THAT(complaint("weight: {granularty: per_tensor}"), testing::HasSubstr("granularity"));
  EXPECT_THAT(complaint("weight: 3"), testing::HasSubstr("recipe.yaml.weight"));
  EXPECT_THAT(complaint("op_name_dict: {a: int9}"), testing::HasSubstr("fp32"));
  EXPECT_THAT(complaint("calibration_sampling_size: 0"), testing::HasSubstr("at least 1"));
  EXPECT_THAT(complaint("- 1"), testing::HasSubstr("mapping"));
}

TEST(ReadRecipe, AnEmptyDocumentIsTheDefault) {
  EXPECT_EQ(read_recipe("", "r"), Recipe());
}

TEST(ReadRecipe, APercentileIsANumber) {
  const Recipe recipe = read_recipe(
      "{activation: {algorithm: percentile, percentile: 99.5}, op_type_dict: {Conv: {activation: "
      "{percentile: [100, 99]}}}}",
      "r");
  EXPECT_EQ(recipe.activation.percentile, 99.5);
  EXPECT_EQ(recipe.op_type_dict.at("Conv").activation.percentile, 100);
  EXPECT_THROW(read_recipe("{activation: {percentile: many}}", "r"), Error);
}

TEST(ReadRecipe, AnApproachChangesTheDefaults) {
  EXPECT_EQ(read_recipe("{}", "here"), Recipe());
  EXPECT_EQ(read_recipe("approach: dynamic", "here"), recipe_for(Approach::dynamic));
  EXPECT_EQ(read_recipe("approach: post_training_weight_only", "here"),
            recipe_for(Approach::weight_only));
  EXPECT_EQ(read_recipe("approach: static", "here", nullptr, Approach::dynamic),
            recipe_for(Approach::dynamic));
  EXPECT_EQ(recipe_for(Approach::weight_only).weight.dtype, AskedDtype::int4);
  EXPECT_EQ(recipe_for(Approach::weight_only).weight.group_size, 32U);
  EXPECT_THROW(read_recipe("approach: later", "here"), Error);
}

TEST(ReadRecipe, BitsAndGroupsAsThePredecessorsSayThem) {
  const Recipe recipe = read_recipe(
      "{approach: weight_only, weight: {dtype: int, bits: 8, group_size: [64, 32], algorithm: "
      "RTN}, "
      "op_type_dict: {Gemm: {weight: {bits: 4}}, MatMul: {weight: {dtype: uint8, bits: 4}}}}",
      "here");
  EXPECT_EQ(recipe.weight.dtype, AskedDtype::int8);
  EXPECT_EQ(recipe.weight.group_size, 64U);
  EXPECT_EQ(recipe.weight.algorithm, RangeAlgorithm::minmax);
  EXPECT_EQ(recipe.op_type_dict.at("Gemm").weight.dtype, AskedDtype::int4);
  EXPECT_EQ(recipe.op_type_dict.at("MatMul").weight.dtype, AskedDtype::uint4);
}

}  // namespace
}  // namespace quantlens
