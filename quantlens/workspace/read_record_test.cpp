// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

TEST(WorkloadReader, GetsWhatTheWriterPut) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const WorkloadReader reader(store, writer->folder());
  EXPECT_FALSE(reader.get<Recipe>());
  Recipe recipe;
  recipe.op_name_dict["a"].weight.dtype = "fp32";
  writer->put(recipe);
  EXPECT_EQ(reader.get<Recipe>(), recipe);

  recipe.accuracy_level = "fast";
  writer->put(recipe, "trials/7");
  EXPECT_EQ(reader.get<Recipe>("trials/7"), recipe);
  EXPECT_NE(reader.get<Recipe>(), recipe);
  EXPECT_EQ(reader.path<Recipe>("trials/7"), writer->folder() / "trials/7/recipe.json");
}

TEST(WorkloadReader, GetsTheWorkloadItself) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const auto workload = WorkloadReader(store, writer->folder()).get<Workload>();
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->verb, "tune");
  EXPECT_EQ(workload->format, kWorkloadFormat);
}

TEST(WorkloadReader, NamesWhatIsDamaged) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put_bytes<Plan>("{\"ops\": 7}");
  try {
    (void)WorkloadReader(store, writer->folder()).get<Plan>();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("plan.json: ops"));
  }
}

}  // namespace
}  // namespace quantlens
