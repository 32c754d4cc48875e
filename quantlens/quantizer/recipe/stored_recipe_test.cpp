// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/stored_recipe.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

Model with_recipe(const std::string& text) {
  SmallGraph net;
  net.input("x").output("x").metadata(kRecipeKey, text);
  return net.model();
}

TEST(StoredRecipe, IsTheOneThatTheModelWasMadeWith) {
  Recipe recipe;
  recipe.recipes.smooth_quant = true;
  const Model model = with_recipe(text_to_store(recipe));
  EXPECT_TRUE(has_stored_recipe(model));
  EXPECT_EQ(stored_recipe(model).value().recipes.smooth_quant, true);
}

TEST(StoredRecipe, IsTheSameWhetherEventsAreWrittenOrNot) {
  Recipe recipe;
  const std::string without = text_to_store(recipe);
  recipe.tensorboard = true;
  EXPECT_EQ(text_to_store(recipe), without);
  EXPECT_EQ(without.find("tensorboard"), std::string::npos) << without;
}

TEST(StoredRecipe, IsNothingInAModelOfOthers) {
  SmallGraph net;
  net.input("x").output("x");
  EXPECT_FALSE(has_stored_recipe(net.model()));
  EXPECT_FALSE(stored_recipe(net.model()));
}

TEST(StoredRecipe, ThatIsNoneIsAnErrorThatNamesTheProperty) {
  const Model broken = with_recipe("{\"recipes\": 3}");
  EXPECT_FALSE(readable_recipe(broken)) << "for those who can do without";
  try {
    stored_recipe(broken);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(kRecipeKey), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quantlens
