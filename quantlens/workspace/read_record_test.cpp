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
  recipe.op_name_dict["a"].weight.dtype = AskedDtype::fp32;
  writer->put(recipe);
  EXPECT_EQ(reader.get<Recipe>(), recipe);

  recipe.accuracy_level = AccuracyLevel::fast;
  {
    const WorkloadWriter::Part trial(*writer, "trials/7");
    writer->put(recipe);
  }
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

/// A plan of so many ops.
Plan plan_of(std::size_t ops) {
  Plan plan;
  for (std::size_t i = 0; i < ops; ++i) plan.ops.emplace_back().op.id = "op" + std::to_string(i);
  return plan;
}

TEST(WorkloadReader, GetsLongListsToo) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const WorkloadReader reader(store, writer->folder());
  EXPECT_FALSE(reader.list<Plan>("ops"));
  for (const std::size_t ops : {3000, 2000, 10}) {
    writer->put(plan_of(ops));
    EXPECT_EQ(reader.get<Plan>()->ops, plan_of(ops).ops);
    const auto list = reader.list<Plan>("ops");
    ASSERT_TRUE(list);
    EXPECT_EQ(list->size(), ops);
    EXPECT_EQ(list->column("op.id", 3, 2), (boost::json::array{"op3", "op4"}));
    EXPECT_EQ(list->column("op", 3, 1).at(0).at("id"), "op3");
    EXPECT_EQ(list->rows(ops - 1, 9).at(0).at("op").at("id"),
              json::Value("op" + std::to_string(ops - 1)));
    EXPECT_THROW(list->column("op.nothing", 0, 1), Error);
    EXPECT_THROW(list->column("nothing", 0, 1), Error);
  }
  EXPECT_FALSE(reader.list<Plan>("nothing"));
}

TEST(ReadHead, LeavesOutLongLists) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const fs::path file = writer->folder() / "plan.json";
  EXPECT_FALSE(read_head(store, file));
  writer->put(plan_of(3000));
  store.remove(writer->folder() / "plan.ops.rows");
  const auto head = read_head(store, file);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->at("quant_format"), "qdq");
  EXPECT_EQ(head->at("ops").at("rows"), 3000);
  writer->put(plan_of(10));
  EXPECT_EQ(read_head(store, file)->at("ops").as_array().size(), 10u);
}

TEST(WorkloadWriter, RemovesTheListThatARecordNoLongerHas) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put(plan_of(3000));
  EXPECT_TRUE(find_file(store, writer->folder() / "plan.ops.rows"));
  writer->put(plan_of(10));
  EXPECT_FALSE(find_file(store, writer->folder() / "plan.ops.rows"));
}

TEST(WorkloadReader, SaysThatAListIsMissing) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put(plan_of(3000));
  store.remove(writer->folder() / "plan.ops.rows");
  try {
    (void)WorkloadReader(store, writer->folder()).get<Plan>();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("/plan.ops.rows: is missing; run"));
  }
}

/// What check_record throws of a plan of many ops, once its files were tampered with.
template <class Tamper>
std::string fault(const Tamper& tamper) {
  MemoryStore store;
  Workspace workspace(store, "/w");
  const auto writer = workspace.create("tune", "net", {});
  writer->put(plan_of(3000));
  tamper(store, writer->folder());
  try {
    check_record(store, writer->folder() / "plan.json");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(CheckRecord, FindsNothingInWhatWasWrittenAndInWhatIsNotThere) {
  EXPECT_EQ(fault([](MemoryStore&, const fs::path&) {}), "");
  EXPECT_EQ(
      fault([](MemoryStore& store, const fs::path& folder) { store.remove(folder / "plan.json"); }),
      "");
}

TEST(CheckRecord, NamesTheFileThatIsMissingCutOffOrAnothers) {
  EXPECT_THAT(fault([](MemoryStore& store, const fs::path& folder) {
                store.remove(folder / "plan.ops.rows");
              }),
              HasSubstr("/plan.ops.rows: is missing; run the command again"));
  EXPECT_THAT(fault([](MemoryStore& store, const fs::path& folder) {
                const std::string rows(store.read(folder / "plan.ops.rows").text());
                write_atomic(store, folder / "plan.ops.rows", rows.substr(0, rows.size() / 2));
              }),
              HasSubstr("/plan.ops.rows: it has no index, or is cut off; run"));
  EXPECT_THAT(fault([](MemoryStore& store, const fs::path& folder) {
                std::string rows(store.read(folder / "plan.ops.rows").text());
                rows[10] = rows[10] == 'x' ? 'y' : 'x';
                write_atomic(store, folder / "plan.ops.rows", rows);
              }),
              HasSubstr("/plan.ops.rows: its rows are not those that were written; run"));
  EXPECT_THAT(fault([](MemoryStore& store, const fs::path& folder) {
                Workspace other(store, "/other");
                const auto writer = other.create("tune", "net", {});
                writer->put(plan_of(3001));
                write_atomic(store, folder / "plan.ops.rows",
                             store.read(writer->folder() / "plan.ops.rows").text());
              }),
              HasSubstr("/plan.ops.rows: it is not this record's; run"));
  EXPECT_THAT(fault([](MemoryStore& store, const fs::path& folder) {
                write_atomic(store, folder / "plan.json", "{");
              }),
              HasSubstr("/plan.json: "));
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
