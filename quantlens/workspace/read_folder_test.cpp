// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_folder.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens {
namespace {

/// What the folder says of one of its entries.
StoredFile entry(const Store& store, const Workspace& workspace, const std::string& name) {
  const RunFolder folder = read_folder(store, workspace, workspace.find("last"));
  const auto found = std::ranges::find(folder.files, name, &StoredFile::name);
  if (found == folder.files.end()) throw std::runtime_error("no entry " + name);
  return *found;
}

TEST(ReadFolder, NamesTheRecordsThatAreThere) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("tune", "net", {});
  writer->put(Recipe());
  const StoredFile recipe = entry(store, workspace, "recipe.json");
  EXPECT_EQ(recipe.kind, StoredKind::record);
  EXPECT_EQ(recipe.record, "recipe");
  EXPECT_EQ(recipe.version, kWorkloadFormat);
  EXPECT_EQ(recipe.bytes, to_file(Recipe()).size());
  EXPECT_EQ(entry(store, workspace, "workload.json").record, "workload");
  EXPECT_EQ(read_folder(store, workspace, workspace.find("last")).folder,
            writer->folder().string());
}

TEST(ReadFolder, HasWhatARunReportedLastOfAStepUnlessItSucceeded) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("calibrate", "net", {});
  const auto folder = [&] { return read_folder(store, workspace, workspace.find("last")); };
  EXPECT_FALSE(folder().progress);
  writer->log(kEvents, line_of({.event = EventKind::begin, .step = "calibrate", .done = 0}));
  writer->log(kEvents, line_of({.event = EventKind::note, .text = "told"}));
  ASSERT_TRUE(folder().progress);
  EXPECT_EQ(folder().progress->step, "calibrate");
  EXPECT_EQ(WorkloadReader(store, writer->folder()).events().size(), 2U);
  writer->log(kEvents, "damaged\n");
  EXPECT_FALSE(folder().progress) << "the rest is told all the same";
  writer->succeed();
  EXPECT_FALSE(folder().progress);
}

TEST(ReadFolder, TellsARecordFromOneThatBeginsLikeIt) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("diagnose", "net", {});
  writer->put(GraphOutline());
  writer->put(QuantizedOutline());
  EXPECT_EQ(entry(store, workspace, "graph.json").record, "graph");
  EXPECT_EQ(entry(store, workspace, "graph_quantized.json").record, "graph_quantized");
}

TEST(ReadFolder, GivesBinaryRecordsTheirOwnVersion) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("calibrate", "net", {});
  writer->put(TapState());
  writer->put(Passes());
  const auto version_in = [](const std::string& bytes) { return std::uint8_t(bytes.at(8)); };
  EXPECT_EQ(entry(store, workspace, "statistics.bin").version, version_in(to_file(TapState())));
  EXPECT_EQ(entry(store, workspace, "passes.bin").version, version_in(to_file(Passes())));
  writer->write("statistics.bin", "cut off");
  EXPECT_EQ(entry(store, workspace, "statistics.bin").version, std::nullopt);
  EXPECT_EQ(entry(store, workspace, "statistics.bin").bytes, 7U);
}

TEST(ReadFolder, KnowsTheListsThatStandBesideTheirRecord) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("quantize", "net", {});
  Plan plan;
  plan.ops.resize(2 * kRowsInRecord);
  writer->put(plan);
  const StoredFile rows = entry(store, workspace, "plan.ops.rows");
  EXPECT_EQ(rows.kind, StoredKind::rows);
  EXPECT_EQ(rows.record, "plan");
  EXPECT_EQ(rows.version, kWorkloadFormat);
}

TEST(ReadFolder, KnowsARecordThatIsPacked) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("quantize", "net", {});
  Plan plan;
  plan.ops.resize(kRowsInRecord);
  writer->put(plan);
  const StoredFile file = entry(store, workspace, "plan.json.gz");
  EXPECT_EQ(file.kind, StoredKind::record);
  EXPECT_EQ(file.record, "plan");
  EXPECT_EQ(file.version, kWorkloadFormat);
  EXPECT_EQ(file.bytes, store.read(writer->folder() / "plan.json.gz").bytes().size());
}

TEST(ReadFolder, ListsWhatIsNoRecordToo) {
  const TemporaryFolder root;
  DiskStore store;
  Workspace workspace(store, root.path());
  const auto writer = workspace.create("tune", "net", {});
  writer->write(exported::kActivations, "OP name\r\n");
  {
    const WorkloadWriter::Part trial(*writer, "trials/1");
    writer->put(Recipe());
  }
  const StoredFile table = entry(store, workspace, std::string(exported::kActivations));
  EXPECT_EQ(table.kind, StoredKind::other);
  EXPECT_EQ(table.record, std::nullopt);
  EXPECT_EQ(table.version, std::nullopt);
  EXPECT_EQ(table.bytes, 9U);
  const StoredFile trials = entry(store, workspace, "trials");
  EXPECT_EQ(trials.kind, StoredKind::other);
  EXPECT_EQ(trials.bytes, std::nullopt);
}

}  // namespace
}  // namespace quantlens
