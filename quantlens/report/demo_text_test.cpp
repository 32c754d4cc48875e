// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/demo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/record/testing/op_refs.h"
#include "quantlens/report/cell.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

RunRecords scored(const std::string& id, double value) {
  RunRecords records;
  records.run.id = id;
  records.accuracy.emplace().quantized.value = value;
  return records;
}

RunRecords broken_run() {
  RunRecords records = scored("one", 0.5);
  Diagnosis& diagnosis = records.diagnosis.emplace();
  diagnosis.activations.emplace_back().op = op_ref("conv");
  diagnosis.activations.emplace_back().op = op_ref("relu");
  WeightRow& weight = diagnosis.weights.emplace_back();
  weight.op = op_ref("gemm");
  weight.weight = "gemm.w";
  weight.channel_spread = 368.2;
  return records;
}

TEST(DemoSummary, HasTheseFieldsForPrograms) {
  const boost::json::object told =
      json::encode(demo_summary(broken_run(), scored("two", 0.75))).as_object();
  ASSERT_EQ(told.size(), 2U);
  const boost::json::object& broken = told.at("per_tensor").as_object();
  EXPECT_EQ(broken.size(), 4U);
  EXPECT_EQ(broken.at("workload"), "one");
  EXPECT_EQ(broken.at("accuracy").at("quantized").at("value"), 0.5);
  EXPECT_EQ(broken.at("worst_op"), "conv");
  EXPECT_EQ(broken.at("worst_weight"), "gemm");
  const boost::json::object& mended = told.at("per_channel").as_object();
  EXPECT_EQ(mended.size(), 2U);
  EXPECT_EQ(mended.at("workload"), "two");
  EXPECT_EQ(mended.at("accuracy").at("quantized").at("value"), 0.75);
}

TEST(DemoText, NamesTheOpTheWeightAndWhatMendsThem) {
  const std::string text = unwrapped(demo_text(broken_run(), scored("two", 0.75), RunView()));
  EXPECT_THAT(text, HasSubstr("names the culprit: conv. Its weight gemm.w has a channel 368 times "
                              "as wide as the median one"));
  EXPECT_LT(text.find("0.5000"), text.find("0.7500"));
}

TEST(DemoText, InMarkdownHoldsItsSentencesWholeAndNamesAsTheyStand) {
  RunRecords broken = broken_run();
  broken.diagnosis->activations[0].op = op_ref("conv*1*");
  const std::string text = demo_text(broken, scored("two", 0.75), RunView{.markdown = true});
  EXPECT_THAT(text,
              HasSubstr("\n\nThe first row names the culprit: conv\\*1\\*. Its weight gemm.w has "
                        "a channel 368 times as wide as the median one, so one scale"));
  EXPECT_THAT(text, HasSubstr("\n**Activations summary**\n\n| OP name |"));
}

}  // namespace
}  // namespace quantlens
