// SPDX-License-Identifier: Apache-2.0
#include "server/api/record_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using testing::HasSubstr;

constexpr const char* kTable = "/tables/diagnosis.activations";

TEST(ShowRecord, GivesWhatIsStored) {
  ApiWorld world;
  const std::string id = world.add_run();
  const WorkloadReader reader(world.store, world.folder_of(id));
  EXPECT_EQ(text_of(world.get(v1(id, "/records/diagnosis"))),
            std::string(world.store.read(reader.path<Diagnosis>()).text()));
  EXPECT_EQ(world.json(v1(id, "/records/workload")).at("id"), json::Value(id));
  for (const char* absent :
       {"study", "histograms", "statistics", "nothing", "..", "diagnosis.json"})
    EXPECT_EQ(world.get(v1(id, std::string("/records/") + absent)).status, 404U) << absent;
  EXPECT_THAT(text_of(world.get(v1(id, "/records/histograms"))), HasSubstr("binary"));
}

TEST(ShowRecord, GivesTheTextOfAPackedRecordByEitherName) {
  ApiWorld world;
  const std::string id = world.add_run(200);
  const WorkloadReader reader(world.store, world.folder_of(id));
  const std::string text = to_file(*reader.get<Diagnosis>());
  const MappedFile packed = world.store.read(world.folder_of(id) / "diagnosis.json.gz");
  EXPECT_LT(packed.bytes().size(), text.size());
  EXPECT_EQ(text_of(world.get(v1(id, "/records/diagnosis"))), text);
  EXPECT_EQ(text_of(world.get(v1(id, "/files/diagnosis.json"))), text);
  EXPECT_EQ(text_of(world.get(v1(id, "/files/diagnosis.json.gz"))), packed.text());
  EXPECT_EQ(world.json(v1(id, "/records/plan")), to_value(*reader.get<Plan>()));
}

TEST(ShowRecord, IsThatOfTheFormThatIsThereNow) {
  ApiWorld world;
  const std::string id = world.add_run(200), other = world.add_run(300);
  const fs::path file = world.folder_of(id) / "diagnosis.json.gz";
  const auto rows = [&] {
    return world.json(v1(id, "/records/diagnosis")).at("activations").as_array().size();
  };
  EXPECT_EQ(rows(), 200U);
  world.write(file, world.store.read(world.folder_of(other) / "diagnosis.json.gz").text());
  EXPECT_EQ(rows(), 300U);
  world.write(world.folder_of(id) / "diagnosis.json", to_file(Diagnosis()));
  EXPECT_EQ(rows(), 0U);
}

TEST(ShowRecord, LeavesLongListsWhereTheyAre) {
  ApiWorld world;
  const json::Value record = world.json(v1(world.add_run(2000), "/records/diagnosis"));
  EXPECT_EQ(record.at("activations").at("rows"), 2000);
}

TEST(ShowRecord, SaysWhatIsDamaged) {
  ApiWorld world;
  const std::string id = world.add_run();
  const WorkloadReader reader(world.store, world.folder_of(id));
  world.write(reader.path<Plan>(), "{\"ops\": [");
  for (const char* path : {"/records/plan", "/tables/plan.ops", ""}) {
    const Response response = world.get(v1(id, path));
    EXPECT_EQ(response.status, 400U) << path;
    EXPECT_THAT(text_of(response), HasSubstr("plan.json"));
  }
  EXPECT_EQ(world.get(v1(id, "/ops"), {{"op", "v0"}}).status, 200U);
}

TEST(ShowTable, GivesColumnsWhereverTheListStands) {
  ApiWorld world;
  for (const std::size_t ops : {std::size_t{3}, std::size_t{1500}}) {
    const std::string id = world.add_run(ops);
    const json::Value page = world.json(
        v1(id, kTable), {{"columns", "op.id,mse,pattern"}, {"offset", "1"}, {"limit", "2"}});
    EXPECT_EQ(page.at("rows"), json::Value(ops));
    EXPECT_EQ(page.at("offset"), 1);
    EXPECT_EQ(page.at("count"), 2);
    EXPECT_EQ(page.at("columns").at("op.id"), json::Value(boost::json::array{"v1", "v2"}));
    EXPECT_EQ(page.at("columns").at("mse").at(0), 0.25);
    EXPECT_EQ(page.at("columns").at("pattern").at(0).at(0), "MatMul");
    const json::Value whole = world.json(v1(id, kTable), {{"columns", "op"}, {"limit", "1"}});
    EXPECT_EQ(whole.at("columns").at("op").at(0).at("id"), "v0");
  }
}

TEST(ShowTable, GivesSingleCellsWhereNoColumnIsNamed) {
  ApiWorld world;
  const json::Value page = world.json(v1(world.add_run(), kTable));
  const boost::json::object& columns = page.at("columns").as_object();
  for (const char* single : {"op.id", "op.name", "type", "side", "mse", "rank", "elements"})
    EXPECT_TRUE(columns.contains(single)) << single;
  for (const char* nested : {"op", "pattern", "mse_interval", "worst_samples"})
    EXPECT_FALSE(columns.contains(nested)) << nested;
}

TEST(ShowTable, GivesAsManyDigitsAsAreAskedFor) {
  ApiWorld world;
  const json::Value page =
      world.json(v1(world.add_run(), kTable), {{"columns", "mse,max"}, {"digits", "2"}});
  EXPECT_EQ(page.at("columns").at("mse").at(0), 0.33);
  EXPECT_EQ(page.at("columns").at("max").at(0), 2.2);
}

TEST(ShowTable, IsThatOfTheFilesAsTheyAreNow) {
  ApiWorld world;
  for (const std::size_t before : {std::size_t{3}, std::size_t{1500}}) {
    for (const std::size_t after : {std::size_t{2}, std::size_t{1600}}) {
      const std::string id = world.add_run(before), other = world.add_run(after);
      EXPECT_EQ(world.json(v1(id, kTable)).at("rows"), json::Value(before));
      for (const auto& name : world.store.list(world.folder_of(other)))
        world.write(world.folder_of(id) / name,
                    std::string(world.store.read(world.folder_of(other) / name).text()));
      EXPECT_EQ(world.json(v1(id, kTable)).at("rows"), json::Value(after));
    }
  }
}

TEST(ShowTable, RefusesWhatIsNoListAndNoColumn) {
  ApiWorld world;
  const std::string id = world.add_run();
  for (const char* name : {"diagnosis", "diagnosis.", ".activations", "diagnosis.nothing",
                           "diagnosis.samples", "nothing.activations", "diagnosis...activations",
                           "histograms.pairs", "study.trials", "diagnosis.a%2fb", "plan.ops.op"})
    EXPECT_EQ(world.get(v1(id, std::string("/tables/") + name)).status, 404U) << name;
  const Response response = world.get(v1(id, kTable), {{"columns", "op.idd"}});
  EXPECT_EQ(response.status, 400U);
  EXPECT_THAT(text_of(response), HasSubstr("'op.id'"));
  EXPECT_THAT(text_of(world.get(v1(id, kTable), {{"columns", "."}})), HasSubstr("it has op.id, "));
  for (const Pairs& wrong : {Pairs{{"digits", "0"}}, Pairs{{"digits", "18"}},
                             Pairs{{"limit", "100001"}}, Pairs{{"offset", "x"}}})
    EXPECT_EQ(world.get(v1(id, kTable), wrong).status, 400U) << wrong.front().first;
  EXPECT_EQ(world.json(v1(id, kTable), {{"offset", "7"}}).at("count"), 0);
}

TEST(ShowOp, GathersWhatIsStoredOfIt) {
  ApiWorld world;
  for (const std::size_t ops : {std::size_t{3}, std::size_t{1500}}) {
    const std::string path = v1(world.add_run(ops), "/ops");
    const json::Value first = world.json(path, {{"op", "v0"}});
    EXPECT_EQ(first.at("activations").at(0).at("value"), "v0");
    EXPECT_EQ(first.at("weights").at(0).at("weight"), "w0");
    EXPECT_EQ(first.at("plan").at(0).at("precision"), "int8");
    EXPECT_EQ(first.at("pairs").at(0).at("quantized"), "v0_q");
    EXPECT_EQ(first.at("findings").at(0).at("rule"), "rounding");
    EXPECT_EQ(first.at("graph").at(0).at("inputs").at(0), "x");
    EXPECT_TRUE(first.at("nodes").as_array().empty());
    const json::Value second = world.json(path, {{"op", "/block.1/MatMul"}});
    EXPECT_EQ(second.at("activations").at(0).at("value"), "v1");
    EXPECT_EQ(second.at("nodes").at(0).at("name"), "node");
    EXPECT_EQ(second.at("findings").as_array().size(), 1U);
    EXPECT_EQ(world.json(path, {{"op", std::string(kHtml)}}).at("op"), json::Value(kHtml));
    EXPECT_EQ(world.get(path, {{"op", "nothing"}}).status, 404U);
    EXPECT_EQ(world.get(path).status, 400U);
  }
}

TEST(RunFile, IsSentToBeSaved) {
  ApiWorld world;
  const std::string path = v1(world.add_run(), "/files/");
  const Response table = world.get(path + "activations_table.csv");
  EXPECT_EQ(text_of(table), "OP name,MSE\r\na,1\r\n");
  EXPECT_EQ(table.type, "text/csv; charset=utf-8");
  EXPECT_THAT(header(table, "Content-Disposition"),
              HasSubstr("attachment; filename=\"activations_table.csv\""));
  EXPECT_EQ(header(table, "X-Content-Type-Options"), "nosniff");
}

TEST(RunFile, IsOneOfItsFolderAlone) {
  ApiWorld world;
  const std::string id = world.add_run();
  const fs::path folder = world.folder_of(id);
  world.write(world.folder.path() / "secret", "key");
  fs::create_symlink(world.folder.path() / "secret", folder / "link.csv");
  fs::create_symlink(world.folder.path() / "secret", folder / "study.json");
  world.write(folder / "evil\".html", "<script>");
  world.write(folder / "trials/1/recipe.json", "{}");
  for (const std::string& name : {std::string("link.csv"), std::string("../../secret"),
                                  std::string(".."), std::string("trials"), std::string("nothing"),
                                  std::string("/etc/passwd"), std::string("a\0b", 3)})
    EXPECT_EQ(world.get(v1(id, "/files/" + name)).status, 404U) << name;
  EXPECT_EQ(world.get(v1(id, "/records/study")).status, 400U);
  const Response page = world.get(v1(id, "/files/evil\".html"));
  EXPECT_EQ(page.type, "application/octet-stream");
  EXPECT_EQ(header(page, "Content-Disposition"),
            "attachment; filename=\"evil_.html\"; filename*=UTF-8''evil%22.html");
}

}  // namespace
}  // namespace quantlens::server
