// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/kept_run.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/text.h"
#include "quantlens/report/run_text.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RunRecords evaluation() {
  RunRecords records;
  records.run.id = "20261121-113045-evaluate-net-3f2a";
  records.run.verb = "evaluate";
  records.run.name = "net";
  records.run.state = WorkloadState::success;
  records.accuracy.emplace().quantized.value = 0.75;
  return records;
}

RunFolder folder_of() {
  return {.folder = "/runs/one",
          .files = {{.name = "accuracy.json",
                     .kind = StoredKind::record,
                     .record = "accuracy",
                     .version = 7,
                     .bytes = 12}}};
}

TEST(KeptRun, HasAllOfTheRunsOwnRecordAtTheTop) {
  const boost::json::object told = json::encode(kept_run(evaluation(), folder_of())).as_object();
  const boost::json::object own = json::encode(evaluation().run).as_object();
  EXPECT_EQ(told.size(), own.size() + 4);
  for (const auto& field : own) {
    ASSERT_TRUE(told.contains(field.key())) << field.key();
    EXPECT_EQ(told.at(field.key()), field.value()) << field.key();
  }
}

TEST(KeptRun, ThatIsUnderWaySaysHowFarItIs) {
  RunRecords records = evaluation();
  records.run.state = WorkloadState::wip;
  RunFolder folder = folder_of();
  EXPECT_THAT(kept_run_text(records, folder, {}), Not(HasSubstr("under way")));
  folder.progress = {
      .event = EventKind::progress, .step = "evaluate", .done = 40, .seconds = 3.21, .total = 100};
  EXPECT_THAT(kept_run_text(records, folder, {}),
              HasSubstr("under way: evaluate, 40 of 100 after 3.2 s\n"));
  EXPECT_EQ(json::encode(kept_run(records, folder)).at("progress").at("done"), 40);
}

TEST(KeptRun, SaysWhichFilesThereAreAndWhatItsVerbPrinted) {
  const json::Value told = json::encode(kept_run(evaluation(), folder_of()));
  EXPECT_EQ(told.at("folder"), "/runs/one");
  EXPECT_EQ(told.at("files"), (boost::json::array{{{"name", "accuracy.json"},
                                                   {"kind", "record"},
                                                   {"record", "accuracy"},
                                                   {"version", 7},
                                                   {"bytes", 12}}}));
  EXPECT_EQ(told.at("result"), run_json(evaluation()));
  EXPECT_EQ(told.at("result").at("value"), 0.75);
}

TEST(KeptRun, HasNoResultWhereNothingWasFound) {
  RunRecords records;
  records.run.id = "one";
  EXPECT_TRUE(kept_run(records, {}).result.is_null());
}

TEST(KeptRunText, SaysWhoItIsAndThenWhatItsVerbTold) {
  const std::string text = kept_run_text(evaluation(), folder_of(), RunView());
  EXPECT_THAT(text, StartsWith("20261121-113045-evaluate-net-3f2a\nevaluate net: success\n"
                               "folder: /runs/one\n  accuracy.json\n"));
  EXPECT_THAT(text, HasSubstr(run_text(evaluation(), RunView())));
}

ListedRun good() {
  Workload run = evaluation().run;
  run.models = {{.role = ModelRole::quantized, .path = "/runs/net.int8.onnx"},
                {.role = ModelRole::reference, .path = "/models/net.onnx"}};
  return listed_run(run, AccuracySummary{.metric = "top1",
                                         .reference = 0.782,
                                         .quantized = 0.758,
                                         .difference = {},
                                         .difference_interval = {}});
}

ListedRun failed(const std::string& message) {
  Workload run;
  run.id = "20261121-113046-quantize-net-03c4";
  run.state = WorkloadState::failure;
  run.message = message;
  return listed_run(run, {});
}

TEST(WorkloadsTable, HasARowForEachRun) {
  EXPECT_EQ(to_csv(workloads_table({good(), failed("interrupted")})),
            "Id,State,Message,Verb,Name,Model,Metric,Accuracy,Accuracy of the reference\r\n"
            "20261121-113045-evaluate-net-3f2a,success,,evaluate,net,net.onnx,top1,0.758,0.782\r\n"
            "20261121-113046-quantize-net-03c4,failure,interrupted,,,,,,\r\n");
}

TEST(WorkloadsText, SaysTheAccuracyAndTheModelAndBelowHowARunFailed) {
  EXPECT_EQ(workloads_text({good(), failed("interrupted")}, {}),
            R"(+----------------------------------------------------------------------+
|                              Workloads                               |
+-----------------------------------+---------+-------------+----------+
|                 Id                |  State  |   Accuracy  |  Model   |
+-----------------------------------+---------+-------------+----------+
| 20261121-113045-evaluate-net-3f2a | success | 0.7580 top1 | net.onnx |
| 20261121-113046-quantize-net-03c4 | failure |             |          |
+-----------------------------------+---------+-------------+----------+
20261121-113046-quantize-net-03c4: interrupted
)");
}

TEST(WorkloadsText, Fits100ColumnsAndShortensNoId) {
  ListedRun run = good();
  run.id += "-and-a-name-of-many-letters";
  run.model = std::string(60, 'm');
  std::string message;
  for (int i = 0; i < 40; ++i) message += "why ";
  const std::string text = workloads_text({run, failed(message)}, {});
  EXPECT_THAT(text, HasSubstr("| " + run.id + " |"));
  EXPECT_THAT(text, HasSubstr("0.7580 top1"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100U) << line;
}

TEST(WorkloadsText, SaysHowRunsFailedThatAreInTheTable) {
  RunView view;
  view.text.rows = 1;
  EXPECT_THAT(workloads_text({good(), failed("broken off")}, view), Not(HasSubstr("broken off")));
  EXPECT_THAT(workloads_text({failed("broken\x1b off")}, view), HasSubstr("broken"));
  EXPECT_THAT(workloads_text({failed("broken\x1b off")}, view), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace quantlens
