// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/read_recipe.h"

#include <gmock/gmock.h>

#include "quantlens/base/error.h"

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
  EXPECT_EQ(recipe.weight.granularity, "per_tensor");
  EXPECT_EQ(recipe.weight.dtype, "int8");
  EXPECT_EQ(recipe.activation, Recipe().activation);
  EXPECT_EQ(recipe.calibration_sampling_size, 7U);
}

TEST(ReadRecipe, TakesOpEntriesAsWordsListsOrMappings) {
  const Recipe recipe = read_recipe(R"({op_name_dict: {"/a.\\d+/MatMul": fp32},
      op_type_dict: {Add: {activation: {dtype: [fp32]}}}, reduce_range: false})",
                                    "r");
  EXPECT_EQ(recipe.op_name_dict.at("/a.\\d+/MatMul").weight.dtype, "fp32");
  EXPECT_EQ(recipe.op_type_dict.at("Add").activation.dtype, "fp32");
  EXPECT_EQ(recipe.reduce_range, "false");
}

TEST(ReadRecipe, NamesOptionsOfThePredecessorsThatHaveNoEffect) {
  std::vector<std::string> idle;
  read_recipe(R"({recipes: {smooth_quant: true, gemm_to_matmul: true, smooth_quant_args: {},
                  first_conv_or_matmul_quantization: false},
                  graph_optimization_level: ENABLE_ALL, tensorboard: false})",
              "r", &idle);
  EXPECT_THAT(idle, testing::ElementsAre("graph_optimization_level", "recipes.smooth_quant",
                                         "recipes.first_conv_or_matmul_quantization"));
  EXPECT_THAT(complaint("recipes: {smoth_quant: true}"), testing::HasSubstr("smooth_quant"));
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

}  // namespace
}  // namespace quantlens
