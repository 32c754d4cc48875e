// SPDX-License-Identifier: Apache-2.0
#include "server/api/run_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using testing::HasSubstr;

std::vector<std::string> ids(const json::Value& list) {
  std::vector<std::string> found;
  for (const json::Value& run : list.at("workloads").as_array())
    found.emplace_back(run.at("id").as_string());
  return found;
}

TEST(ListRuns, ShowsAPageOfThoseThatAreAskedFor) {
  ApiWorld world;
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 0);
  const std::string first = world.add_run(3, "first"), second = world.add_run(3, "second");
  world.workspace.create("tune", "third", {})->fail("no");
  const json::Value all = world.json("/api/v1/workloads");
  EXPECT_EQ(all.at("total"), 3);
  ASSERT_EQ(ids(all).size(), 3U);
  const auto count = [&](Pairs query) {
    return world.json("/api/v1/workloads", std::move(query)).at("total").to_number<int>();
  };
  EXPECT_EQ(count({{"q", "SECOND"}}), 1);
  EXPECT_EQ(count({{"q", "/models/first.onnx"}}), 1);
  EXPECT_EQ(count({{"verb", "tune"}}), 1);
  EXPECT_EQ(count({{"state", "success"}}), 2);
  EXPECT_EQ(count({{"state", "wip"}}), 0);
  EXPECT_EQ(count({{"tag", "x"}}), 0);
  const json::Value page = world.json("/api/v1/workloads", {{"offset", "1"}, {"limit", "1"}});
  EXPECT_EQ(page.at("total"), 3);
  EXPECT_EQ(ids(page), std::vector{ids(all)[1]});
  for (const Pairs& wrong : {Pairs{{"state", "odd"}}, Pairs{{"limit", "0"}}, Pairs{{"limit", "-1"}},
                             Pairs{{"offset", "1e3"}}, Pairs{{"limit", "99999999999999999999"}}}) {
    EXPECT_EQ(world.get("/api/v1/workloads", wrong).status, 400U) << wrong.front().second;
  }
  const json::Value run = world.json("/api/v1/workloads", {{"q", second}}).at("workloads").at(0);
  EXPECT_EQ(run.at("accuracy").at("quantized"), 0.25);
  EXPECT_EQ(run.at("accuracy").at("difference_interval").at(1), -0.125);
  EXPECT_EQ(run.at("models").at(0).at("path"), "/models/second.onnx");
}

TEST(ListRuns, ShowsWhatIsDamagedAndWhatIsNewer) {
  ApiWorld world;
  const std::string id = world.add_run();
  const fs::path runs = world.folder.path() / "workloads";
  world.write(runs / "20200101-000000-quantize-a-0001/workload.json", "{");
  world.write(runs / "20200101-000000-quantize-a-0002/workload.json", R"({"format": 999})");
  fs::create_directory_symlink(world.folder_of(id), runs / "20200101-000000-quantize-a-0003");
  fs::create_directory(runs / "empty");
  world.write(runs / "file", "");
  const json::Value list = world.json("/api/v1/workloads");
  EXPECT_EQ(list.at("total"), 3);
  EXPECT_THAT(std::string(list.at("workloads").at(1).at("message").as_string()),
              HasSubstr("update quantlens"));
  EXPECT_EQ(list.at("workloads").at(2).at("state"), "failure");
  EXPECT_EQ(world.get(v1("20200101-000000-quantize-a-0002")).status, 422U);
  EXPECT_EQ(world.json(v1("20200101-000000-quantize-a-0001")).at("state"), "failure");
  EXPECT_EQ(world.get(v1("20200101-000000-quantize-a-0003")).status, 404U);
}

TEST(ListRuns, SeesManyAtOnceAndEachChange) {
  ApiWorld world;
  std::vector<std::unique_ptr<WorkloadWriter>> writers;
  for (int i = 0; i < 8; ++i) writers.push_back(world.workspace.create("quantize", "net", {}));
  EXPECT_EQ(world.json("/api/v1/workloads", {{"state", "wip"}}).at("total"), 8);
  writers[3]->log(kEvents, R"({"event": "progress", "step": "compare", "done": 5})"
                           "\n");
  const json::Value list = world.json("/api/v1/workloads", {{"q", writers[3]->workload().id}});
  EXPECT_EQ(list.at("workloads").at(0).at("progress").at("done"), 5);
  writers[3]->succeed();
  EXPECT_EQ(world.json("/api/v1/workloads", {{"state", "wip"}}).at("total"), 7);
  writers.clear();
  EXPECT_EQ(world.json("/api/v1/workloads", {{"state", "failure"}}).at("total"), 7);
}

TEST(ShowRun, TellsTheRunAndWhatItFound) {
  ApiWorld world;
  const std::string id = world.add_run();
  const json::Value run = world.json(v1(id));
  EXPECT_EQ(run.at("id"), json::Value(id));
  EXPECT_EQ(run.at("state"), "success");
  EXPECT_EQ(run.at("result").at("ops_quantized"), 2);
  EXPECT_EQ(run.at("result").at("diagnosis").at("activations").as_array().size(), 3U);
  EXPECT_TRUE(run.at("lists").as_array().empty());
  EXPECT_EQ(world.json(v1("last")).at("id"), json::Value(id));
}

TEST(ShowRun, NamesLongListsAndCountsTheirOps) {
  ApiWorld world;
  const json::Value run = world.json(v1(world.add_run(2001)));
  EXPECT_EQ(run.at("result").at("ops_quantized"), 1001);
  EXPECT_EQ(run.at("result").at("ops_float"), 1000);
  EXPECT_TRUE(run.at("result").at("diagnosis").at("activations").as_array().empty());
  EXPECT_EQ(run.at("lists").at(1).at("list"), "activations");
  EXPECT_EQ(run.at("lists").at(1).at("rows"), 2001);
}

TEST(ShowRun, CountsNoConstants) {
  ApiWorld world;
  const std::string id = world.add_run(2001);
  Plan plan = plan_of(2001);
  plan.ops[1].kind = Kind::constant;
  WorkloadWriter writer(world.store, world.folder_of(id), world.workspace.find(id));
  writer.put(plan);
  writer.succeed();
  const json::Value run = world.json(v1(id));
  EXPECT_EQ(run.at("result").at("ops_quantized"), 1001);
  EXPECT_EQ(run.at("result").at("ops_float"), 999);
}

TEST(ShowRun, RefusesIdsThatAreNoFoldersName) {
  ApiWorld world;
  const std::string id = world.add_run();
  for (const std::string& odd :
       {std::string(".."), std::string("."), std::string("../workloads"), std::string("x\0y", 3),
        std::string(5000, 'a'), id.substr(0, 20), std::string("\xff\xfe"), std::string(kHtml)}) {
    const Response response = world.get(v1(odd));
    EXPECT_EQ(response.status, 404U) << odd;
    EXPECT_EQ(response.type, kText) << "never HTML";
  }
}

TEST(RunEvents, GoOnWhereAClientIs) {
  ApiWorld world;
  const std::string id = world.add_run();
  EXPECT_EQ(world.json(v1(id, "/events")).at("events").as_array().size(), 2U);
  const json::Value rest = world.json(v1(id, "/events"), {{"after", "1"}});
  EXPECT_EQ(rest.at("total"), 2);
  EXPECT_EQ(rest.at("events").at(0).at("done"), 2);
  EXPECT_TRUE(world.json(v1(id, "/events"), {{"after", "9"}}).at("events").as_array().empty());
}

TEST(ShowRun, FollowsNoLink) {
  ApiWorld world;
  const std::string id = world.add_run(), other = world.add_run(5);
  for (const char* record : {"plan.json", "diagnosis.json"}) {
    const fs::path file = world.folder_of(id) / record;
    fs::rename(file, file.string() + ".was");
    fs::create_symlink(world.folder_of(other) / record, file);
    const Response response = world.get(v1(id));
    EXPECT_EQ(response.status, 400U);
    EXPECT_THAT(text_of(response), HasSubstr(record));
    fs::rename(file.string() + ".was", file);
  }
  fs::create_symlink("/etc", world.folder_of(id) / "notes");
  EXPECT_EQ(world.get(v1(id)).status, 200U) << "what is no record is nobody's business";
}

Response put_labels(ApiWorld& world, const std::string& id, const std::string& body) {
  return world.ask(
      {.method = "PUT", .path = v1(id, "/labels"), .query = {}, .headers = {}, .body = body});
}

TEST(Labels, AreKeptBesideTheRunsAndShown) {
  ApiWorld world;
  const std::string id = world.add_run();
  world.json(v1(id));
  ASSERT_EQ(put_labels(world, id, R"({"tags": ["good", "<b>"], "note": "why"})").status, 200U);
  EXPECT_EQ(world.json(v1(id)).at("note"), "why");
  EXPECT_EQ(world.json("/api/v1/workloads", {{"tag", "<b>"}}).at("total"), 1);
  EXPECT_TRUE(fs::exists(world.folder.path() / "labels.json"));
  ASSERT_EQ(put_labels(world, id, "{}").status, 200U);
  EXPECT_EQ(world.json("/api/v1/workloads", {{"tag", "good"}}).at("total"), 0);
}

TEST(Labels, AreBounded) {
  ApiWorld world;
  const std::string id = world.add_run();
  EXPECT_EQ(put_labels(world, id, R"({"tags": [""]})").status, 400U);
  EXPECT_EQ(put_labels(world, id, R"({"tags": ["a\nb"]})").status, 400U);
  EXPECT_EQ(put_labels(world, id, R"({"tags": ["a\u0000"]})").status, 400U);
  EXPECT_EQ(put_labels(world, id, R"({"note": "a\nb"})").status, 200U);
  EXPECT_EQ(put_labels(world, id, R"({"tags": "a"})").status, 400U);
  EXPECT_EQ(put_labels(world, id, R"({"tag": ["a"]})").status, 400U) << "would take all away";
  EXPECT_EQ(put_labels(world, id, R"({"tags": [")" + std::string(65, 'a') + R"("]})").status, 400U);
  EXPECT_EQ(put_labels(world, id, R"({"note": ")" + std::string(5000, 'a') + R"("})").status, 400U);
  EXPECT_EQ(put_labels(world, id, "").status, 400U);
  EXPECT_EQ(put_labels(world, "nothing", "{}").status, 404U);
}

TEST(Labels, ThatAreEqualAreOneWhoeverWroteThem) {
  ApiWorld world;
  const std::string id = world.add_run();
  world.write(world.folder.path() / "labels.json",
              fmt::format(R"({{"labels": {{"{}": {{"tags": ["b", "a", "b"]}}}}}})", id));
  const json::Value tags = boost::json::array{"b", "a"};
  EXPECT_EQ(world.json(v1(id)).at("tags"), tags);
  EXPECT_EQ(world.json("/api/v1/workloads").at("workloads").at(0).at("tags"), tags);
  const std::string other = world.add_run();
  ASSERT_EQ(put_labels(world, other, R"({"tags": ["c", "c"]})").status, 200U);
  EXPECT_EQ(world.json(v1(id)).at("tags"), tags);
  EXPECT_EQ(world.json(v1(other)).at("tags"), json::Value(boost::json::array{"c"}));
}

TEST(Labels, ThatAreNoFileHideNoRun) {
  ApiWorld world;
  const std::string id = world.add_run();
  fs::create_symlink("/etc/passwd", world.folder.path() / "labels.json");
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 1);
  EXPECT_EQ(world.json(v1(id)).at("note"), "");
}

TEST(Labels, ThatAreDamagedHideNoRun) {
  ApiWorld world;
  const std::string id = world.add_run();
  world.write(world.folder.path() / "labels.json", "{");
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 1);
  EXPECT_EQ(put_labels(world, id, R"({"tags": ["a"]})").status, 400U);
}

Response removal(ApiWorld& world, const std::string& id, Pairs query) {
  return world.ask({.method = "DELETE", .path = v1(id), .query = std::move(query)});
}

TEST(RemoveRun, WantsToBeToldTwice) {
  ApiWorld world;
  const std::string id = world.add_run();
  EXPECT_EQ(removal(world, id, {}).status, 400U);
  EXPECT_EQ(removal(world, id, {{"confirm", "last"}}).status, 400U);
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 1);
  EXPECT_EQ(text_of(removal(world, id, {{"confirm", id}})), R"({"removed":")" + id + "\"}");
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 0);
  EXPECT_EQ(removal(world, id, {{"confirm", id}}).status, 404U);
}

TEST(RemoveRun, LeavesWhatIsBeingWritten) {
  ApiWorld world;
  const auto writer = world.workspace.create("quantize", "net", {});
  const std::string id = writer->workload().id;
  EXPECT_EQ(removal(world, id, {{"confirm", id}}).status, 409U);
  EXPECT_EQ(world.post("/api/workloads/delete", R"({"workload_id": ")" + id + "\"}").status, 409U);
  EXPECT_EQ(world.json("/api/v1/workloads").at("total"), 1);
}

TEST(RemoveRun, LeavesWhatQuantlensDidNotMake) {
  ApiWorld world;
  world.write(world.folder.path() / "workloads/mine/letter.txt", "dear");
  EXPECT_EQ(removal(world, "mine", {{"confirm", "mine"}}).status, 400U);
  EXPECT_TRUE(fs::exists(world.folder.path() / "workloads/mine/letter.txt"));
}

}  // namespace
}  // namespace quantlens::server
