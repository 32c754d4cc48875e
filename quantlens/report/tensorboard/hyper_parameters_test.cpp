// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/hyper_parameters.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(HyperParameters, AreTheOptionsThatTrialsDifferIn) {
  Recipe first, second;
  second.weight.granularity = Granularity::per_tensor;
  second.op_name_dict["conv1"] = OpRecipe{};
  second.op_name_dict["conv2"] = OpRecipe{};
  const auto values = differing({hyper_parameters(first), hyper_parameters(second)});
  ASSERT_TRUE(values.contains("weight.granularity"));
  EXPECT_EQ(values.at("weight.granularity"),
            (std::vector<HyperParameter>{std::string("per_channel"), std::string("per_tensor")}));
  ASSERT_TRUE(values.contains("op_name_dict.count"));
  EXPECT_EQ(values.at("op_name_dict.count").back(), HyperParameter(2.0));
  EXPECT_FALSE(values.contains("activation.granularity"));
  EXPECT_TRUE(differing({hyper_parameters(first)}).empty());
}

}  // namespace
}  // namespace quantlens
