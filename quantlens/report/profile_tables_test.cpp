// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/profile_tables.h"

#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/report/run_text.h"

namespace quantlens {
namespace {

Profile small_profile() {
  NodeTime slow{.name = "conv \"1\"", .type = "Conv"};
  slow.total_us = 1200.6;
  slow.cpu_us = 1200.6;
  slow.mean_us = 12;
  slow.share = 0.6;
  slow.runs = 100;
  NodeTime fast{.name = "relu", .type = "Relu"};
  fast.total_us = 100;
  fast.cpu_us = 100;
  fast.mean_us = 1;
  fast.runs = 100;
  Profile profile;
  profile.threads = 1;
  profile.wall.mean_us = 20;
  profile.wall.median_us = 20;
  profile.nodes_us = 13;
  profile.outside_us = 2;
  profile.explained = 0.75;
  profile.nodes = {slow, fast};
  return profile;
}

TEST(ProfilingTable, BeginsWithThePredecessorsColumns) {
  const std::string csv = to_csv(profiling_table(small_profile(), ProfileRows::nodes));
  EXPECT_EQ(csv.substr(0, csv.find(",Mean")),
            "Node name,Total execution time [us],Accelerator execution time [us],"
            "CPU execution time [us],OP run,OP defined");
  EXPECT_NE(csv.find("\r\n\"conv \"\"1\"\"\",1201,0,1201,100,1,"), std::string::npos) << csv;
}

TEST(ProfilingTable, FitsATerminalAndKeepsTheShares) {
  const std::string text =
      to_text(profiling_table(small_profile(), ProfileRows::nodes), {.width = 100});
  EXPECT_NE(text.find("Share [%]"), std::string::npos) << text;
  EXPECT_NE(text.find("Node name"), std::string::npos) << text;
}

TEST(ProfilingData, HasThePredecessorsKeysAndWholeMicroseconds) {
  const json::Value data = json::parse(profiling_data(small_profile()), "data");
  ASSERT_EQ(data.as_array().size(), 2U);
  const auto& first = data.as_array()[0].as_object();
  EXPECT_EQ(first.at("node_name"), "conv \"1\"");
  EXPECT_EQ(first.at("total_execution_time"), 1201);
  EXPECT_EQ(first.at("accelerator_execution_time"), 0);
  EXPECT_EQ(first.at("cpu_execution_time"), 1201);
  EXPECT_EQ(first.at("op_run"), 100);
  EXPECT_EQ(first.at("op_defined"), 1);
  EXPECT_EQ(profiling_data(Profile()), "[]\n");
}

TEST(ProfileText, SaysWhatIsExplainedAndWhatIsNot) {
  const std::string text = profile_text(small_profile());
  EXPECT_NE(text.find("explain 13.0 us (65.0"), std::string::npos) << text;
  EXPECT_NE(text.find("unexplained 5.0 (25.0"), std::string::npos) << text;
}

TEST(JoinedTable, SaysWhichNodesComputeARow) {
  ProfileRecord pair;
  OpTime row{.ops = {{"y", "MatMul_1"}, {"z", "Add_1"}}, .type = "Gemm"};
  row.reference_us = 5;
  row.quantized_us = 7;
  row.conversion_us = 2;
  row.gain_us = -4;
  row.reference_nodes = {"Gemm"};
  row.quantized_nodes = {"QLinearMatMul", "QLinearAdd", "QLinearAdd"};
  pair.ops = {row};
  const std::string csv = to_csv(joined_table(pair));
  EXPECT_NE(csv.find("MatMul_1 +1,Gemm,5.0,7.0,2.0,0.0,-4.0,Gemm,QLinearMatMul + QLinearAdd x2"),
            std::string::npos)
      << csv;
}

/// A pair whose first finding has a remedy, and whose second names four ops.
ProfileRecord small_pair() {
  ProfileRecord pair;
  pair.reference = small_profile();
  pair.quantized = small_profile();
  pair.conclusions = {said_in_words("It is slower.")};
  SpeedFinding& slow = pair.findings.emplace_back();
  slow.rule = SpeedRule::slow_kernel;
  slow.ops = {{"y", "conv"}};
  slow.reasons = {{"speed.conversions", {{"kernels", figure::counts({{"QLinearConv", 1}})}}}};
  slow.remedy = boost::json::object{{"op_name_dict", boost::json::object{{"conv", "fp32"}}}};
  slow.milliseconds = 0.25;
  SpeedFinding& island = pair.findings.emplace_back();
  island.rule = SpeedRule::float_island;
  island.ops = {{"a", "op_a"}, {"b", "op_b"}, {"c", "op_c"}, {"d", "op_d"}};
  island.reasons = {said_in_words("it pays")};
  island.milliseconds = 0.125;
  return pair;
}

TEST(SpeedText, NamesFindingsWithTheirOpsAndRemedies) {
  const std::string text = speed_text(small_pair());
  EXPECT_EQ(text.substr(0, text.find("Milliseconds")),
            "It is slower.\n"
            "1. slow_kernel, 0.250 ms: conv: QLinearConv saves less than conversions and layouts "
            "cost\n"
            "   recipe: {\"op_name_dict\":{\"conv\":\"fp32\"}}\n"
            "2. float_island, 0.125 ms: op_a;op_b;op_c and 1 more: it pays\n");
}

TEST(SpeedText, NamesTheFileOfALongRemedy) {
  ProfileRecord pair = small_pair();
  pair.findings[0].remedy.as_object()["op_name_dict"].as_object()[std::string(300, 'x')] = "fp32";
  EXPECT_NE(speed_text(pair).find("recipe: remedy_1.json in the workload\n"), std::string::npos);
}

TEST(RunJson, OfAProfileHasSentencesBesideTheFigures) {
  RunRecords records;
  records.profile = small_pair();
  const boost::json::object object = run_json(records);
  EXPECT_EQ(object.at("verdict"), "It is slower.");
  EXPECT_EQ(object.at("conclusions").at(0).at("says"), "words");
  const json::Value& finding = object.at("findings").at(0);
  EXPECT_EQ(finding.at("because"), "QLinearConv saves less than conversions and layouts cost");
  EXPECT_EQ(finding.at("reasons").at(0).at("says"), "speed.conversions");
  EXPECT_EQ(finding.at("remedy").at("op_name_dict").at("conv"), "fp32");
  EXPECT_EQ(object.at("nodes").as_array().size(), 2U);
}

}  // namespace
}  // namespace quantlens
