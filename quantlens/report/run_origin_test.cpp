// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// What the table says of this; empty: it has no such row.
std::string row(const Table& table, std::string_view what) {
  const std::string markdown = to_markdown(table);
  const std::string begin = "| " + std::string(what) + " | ";
  const std::size_t at = markdown.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t from = at + begin.size();
  return markdown.substr(from, markdown.find(" |\n", from) - from);
}

TEST(CommandWithoutFolders, NamesFilesAndKeepsOptions) {
  EXPECT_EQ(command_without_folders({"quantize", "/home/me/net.onnx", "--data=/srv/a b.npz", "-o",
                                     "out/", "--metric", "command:/home/me/score.sh"}),
            "quantlens quantize net.onnx '--data=a b.npz' -o out --metric command:score.sh");
}

TEST(CommandWithoutFolders, KeepsNamesOfOpsInARecipe) {
  EXPECT_EQ(command_without_folders({"quantize", "--recipe", "{op_name_dict: {/conv/Conv: fp32}}"}),
            "quantlens quantize --recipe '{op_name_dict: {/conv/Conv: fp32}}'");
}

TEST(CommandWithoutFolders, ShowsNoFolderOfADataDocument) {
  EXPECT_EQ(command_without_folders({"tune", "--data", "{images: {folder: /srv/imagenet/val}}"}),
            "quantlens tune --data '{images: {folder: val}}'");
}

TEST(RunOriginTable, SaysWhichDataWhichMetricWhichRecipeAndWhichCommand) {
  Workload run;
  run.arguments = {"quantize", "/home/me/net.onnx"};
  run.metric = "top1:label_offset=1";
  run.data = {{.data = "val.yaml", .path = "/srv/val.yaml", .samples = 500},
              {.role = DataRole::calibration, .data = "random:8", .samples = 1}};
  Recipe recipe;
  recipe.weight.granularity = Granularity::per_tensor;
  const Table table = run_origin_table(run, &recipe);
  EXPECT_EQ(row(table, "Data"), "val.yaml, 500 samples");
  EXPECT_EQ(row(table, "Data, calibration"), "random:8, 1 sample");
  EXPECT_EQ(row(table, "Metric"), "top1:label_offset=1");
  EXPECT_EQ(row(table, "Recipe"), "weight.granularity: per_tensor");
  EXPECT_EQ(row(table, "Command"), "quantlens quantize net.onnx");
}

TEST(RunOriginTable, CallsARecipeThatSaysNothingTheDefault) {
  const Recipe recipe;
  EXPECT_EQ(row(run_origin_table({}, &recipe), "Recipe"), "default");
  EXPECT_EQ(row(run_origin_table({}, nullptr), "Recipe"), "");
}

}  // namespace
}  // namespace quantlens
