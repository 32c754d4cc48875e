// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/profile_tables.h"

#include <gtest/gtest.h>

#include "quantlens/base/json.h"

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
  profile.source = "quantlens";
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
  OpTime row{.ops = {"y", "z"}, .names = {"MatMul_1", "Add_1"}, .type = "Gemm"};
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

}  // namespace
}  // namespace quantlens
