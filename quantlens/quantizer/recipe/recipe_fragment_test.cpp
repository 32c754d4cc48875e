// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/recipe_fragment.h"

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/words.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
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
  for (const Approach approach : {Approach::dynamic, Approach::weight_only, Approach::auto_}) {
    recipe = read_recipe("{}", "test", nullptr, approach);
    EXPECT_EQ(again(recipe), recipe) << word(approach);
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
  expected.op_name_dict["a"].weight.algorithm = RangeAlgorithm::mse;
  expected.op_name_dict["b"] = {.activation = {.dtype = AskedDtype::fp32},
                                .weight = {.dtype = AskedDtype::fp32}};
  expected.recipes.smooth_quant = true;
  EXPECT_EQ(edited, expected);
  EXPECT_EQ(with_fragment(recipe, "", "fragment"), recipe);
  EXPECT_THROW(with_fragment(recipe, "{op_nam_dict: {}}", "fragment"), Error);
}

Recipe laid(const std::vector<std::string>& texts, std::optional<Approach> approach = {},
            std::vector<std::string>* notes = nullptr) {
  std::vector<RecipeText> documents;
  for (const std::string& text : texts) documents.push_back({text, "test"});
  return read_recipes(documents, notes, approach);
}

TEST(Recipes, LaterOnesAreLaidOverEarlierOnes) {
  EXPECT_EQ(laid({}), Recipe{});
  EXPECT_EQ(laid({"{reduce_range: true}"}), read_recipe("{reduce_range: true}", "test"));
  EXPECT_EQ(laid({"{accuracy_level: fast, op_name_dict: {a: fp32, b: {weights: {algorithm: mse}}}}",
                  "{op_name_dict: {b: {weights: {granularity: per_tensor}}, c: fp32}}",
                  "{accuracy_level: best, op_type_dict: }"}),
            read_recipe("{accuracy_level: best, op_name_dict: {a: fp32, c: fp32, "
                        "b: {weight: {algorithm: mse, granularity: per_tensor}}}}",
                        "test"));
  EXPECT_EQ(laid({"{op_type_dict: {Conv: fp32}}",
                  "{model: {name: x}, quantization: {optype_wise: {Gemm: {weights: {bits: 4}}}}}"}),
            read_recipe("{op_type_dict: {Conv: fp32, Gemm: {weight: {bits: 4}}}}", "test"))
      << "a file of the predecessors is a document as well";
}

TEST(Recipes, HaveOneApproachWhoseDefaultsHoldForAll) {
  const Recipe wanted =
      read_recipe("{approach: weight_only, weight: {group_size: 64}, reduce_range: true}", "test");
  EXPECT_EQ(laid({"{weight: {group_size: 64}}", "{approach: weight_only}", "{reduce_range: true}"}),
            wanted);
  EXPECT_EQ(laid({"{weight: {group_size: 64}}", "{approach: dynamic, reduce_range: true}"},
                 Approach::weight_only),
            wanted);
}

TEST(Recipes, SayOfEachDocumentWhatHasNoEffectAndWhatIsWrong) {
  std::vector<std::string> notes;
  laid({"{device: gpu}", "{backend: x}", "{domain: y}"}, {}, &notes);
  ASSERT_EQ(notes.size(), 3U);
  const std::vector<RecipeText> documents{{"{}", "one.yaml"}, {"{op_nam_dict: {}}", "two.yaml"}};
  try {
    read_recipes(documents, nullptr, {});
    FAIL() << "it has an unknown key";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("two.yaml")) << error.what();
  }
}

TEST(RecipeFragment, APatternMatchesItsNameAlone) {
  for (const char* name : {"/layer.1/Add", "a+b(c)[0]", "x\\y^$|{}*?", "Conv:out"}) {
    EXPECT_TRUE(boost::regex_match(name, boost::regex(pattern_of(name)))) << name;
  }
  EXPECT_FALSE(boost::regex_match("/layerX1/Add", boost::regex(pattern_of("/layer.1/Add"))));
}

}  // namespace
}  // namespace quantlens
