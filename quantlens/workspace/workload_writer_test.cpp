// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Pair;

constexpr const char* kRoot = "/w";

std::unique_ptr<WorkloadWriter> begin(Store& store) {
  return Workspace(store, kRoot).create("quantize", "net", {"quantize", "net.onnx"});
}

Workload only(Store& store) {
  return Workspace(store, kRoot).list().at(0);
}

TEST(WorkloadWriter, SaysFromTheBeginningWhatRuns) {
  MemoryStore store;
  const auto writer = begin(store);
  const Workload workload = only(store);
  EXPECT_EQ(workload.state, WorkloadState::wip);
  EXPECT_EQ(workload.verb, "quantize");
  EXPECT_EQ(workload.name, "net");
  EXPECT_THAT(workload.arguments, ElementsAre("quantize", "net.onnx"));
  EXPECT_THAT(workload.created, MatchesRegex("....-..-..T..:..:..\\....Z"));
  EXPECT_THAT(workload.finished, IsEmpty());
}

TEST(WorkloadWriter, KeepsModelsNotesAndRecords) {
  MemoryStore store;
  const auto writer = begin(store);
  writer->add_model({ModelRole::reference, "/m/net.onnx", "ab", 7});
  writer->add_model({ModelRole::reference, "/m/net.onnx", "cd", 8});
  writer->describe({}, {{"threads", "4"}});
  writer->write("plan.json", "{}");
  writer->succeed();
  const Workload workload = only(store);
  ASSERT_EQ(workload.models.size(), 1u);
  EXPECT_EQ(workload.models[0].sha256, "cd");
  EXPECT_THAT(workload.environment, ElementsAre(Pair("threads", "4")));
  EXPECT_EQ(store.read(writer->folder() / "plan.json").text(), "{}");
  EXPECT_EQ(workload.state, WorkloadState::success);
  EXPECT_THAT(workload.finished, HasSubstr("T"));
}

TEST(WorkloadWriter, DropsAModel) {
  MemoryStore store;
  const auto writer = begin(store);
  writer->add_model({ModelRole::reference, "/m/net.onnx", "ab", 7});
  writer->add_model({ModelRole::quantized, "/m/int8.onnx", "cd", 8});
  writer->drop_model({ModelRole::quantized, "/m/other.onnx", "cd", 8});
  EXPECT_EQ(writer->workload().models.size(), 2u);
  writer->drop_model(writer->workload().models.front());
  ASSERT_EQ(only(store).models.size(), 1u);
  EXPECT_EQ(only(store).models[0].path, "/m/int8.onnx");
}

TEST(WorkloadWriter, KeepsDataMetricAndTheFirstNotes) {
  MemoryStore store;
  const auto writer = begin(store);
  writer->describe({{DataRole::samples, "x.npz", "/data/x.npz", "ab", 100, 4}},
                   "top1:label_offset=1");
  for (std::size_t i = 0; i < kNotesKept + 5; ++i) writer->note("told " + std::to_string(i));
  writer->succeed();
  const Workload workload = only(store);
  ASSERT_EQ(workload.data.size(), 1U);
  EXPECT_EQ(workload.data[0].path, "/data/x.npz");
  EXPECT_EQ(workload.data[0].fingerprint, "ab");
  EXPECT_EQ(workload.data[0].samples, 100U);
  EXPECT_EQ(workload.metric, "top1:label_offset=1");
  ASSERT_EQ(workload.notes.size(), kNotesKept);
  EXPECT_EQ(workload.notes.front(), "told 0");
}

TEST(WorkloadWriter, KeepsTheReasonOfAFailure) {
  MemoryStore store;
  begin(store)->fail("net.onnx: no such file");
  EXPECT_EQ(only(store).state, WorkloadState::failure);
  EXPECT_EQ(only(store).message, "net.onnx: no such file");
}

TEST(WorkloadWriter, IsInterruptedWhereItEndsUnfinished) {
  MemoryStore store;
  begin(store).reset();
  EXPECT_EQ(only(store).state, WorkloadState::failure);
  EXPECT_EQ(only(store).message, "interrupted");
}

TEST(WorkloadWriter, StaysASuccessWhenItEnds) {
  MemoryStore store;
  auto writer = begin(store);
  writer->succeed();
  writer.reset();
  EXPECT_EQ(only(store).state, WorkloadState::success);
}

TEST(WorkloadWriter, TellsThatItsSuccessCouldNotBeSaved) {
  MemoryStore store;
  const auto writer = begin(store);
  store.fail_after(0);
  EXPECT_THROW(writer->succeed(), Error);
  EXPECT_EQ(only(store).state, WorkloadState::failure);
  EXPECT_THAT(only(store).message, HasSubstr("No space left on device"));
}

TEST(WorkloadWriter, TakesUpAnInterruptedWorkload) {
  MemoryStore store;
  begin(store).reset();
  const Workload interrupted = only(store);
  const fs::path folder = Workspace(store, kRoot).folder(interrupted.id);
  WorkloadWriter again(store, folder, interrupted);
  EXPECT_EQ(only(store).state, WorkloadState::wip);
  EXPECT_THAT(only(store).message, IsEmpty());
  again.succeed();
  EXPECT_EQ(Workspace(store, kRoot).list().size(), 1u);
}

TEST(WorkloadWriter, MakesTheFoldersOfItsRecords) {
  const TemporaryFolder folder;
  DiskStore store;
  const auto writer = Workspace(store, folder.path()).create("quantize", "net", {});
  writer->write("runs/eval/events", "x");
  EXPECT_EQ(store.read(writer->folder() / "runs/eval/events").text(), "x");
}

TEST(WorkloadWriter, KeepsOthersFromWritingTheSameFolder) {
  const TemporaryFolder folder;
  DiskStore store;
  const auto writer = Workspace(store, folder.path()).create("quantize", "net", {});
  EXPECT_THROW(WorkloadWriter(store, writer->folder(), writer->workload()), Error);
}

/// Everything a run writes.
void run_all(Store& store) {
  const auto writer = begin(store);
  writer->add_model({ModelRole::reference, "net.onnx", "", 0});
  writer->describe({}, {{"threads", "1"}});
  writer->write("plan.json", "{\"ops\": []}");
  writer->write("activations_table.csv", "OP name\r\n");
  writer->succeed();
}

TEST(WorkloadWriter, LeavesAWorkspaceThatListsWhereverWritingFails) {
  int failures = 0;
  for (int n = 0;; ++n) {
    MemoryStore store;
    store.fail_after(n);
    try {
      run_all(store);
      break;  // the run has fewer than n writes
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      ++failures;
    }
    for (const Workload& workload : Workspace(store, kRoot).list()) {
      EXPECT_EQ(workload.state, WorkloadState::failure) << "write " << n;
      EXPECT_EQ(Workspace(store, kRoot).find(workload.id).id, workload.id);
    }
    store.fail_after(-1);
    run_all(store);
    EXPECT_THAT(Workspace(store, kRoot).list(),
                Contains(Field(&Workload::state, WorkloadState::success)));
  }
  EXPECT_EQ(failures, 12);  // six files, a write and a commit each
}

}  // namespace
}  // namespace quantlens
