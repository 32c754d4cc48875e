// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_run.h"

#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"

namespace quantlens {
namespace {

TapState small_statistics() {
  TapState statistics;
  statistics.values.resize(2);
  statistics.values[0].value = "a";
  statistics.values[1].value = "b";
  return statistics;
}

TEST(ReadRun, TellsWhatACalibrationGathered) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("calibrate", "net", {});
  EXPECT_FALSE(read_run(store, workspace, "last").statistics);
  writer->put(small_statistics());
  const auto statistics = read_run(store, workspace, "last").statistics;
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->values, 2U);
  EXPECT_EQ(statistics->samples, 0U);
  EXPECT_EQ(statistics->output, (writer->folder() / "statistics.bin").string());
}

TEST(ReadRun, TellsAPlanAndNotWhatItWasMadeFrom) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("quantize", "net", {});
  writer->put(small_statistics());
  writer->put(Plan());
  const RunRecords records = read_run(store, workspace, "last");
  EXPECT_TRUE(records.plan);
  EXPECT_FALSE(records.statistics);
}

}  // namespace
}  // namespace quantlens
