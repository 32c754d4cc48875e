// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/all_tables.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> files_of_tables(const std::vector<NamedTable>& tables) {
  std::vector<std::string> files;
  for (const NamedTable& one : tables) files.push_back(one.file);
  return files;
}

std::string csv_of(const std::vector<NamedTable>& tables, const std::string& file) {
  const auto found = std::ranges::find(tables, file, &NamedTable::file);
  return found == tables.end() ? "" : to_csv(found->table);
}

TEST(AllTables, OfADiagnosisAreThoseWithRows) {
  EXPECT_THAT(files_of_tables(all_tables(reported_run(), {})),
              ElementsAre("activations.csv", "findings.csv", "accuracy.csv"));
}

TEST(AllTables, HaveEachFindingWithItsReasonsAndRemedy) {
  EXPECT_EQ(csv_of(all_tables(reported_run(), {}), "findings.csv"),
            "Rule,Severity,Op,Ops,Share of the outputs' error,Share is measured,Measured gain,"
            "Reasons,Remedy\r\n"
            "spread_weight,problem,node_y,node_y,0.9,false,,its weight has one scale,"
            "\"{\"\"op_name_dict\"\":{\"\"node_y\"\":\"\"fp32\"\"}}\"\r\n");
}

TEST(AllTables, HaveWhyAnOpStayedFloatAndWhatHasNoCounterpart) {
  RunRecords records = reported_run();
  OpPlan& op = records.plan->ops.emplace_back();
  op.op = op_ref("node_y");
  op.type = "Gelu";
  op.reason = "no int8 form, so far";
  SideRecords side;
  Pairing& pairing = side.pairing.emplace();
  pairing.only_reference = {"a"};
  pairing.only_quantized = {"b"};
  pairing.not_compared = {{"c", "it is empty"}};
  const std::vector<NamedTable> tables = all_tables(records, side);
  EXPECT_THAT(csv_of(tables, "plan.csv"),
              HasSubstr("node_y,Gelu,,false,fp32,float,\"no int8 form, so far\"\r\n"));
  EXPECT_EQ(csv_of(tables, "not_compared.csv"),
            "Value,Model,Reason\r\n"
            "a,reference,no tensor of the quantized model stands for it\r\n"
            "b,quantized,it stands for no value of the reference\r\n"
            "c,reference,it is empty\r\n");
}

TEST(AllTables, HaveRangesOfBothWidths) {
  SideRecords side;
  side.ranges.emplace().values = {{.value = "x", .min = -1, .max = 0.5, .expected_mse = 0.25}};
  side.ranges->wide = {{.value = "y", .max = 2, .algorithm = RangeAlgorithm::minmax}};
  EXPECT_EQ(csv_of(all_tables({}, side), "ranges.csv"),
            "Value,Bits,Min,Max,Algorithm,Asked for,Expected MSE\r\n"
            "x,8,-1.0,0.5,,,0.25\r\n"
            "y,16,0.0,2.0,minmax,,\r\n");
}

TEST(AllTables, OfASearchHaveWhatEachPrecisionCosts) {
  RunRecords records;
  records.study.emplace();
  SideRecords side;
  Prices& prices = side.prices.emplace();
  prices.groups = {{.ops = {"a", "b"}, .float_us = 4, .int8_us = 2, .seen_in_int8 = true}};
  prices.values = {{.value = "v", .from = 0, .to = {0, 1}, .quantize_us = 1, .dequantize_us = 0.5}};
  const std::vector<NamedTable> tables = all_tables(records, side);
  EXPECT_THAT(csv_of(tables, "prices_of_ops.csv"),
              HasSubstr("\r\n0,a b,4.0,2.0,0.0,0.0,true,false,false\r\n"));
  EXPECT_THAT(csv_of(tables, "prices_of_values.csv"), HasSubstr("\r\nv,0,0 outside,1.0,0.5\r\n"));
}

TEST(AllTables, OfACalibrationAreItsStatistics) {
  RunRecords records;
  records.statistics = {.output = "s.bin", .samples = 100, .values = 1};
  EXPECT_EQ(csv_of(all_tables(records, {}), "statistics.csv"),
            "File,Values,Samples\r\ns.bin,1,100\r\n");
}

TEST(AllTables, OfARunThatFoundNothingThereAreNone) {
  EXPECT_TRUE(all_tables(RunRecords(), {}).empty());
}

}  // namespace
}  // namespace quantlens
