// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"

namespace quantlens {
namespace {

using testing::IsEmpty;

AccuracyRecord accuracy(double reference, double quantized) {
  AccuracyRecord record;
  record.reference = Accuracy{.metric = "top1", .value = reference, .interval = {}};
  record.quantized = Accuracy{.metric = "top1", .value = quantized, .interval = {}};
  return record;
}

/// The only run, of a workspace where `put` has written its records.
template <class Put>
ListedRun only_run(const Put& put) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("quantize", "net", {});
  put(*writer);
  writer->succeed();
  return read_list(store, workspace).at(0);
}

TEST(ReadList, OfNoRunsIsEmpty) {
  MemoryStore store;
  EXPECT_THAT(read_list(store, Workspace(store, "/w")), IsEmpty());
}

TEST(ReadList, HasTheModelsFileAndTheAccuracyOfBothModels) {
  const ListedRun run = only_run([](WorkloadWriter& writer) {
    writer.add_model({.role = ModelRole::quantized, .path = "/made/net.int8.onnx"});
    writer.add_model({.role = ModelRole::reference, .path = "/models/net.onnx"});
    writer.put(accuracy(0.75, 0.5));
  });
  EXPECT_EQ(run.verb, "quantize");
  EXPECT_EQ(run.model, "net.onnx");
  ASSERT_TRUE(run.accuracy);
  EXPECT_EQ(run.accuracy->metric, "top1");
  EXPECT_EQ(run.accuracy->quantized, 0.5);
  EXPECT_EQ(run.accuracy->difference, -0.25);
}

TEST(ReadList, OfASearchHasItsBestTrial) {
  const ListedRun run = only_run([](WorkloadWriter& writer) {
    Study study;
    study.reference = accuracy(0.75, 0).reference.value();
    study.trials.resize(2);
    study.trials[1].accuracy = accuracy(0, 0.625).quantized;
    study.best = 2;
    writer.put(study);
  });
  ASSERT_TRUE(run.accuracy);
  EXPECT_EQ(run.accuracy->quantized, 0.625);
  EXPECT_EQ(run.accuracy->reference, 0.75);
}

TEST(ReadList, HasNoFiguresOfARunWithoutThem) {
  const ListedRun run = only_run([](WorkloadWriter& writer) {
    writer.add_model({.role = ModelRole::quantized, .path = "/made/net.int8.onnx"});
    Study study;
    study.trials.resize(1);
    study.best = 7;  // there is no such trial
    writer.put(study);
  });
  EXPECT_EQ(run.model, "net.int8.onnx");
  EXPECT_FALSE(run.accuracy);
  EXPECT_EQ(only_run([](WorkloadWriter&) {}).model, "");
}

TEST(ReadList, ListsARunWhoseAccuracyIsDamaged) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("evaluate", "net", {});
  writer->put(accuracy(1, 1));
  write_atomic(store, writer->folder() / FileOf<AccuracyRecord>::kName, "{damaged");
  writer->succeed();
  EXPECT_EQ(read_list(store, workspace).at(0).state, WorkloadState::success);
  EXPECT_FALSE(read_list(store, workspace).at(0).accuracy);
}

}  // namespace
}  // namespace quantlens
