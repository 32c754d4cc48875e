// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/plan_weight_only.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

PlanResult block_plan(const Model& model,
                      const Recipe& recipe = recipe_for(Approach::weight_only)) {
  return make_plan(Planned(model, recipe).draft, {}, {});
}

SmallGraph tied() {
  SmallGraph net;
  net.input("i").input("x").weight("t", {64, 48}, std::vector<float>(64 * 48, 1));
  net.node(Kind::gather, {"t", "i"}, "e");
  net.node(Kind::gemm, {"e", "t"}, "g").set(&roles::MatrixProduct::transposes_b, true);
  net.node(Kind::matmul, {"x", "t"}, "m").output("g").output("m");
  return net;
}

TEST(PlanWeightOnly, AWeightLiesAsItsReadersWantIt) {
  const Plan plan = block_plan(tied().model()).plan;
  ASSERT_EQ(plan.weights_in_blocks.size(), 3U);  // a table, rows, columns
  const BlockWeightPlan& table = plan.weights_in_blocks[0];
  EXPECT_TRUE(table.rows);
  EXPECT_EQ(table.scheme, (BlockScheme{.bits = 4, .size = 16, .symmetric = true, .searched = true}))
      << "32 elements do not divide a row of 48";
  EXPECT_TRUE(plan.weights_in_blocks[1].rows);
  EXPECT_EQ(plan.weights_in_blocks[1].scheme.size, 32);
  EXPECT_FALSE(plan.weights_in_blocks[2].rows);
  EXPECT_EQ(plan.weights_in_blocks[2].uses, (std::vector<ValueUse>{{"m", 1}}));
  for (const OpPlan& op : plan.ops) EXPECT_EQ(op.form, OpForm::weight_only);
}

TEST(PlanWeightOnly, NoKernelComputesInIntegersUnlessAsked) {
  Recipe recipe = recipe_for(Approach::weight_only);
  EXPECT_FALSE(block_plan(tied().model(), recipe).plan.weights_in_blocks.at(2).integer_data);
  recipe.activation.dtype = AskedDtype::int8;
  const Plan plan = block_plan(tied().model(), recipe).plan;
  EXPECT_FALSE(plan.weights_in_blocks.at(0).integer_data);  // a table has no data
  EXPECT_TRUE(plan.weights_in_blocks.at(2).integer_data);
}

TEST(PlanWeightOnly, OptionsWithoutEffectAreNoted) {
  Recipe recipe = recipe_for(Approach::weight_only);
  recipe.weight.granularity = Granularity::per_channel;
  const std::vector<std::string> notes = block_plan(tied().model(), recipe).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("granularity has no effect"), std::string::npos);
  EXPECT_TRUE(block_plan(tied().model()).notes.empty());
}

}  // namespace
}  // namespace quantlens
