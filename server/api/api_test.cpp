// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Api, SaysThatItHasNoSuchOperationAsThePredecessorsDid) {
  ApiWorld world;
  const Response response = world.get("/api/nope");
  EXPECT_EQ(response.status, 404U);
  EXPECT_EQ(response.type, kText);
  EXPECT_EQ(text_of(response), "Unable to find nope");
  for (const char* path :
       {"/api/", "/api", "/api/v1", "/api/v1/workloads/", "/api/v1/workloads/a/b",
        "/api/workloads/delete/more", "/api/v1/workloads/{id}/nothing"}) {
    EXPECT_EQ(world.get(path).status, 404U) << path;
  }
}

TEST(Api, NamesTheMethodsThatAnAddressTakes) {
  ApiWorld world;
  Response response = world.post("/api/v1/workloads", "{}");
  EXPECT_EQ(response.status, 405U);
  EXPECT_EQ(header(response, "Allow"), "GET, HEAD, OPTIONS");
  response = world.get("/api/workloads/delete", {{"workload_id", "last"}});
  EXPECT_EQ(response.status, 405U);
  EXPECT_EQ(header(response, "Allow"), "POST, OPTIONS");
  response = world.ask({.method = "OPTIONS", .path = "/api/v1/workloads/x"});
  EXPECT_EQ(text_of(response), "OK");
  EXPECT_EQ(header(response, "Allow"), "GET, HEAD, DELETE, OPTIONS");
  response = world.ask({.method = "HEAD", .path = "/api/v1/workloads"});
  EXPECT_EQ(response.status, 200U);
}

TEST(Api, ReadsNothingAgainThatAClientHas) {
  ApiWorld world;
  const std::string id = world.add_run();
  const std::string path = v1(id, "/tables/diagnosis.activations");
  const std::string tag = header(world.get(path), "ETag");
  ASSERT_THAT(tag, testing::MatchesRegex("\"[0-9a-f]{32}\""));
  for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const Response response = world.get(path, {}, {{"if-none-match", known}});
    EXPECT_EQ(response.status, 304U) << known;
    EXPECT_EQ(response.body, nullptr);
    EXPECT_EQ(header(response, "ETag"), tag);
  }
  EXPECT_EQ(world.get(path, {{"limit", "1"}}, {{"if-none-match", tag}}).status, 200U);
  EXPECT_EQ(world.get(path, {}, {{"if-none-match", "\"other\""}}).status, 200U);

  const WorkloadReader reader(world.store, world.folder_of(id));
  world.write(reader.path<Diagnosis>(), "{\"activations\": []}");
  EXPECT_EQ(world.get(path, {}, {{"if-none-match", tag}}).status, 200U);
}

TEST(Api, CompressesWhatIsLong) {
  ApiWorld world;
  const std::string path = v1(world.add_run(), "/records/diagnosis");
  const Response plain = world.get(path);
  for (int again = 0; again < 2; ++again) {  // made, and kept
    const Response zipped = world.get(path, {}, {{"accept-encoding", "br, gzip;q=0.5"}});
    EXPECT_EQ(header(zipped, "Content-Encoding"), "gzip");
    EXPECT_EQ(header(zipped, "Vary"), "Accept-Encoding");
    EXPECT_NE(header(zipped, "ETag"), header(plain, "ETag"));
    EXPECT_EQ(gunzip(text_of(zipped)), text_of(plain));
    const Response known = world.get(
        path, {}, {{"accept-encoding", "gzip"}, {"if-none-match", header(zipped, "ETag")}});
    EXPECT_EQ(known.status, 304U);
  }
  EXPECT_EQ(header(world.get(path, {}, {{"accept-encoding", "gzip;q=0"}}), "Content-Encoding"), "");
  const Response few =
      world.get("/api/v1/workloads", {{"q", "nothing"}}, {{"accept-encoding", "gzip"}});
  EXPECT_EQ(header(few, "Content-Encoding"), "");
}

TEST(Api, RefusesBodiesThatAreNoArguments) {
  ApiWorld world;
  for (const char* body : {"{", "[]", "1", "{\"workload_id\": {}}", "{\"workload_id\": [[1]]}"}) {
    const Response response = world.post("/api/diagnosis/op_list", body);
    EXPECT_EQ(response.status, 400U) << body;
  }
  EXPECT_EQ(world.post("/api/diagnosis/op_list", std::string(5000, '[')).status, 400U);
}

TEST(Api, RefusesBodiesThatSayAKeyTwice) {
  ApiWorld world;
  const std::string id = world.add_run();
  const auto sent = [&](const char* method, const std::string& path, const std::string& body) {
    return world.ask({.method = method,
                      .path = path,
                      .query = {},
                      .headers = {{"content-type", "application/json"}},
                      .body = body});
  };
  const auto labelled = [&](const std::string& body) {
    return sent("PUT", v1(id, "/labels"), body);
  };
  const Response twice = labelled(R"({"note": "a", "tags": [], "note": "b"})");
  EXPECT_EQ(twice.status, 400U);
  EXPECT_THAT(text_of(twice), HasSubstr("'note' twice"));
  EXPECT_EQ(labelled(R"({"note": "a", "\u006eote" : "b"})").status, 400U) << "it means the same";
  EXPECT_EQ(labelled(R"({"note": "\"note\": {}", "tags": ["note", "a:b"]})").status, 200U);
  const Response job = sent("POST", "/api/v1/jobs", R"({"verb": "quantize", "verb": "profile"})");
  EXPECT_EQ(job.status, 400U);
  EXPECT_THAT(text_of(job), HasSubstr("'verb' twice"));
  EXPECT_EQ(world.post("/api/diagnosis/op_list", R"({"workload_id": 1, "workload_id": 2})").status,
            400U);
  EXPECT_EQ(
      world.post(v1(id, "/what-if"), R"({"changes": [{"value": "v0", "value": "v1"}]})").status,
      400U);
}

TEST(Api, KeepsPathsOfTheMachineToItself) {
  ApiWorld world;
  const std::string id = world.add_run();
  const WorkloadReader reader(world.store, world.folder_of(id));
  fs::remove(reader.path<Plan>());
  fs::create_directory(reader.path<Plan>());
  const Response response = world.get(v1(id, "/records/plan"));
  EXPECT_EQ(response.status, 400U);
  EXPECT_THAT(text_of(response), HasSubstr("plan.json"));
  EXPECT_THAT(text_of(response), Not(HasSubstr(world.folder.path().string())));
}

TEST(AnswerCache, ForgetsWhatWasNotUsedForLongest) {
  AnswerCache cache(10'000);
  const auto body = [](std::size_t size) { return std::make_shared<const std::string>(size, 'x'); };
  for (const char* key : {"a", "b", "c"}) cache.put(key, body(2000));
  EXPECT_TRUE(cache.find("a"));
  cache.put("d", body(2000));
  cache.put("e", body(2000));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_LE(cache.bytes(), 10'000U);
  cache.put("large", body(5000));  // it would push out most others
  EXPECT_FALSE(cache.find("large"));
  EXPECT_TRUE(cache.find("e"));
}

}  // namespace
}  // namespace quantlens::server
