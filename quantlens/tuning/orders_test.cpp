// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/orders.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

using ::testing::ElementsAre;

Space space_of_names(const std::vector<std::string>& names) {
  Space space;
  for (const std::string& name : names) {
    TunableOp op;
    op.op = op.name = name;
    op.type = op.make = "Conv";
    op.values = {name};
    space.ops.push_back(op);
  }
  return space;
}

const OpOrder& named(const std::vector<OpOrder>& orders, const std::string& name) {
  return *std::ranges::find(orders, name, &OpOrder::name);
}

TEST(Orders, APartThatRepeatsEndsWithItsNumber) {
  EXPECT_THAT(repeated_parts({"encoder/layer.3/query", "encoder/layer.3/key/MatMul",
                              "encoder/layer.11/query", "head2/query", "Conv2d_0", "Conv2d_1/a"}),
              ElementsAre("encoder/layer.3", "encoder/layer.3", "encoder/layer.11", "", "Conv2d_0",
                          "Conv2d_1"));
}

TEST(Orders, BlameIsWeighedByCost) {
  Space space = space_of_names({"cheap", "dear", "clean"});
  Diagnosis diagnosis;
  for (const auto& [op, share] : {std::pair("cheap", 0.3), {"dear", 0.7}}) {
    ActivationRow row;
    row.op = op_ref(op);
    row.output_share = share;
    diagnosis.activations.push_back(row);
  }
  const std::vector<Blame> blames = blames_of(space, &diagnosis);
  EXPECT_THAT(by_blame({0, 1, 2}, blames, {1, 1, 1}).steps,
              ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(2)));
  EXPECT_THAT(by_blame({0, 1, 2}, blames, {1, 9, 1}).steps,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(Orders, WithoutADiagnosisAllAreAlike) {
  const std::vector<Blame> blames = blames_of(space_of_names({"a", "b"}), nullptr);
  EXPECT_EQ(blames[0].output, blames[1].output);
  EXPECT_GT(blames[0].output, 0);
}

TEST(Orders, NoiseThatIsNoNumberIsTheMost) {
  Diagnosis diagnosis;
  for (const double sqnr : {std::nan(""), 3.0}) {
    ActivationRow row;
    row.op = op_ref(std::isnan(sqnr) ? "a" : "b");
    row.local_sqnr_db = sqnr;
    diagnosis.activations.push_back(row);
  }
  const std::vector<Blame> blames = blames_of(space_of_names({"a", "b"}), &diagnosis);
  EXPECT_GT(blames[0].noise, 0.99);
  EXPECT_LT(blames[1].noise, 0.01);
}

TEST(Orders, EachHoldsEveryOpOnce) {
  const Space space = space_of_names({"layer.1/q", "layer.1/k", "layer.2/q", "layer.2/k", "head"});
  const std::vector<std::size_t> ops{0, 1, 2, 3, 4};
  const std::vector<OpOrder> orders =
      other_orders(space, ops, blames_of(space, nullptr), Costs(ops.size(), 1));
  for (const OpOrder& order : orders) {
    std::vector<std::size_t> seen;
    for (const auto& step : order.steps) seen.insert(seen.end(), step.begin(), step.end());
    std::ranges::sort(seen);
    EXPECT_EQ(seen, ops) << order.name;
  }
  EXPECT_THAT(named(orders, "what is named alike").steps,
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4)));
  EXPECT_THAT(named(orders, "repeated parts").steps,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(named(orders, "from the outputs on").steps.front(), ElementsAre(4));
}

}  // namespace
}  // namespace quantlens
