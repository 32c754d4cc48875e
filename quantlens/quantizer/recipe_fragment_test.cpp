// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe_fragment.h"

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/quantizer/read_recipe.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

Recipe again(const Recipe& recipe) {
  return read_recipe(json::dump(recipe_document(recipe)), "again");
}

TEST(RecipeDocument, ReadsBackAsItWas) {
  EXPECT_EQ(again({}), Recipe{});
  Recipe recipe = read_recipe(
      R"({accuracy_level: best, activation: {algorithm: percentile, percentile: 99.9, dtype: int8},
          weight: {granularity: per_tensor}, op_type_dict: {Add: fp32},
          op_name_dict: {"/a\\d+": {weight: {granularity: per_channel}}, b: int8},
          recipes: {smooth_quant: true, smooth_quant_args: {alpha: [0.3, 0.5]}, bias_correction: false,
                    cross_layer_equalization: approximate, last_conv_or_matmul_quantization: false,
                    optypes_to_exclude_output_quant: [MatMul]},
          reduce_range: true, calibration_sampling_size: 7, target: avx2})",
      "test");
  EXPECT_EQ(again(recipe), recipe);
  for (const char* approach : {"dynamic", "weight_only", "auto"}) {
    recipe = read_recipe("{}", "test", nullptr, approach);
    EXPECT_EQ(again(recipe), recipe) << approach;
  }
}

TEST(RecipeFragment, IsLaidOverARecipe) {
  const Recipe recipe = read_recipe(
      "{op_name_dict: {a: {weight: {granularity: per_tensor}}}, accuracy_level: fast}", "test");
  const Recipe edited = with_fragment(
      recipe,
      "{op_name_dict: {a: {weight: {algorithm: mse}}, b: fp32}, recipes: {smooth_quant: true}}",
      "fragment");
  Recipe expected = recipe;
  expected.op_name_dict["a"].weight.algorithm = "mse";
  expected.op_name_dict["b"] = {.activation = {.dtype = "fp32"}, .weight = {.dtype = "fp32"}};
  expected.recipes.smooth_quant = true;
  EXPECT_EQ(edited, expected);
  EXPECT_EQ(with_fragment(recipe, "", "fragment"), recipe);
  EXPECT_THROW(with_fragment(recipe, "{op_nam_dict: {}}", "fragment"), Error);
}

TEST(RecipeFragment, APatternMatchesItsNameAlone) {
  for (const char* name : {"/layer.1/Add", "a+b(c)[0]", "x\\y^$|{}*?", "Conv:out"}) {
    EXPECT_TRUE(boost::regex_match(name, boost::regex(pattern_of(name)))) << name;
  }
  EXPECT_FALSE(boost::regex_match("/layerX1/Add", boost::regex(pattern_of("/layer.1/Add"))));
}

}  // namespace
}  // namespace quantlens
