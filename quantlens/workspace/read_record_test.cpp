// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/gzip.h"
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

/// Of a record of middle size: its JSON is long, and no list of it is.
constexpr std::size_t kPackedOps = 900;

TEST(WorkloadReader, GetsWhatIsPacked) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const WorkloadReader reader(store, writer->folder());
  const auto files = [&] {
    std::vector<std::string> names;
    for (const std::string& name : store.list(writer->folder()))
      if (name.starts_with("plan")) names.push_back(name);
    return names;
  };
  for (const std::size_t ops : {std::size_t{10}, kPackedOps, std::size_t{3000}, kPackedOps + 1,
                                std::size_t{20}, kPackedOps}) {
    writer->put(plan_of(ops));
    EXPECT_EQ(reader.get<Plan>()->ops, plan_of(ops).ops);
    EXPECT_EQ(reader.list<Plan>("ops")->column("op.id", 3, 1), boost::json::array{"op3"});
    EXPECT_EQ(read_head(store, reader.path<Plan>())->at("quant_format"), "qdq");
    const bool is_packed = ops == kPackedOps || ops == kPackedOps + 1;
    if (is_packed)
      EXPECT_THAT(files(), testing::ElementsAre("plan.json.gz"));
    else if (ops == 3000)
      EXPECT_THAT(files(), testing::ElementsAre("plan.json", "plan.ops.rows"));
    else
      EXPECT_THAT(files(), testing::ElementsAre("plan.json"));
  }
}

/// Weights of so many channels, whose scales depend on `seed`.
Plan plan_of_channels(std::size_t channels, float seed) {
  Plan plan;
  for (int i = 0; i < 10; ++i) {
    WeightPlan& weight = plan.weights_quantized.emplace_back();
    weight.weight = "w" + std::to_string(i);
    for (std::size_t c = 0; c < channels; ++c)
      weight.params.push_back({.scale = seed / static_cast<float>(channels * c + 1)});
  }
  return plan;
}

Pairing pairing_like(const Plan& plan) {
  Pairing pairing;
  for (const WeightPlan& weight : plan.weights_quantized) {
    WeightPair& pair = pairing.weights.emplace_back();
    pair.reference = weight.weight;
    pair.params = weight.params;
  }
  return pairing;
}

/// Bytes of the lists of channels that a plan and its pairing have.
std::size_t of_two_alone(const Plan& plan) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put(plan);
  writer->put(pairing_like(plan));
  return store.read(writer->folder() / "channels.bin").bytes().size();
}

TEST(WorkloadReader, GetsChannelsThatTwoRecordsHave) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  const WorkloadReader reader(store, writer->folder());
  const auto bytes = [&] { return store.read(writer->folder() / "channels.bin").bytes().size(); };
  const Plan plan = plan_of_channels(500, 0.1F);
  writer->put(plan);
  const std::size_t of_plan = bytes();
  writer->put(pairing_like(plan));
  EXPECT_EQ(bytes(), of_plan) << "no figure stands twice";
  EXPECT_EQ(reader.get<Plan>()->weights_quantized, plan.weights_quantized);
  EXPECT_EQ(reader.get<Pairing>()->weights, pairing_like(plan).weights);
  EXPECT_EQ(read_text(store, reader.path<Plan>()), to_file(plan));
  EXPECT_EQ(*read_head(store, reader.path<Plan>()), to_value(plan));

  const Plan other = plan_of_channels(500, 0.3F);
  writer->put(other);
  EXPECT_EQ(reader.get<Plan>()->weights_quantized, other.weights_quantized);
  EXPECT_EQ(reader.get<Pairing>()->weights, pairing_like(plan).weights) << "it has its own still";
  writer->put(pairing_like(other));
  writer->put(other);
  EXPECT_EQ(bytes(), of_two_alone(other)) << "and what nobody names is gone";

  store.remove(writer->folder() / "channels.bin");
  try {
    check_record(store, reader.path<Plan>());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/channels.bin: is missing; run the command again"));
  }
  writer->put(plan);
  EXPECT_EQ(reader.get<Plan>()->weights_quantized, plan.weights_quantized);
}

TEST(WorkloadReader, ReadsNoMoreOfChannelsThanTheyAreWorth) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  json::Value line{{"scale", boost::json::array(1'000'000, json::Value(0.5))}, {"zero_point", 0}};
  const ChannelLists long_list = take_channel_lists(line);
  boost::json::array many(100, line);
  write_atomic(store, writer->folder() / "channels.bin", to_bytes(long_list));
  write_atomic(store, writer->folder() / "plan.json", json::dump({{"rows", many}}));
  EXPECT_THROW(read_head(store, writer->folder() / "plan.json"), Error);
}

TEST(WorkloadReader, ReadsThePlainFormWhereBothAreThere) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put(plan_of(kPackedOps));
  write_atomic(store, writer->folder() / "plan.json", to_file(plan_of(5)));
  EXPECT_EQ(WorkloadReader(store, writer->folder()).get<Plan>()->ops.size(), 5u);
}

TEST(WorkloadReader, NamesThePackedFileThatIsDamaged) {
  MemoryStore store;
  const auto writer = Workspace(store, "/w").create("tune", "net", {});
  writer->put(plan_of(kPackedOps));
  const fs::path file = writer->folder() / "plan.json.gz";
  std::string bytes(store.read(file).text());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  for (const std::string& damaged : {bytes, bytes.substr(0, bytes.size() / 2), std::string("{}")}) {
    write_atomic(store, file, damaged);
    try {
      (void)WorkloadReader(store, writer->folder()).get<Plan>();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("/plan.json.gz: it is"));
      EXPECT_THAT(error.what(), HasSubstr("run the command again"));
    }
  }
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
