// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/kept_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(WorkloadsTable, HasARowForEachRun) {
  Workload failed;
  failed.id = "two";
  failed.state = WorkloadState::failure;
  failed.message = "interrupted";
  const Table table = workloads_table({evaluation().run, failed});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "success");
  EXPECT_EQ(std::get<std::string>(table.rows[1][1]), "failure");
  EXPECT_EQ(std::get<std::string>(table.rows[1][2]), "interrupted");
}

}  // namespace
}  // namespace quantlens
