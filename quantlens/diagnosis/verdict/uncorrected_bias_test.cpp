// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/uncorrected_bias.h"

#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/base/json_line.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"

namespace quantlens {
namespace {

/// A chain of convs, with a share of the outputs' error each, of which rounded weights make all.
class Chain {
 public:
  explicit Chain(const std::vector<double>& shares) {
    net_.input("0");
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const std::string value = std::to_string(i + 1), weight = "w" + value;
      net_.weight(weight, {1, 1, 1, 1}, {1});
      net_.node(Kind::conv, {std::to_string(i), weight}, value);
      pairing_.weights.push_back(
          {.op = op_ref("node_" + value), .reference = weight, .quantized = weight + "_q"});
      ActivationRow& row = diagnosis_.activations.emplace_back();
      row.op = op_ref("node_" + value);
      row.value = value;
      row.quantized = value + "_q";
      row.scale = 0.1;
      row.local_mse = 2;
      row.input_mse = 0;
      row.weight_mse = 2;
      row.shift_share = 0.75;
      row.output_share = shares[i];
      row.output_share_interval = {shares[i] / 2, shares[i] * 2};
    }
    net_.output(std::to_string(shares.size()));
  }

  std::vector<ActivationRow>& rows() { return diagnosis_.activations; }
  SmallGraph& quantized() { return quantized_; }

  std::optional<FoundCause> found() const {
    const OwnModels models(net_.model(), quantized_.model(), pairing_);
    return uncorrected_bias({models, diagnosis_}, quantized_.model());
  }

 private:
  SmallGraph net_, quantized_;
  Pairing pairing_;
  Diagnosis diagnosis_;
};

TEST(UncorrectedBias, IsWhatRoundedWeightsShiftAtManyOps) {
  const std::optional<FoundCause> found = Chain({0.2, 0.3, 0.2, 0.1}).found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rule, "uncorrected_bias");
  EXPECT_EQ(found->op, op_ref("node_2")) << "the one that makes most of it";
  EXPECT_EQ(found->cause.ops, op_refs({"node_2", "node_1", "node_3", "node_4"}));
  EXPECT_NEAR(found->share, 0.75 * 0.8, 1e-12);
  EXPECT_NEAR(found->interval[0], 0.75 * 0.4, 1e-12);
  EXPECT_EQ(found->interval[1], 1) << "shifts add up along the network";
  EXPECT_NEAR(found->cause.least_mended, 0.75, 1e-12) << "of what these ops in float give back";
  EXPECT_TRUE(found->is_mistake);
  EXPECT_EQ(said(found->cause.reasons), "uncorrected_bias(ops: 4)");
  const Recipe remedy = read_recipe(boost::json::serialize(found->cause.remedy), "remedy");
  EXPECT_EQ(remedy.recipes.bias_correction, true);
}

TEST(UncorrectedBias, IsNoneOfOneOpNorOfLittle) {
  EXPECT_FALSE(Chain({0.8, 0.1, 0.1}).found()) << "the op has a cause of its own";
  EXPECT_FALSE(Chain({0.4, 0.4}).found()) << "two are not the network";
  EXPECT_FALSE(Chain({0.1, 0.1, 0.1}).found());
}

TEST(UncorrectedBias, IsOfRoundedWeightsAlone) {
  Chain chain({0.2, 0.3, 0.2, 0.1});
  for (ActivationRow& row : chain.rows()) row.weight_mse = 0.1;
  EXPECT_FALSE(chain.found()) << "a clipped input shifts means, too";
  for (ActivationRow& row : chain.rows()) row.weight_mse = 2;
  for (ActivationRow& row : chain.rows()) row.shift_share = 0.05;
  EXPECT_FALSE(chain.found()) << "what corrected biases leave";
}

TEST(UncorrectedBias, IsNotSaidWhereCorrectionIsOnOrCannotBe) {
  Chain chain({0.2, 0.3, 0.2, 0.1});
  const auto stored = [](AccuracyLevel level) {
    Recipe recipe;
    recipe.accuracy_level = level;
    return json::line(json::encode(recipe));
  };
  chain.quantized().metadata(kRecipeKey, stored(AccuracyLevel::fast));
  EXPECT_TRUE(chain.found());
  chain.quantized().metadata(kRecipeKey, stored(AccuracyLevel::default_));
  EXPECT_FALSE(chain.found());
  Chain dynamic({0.2, 0.3, 0.2, 0.1});
  for (ActivationRow& row : dynamic.rows()) row.scale.reset();
  EXPECT_FALSE(dynamic.found()) << "correction needs calibration";
}

}  // namespace
}  // namespace quantlens
