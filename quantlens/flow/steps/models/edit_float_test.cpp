// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/edit_float.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

using testing::HasSubstr;

/// A run, and edited models that lie elsewhere.
class KeepEdited : public ::testing::Test {
 protected:
  /// In a format that has no files beside its own.
  EditedFloat edited(const std::string& bytes, bool exact) {
    const fs::path path = "/scratch/edited.onnx";
    write_atomic(store_, path, bytes);
    EditedFloat made;
    made.model.path = path;
    made.model.file = store_.read(path);
    made.record = {.model = "edited.onnx", .exact = exact};
    return made;
  }
  void keep(const EditedFloat* edited) { keep_edited(edited, session_, *run_); }
  std::string kept() const { return std::string(store_.read(file_).text()); }

  MemoryStore store_;
  NoProgress progress_;
  Session session_{
      .store = store_, .progress = progress_, .workspace = "/w", .name = {}, .arguments = {}};
  std::unique_ptr<WorkloadWriter> run_ = Workspace(store_, "/w").create("tune", "net", {});
  WorkloadReader records_{store_, run_->folder()};
  fs::path file_ = run_->folder() / "edited.onnx";
};

TEST_F(KeepEdited, KeepsTheFileItsRecordAndItsHash) {
  const EditedFloat one = edited("weights", false);
  keep(&one);
  EXPECT_EQ(kept(), "weights");
  EXPECT_FALSE(records_.get<FloatEdit>()->exact);
  ASSERT_EQ(run_->workload().models.size(), 1u);
  EXPECT_EQ(run_->workload().models[0].path, file_.string());
  EXPECT_EQ(run_->workload().models[0].bytes, 7u);
  EXPECT_EQ(calibrated_hash(*run_), run_->workload().models[0].sha256);
}

TEST_F(KeepEdited, PutsAnotherInItsPlace) {
  const EditedFloat one = edited("weights", false);
  keep(&one);
  const EditedFloat other = edited("other weights", true);
  keep(&other);
  EXPECT_EQ(kept(), "other weights");
  EXPECT_TRUE(records_.get<FloatEdit>()->exact);
  ASSERT_EQ(run_->workload().models.size(), 1u);
  EXPECT_EQ(run_->workload().models[0].bytes, 13u);
}

TEST_F(KeepEdited, LeavesNothingOfOneThatTheRunNoLongerHas) {
  const EditedFloat one = edited("weights", false);
  keep(&one);
  keep(nullptr);
  EXPECT_FALSE(records_.get<FloatEdit>());
  EXPECT_TRUE(run_->workload().models.empty());
  EXPECT_THROW(kept(), Error);
}

TEST_F(KeepEdited, RemovesNothingElseWhateverARecordNames) {
  const EditedFloat one = edited("weights", false);
  keep(&one);
  ModelFile elsewhere = run_->workload().models[0];
  for (const char* path : {"/scratch/edited.onnx", "/scratch/..", "/scratch/study.json"}) {
    elsewhere.path = path;
    run_->add_model(elsewhere);
  }
  run_->write("study.json", "{}");
  keep(nullptr);
  EXPECT_EQ(store_.read(one.model.path).text(), "weights");
  EXPECT_EQ(store_.read(run_->folder() / "study.json").text(), "{}");
  EXPECT_TRUE(run_->workload().models.empty());
}

}  // namespace
}  // namespace quantlens::flow
