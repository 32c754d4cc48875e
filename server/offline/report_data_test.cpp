// SPDX-License-Identifier: Apache-2.0
#include "server/offline/report_data.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"
#include "server/offline/packed.h"

namespace quantlens::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string data_text(ApiWorld& world, const std::vector<std::string>& ids) {
  NoProgress progress;
  std::string text;
  write_report_data(world.api, world.store,
                    {.ids = ids, .made = "2026-01-02T03:04:05Z", .version = "1.2"}, progress,
                    [&](std::string_view part) { text += part; });
  return text;
}

boost::json::object data_of(ApiWorld& world, const std::vector<std::string>& ids) {
  return json::parse(data_text(world, ids), "report").as_object();
}

/// A third has six digits in a report.
json::Value rounded(json::Value value) {
  if (value.is_double() && std::abs(value.get_double() - 1.0 / 3) < 1e-9) value = 0.333333;
  if (auto* list = value.if_array()) {
    for (json::Value& one : *list) one = rounded(one);
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) member.value() = rounded(member.value());
  }
  return value;
}

TEST(ReportData, HasTheServersAnswersUnderTheirAddresses) {
  ApiWorld world;
  const std::string id = world.add_run();
  const boost::json::object data = data_of(world, {id});
  EXPECT_EQ(data.at("format"), 1);
  EXPECT_EQ(data.at("version"), "1.2");
  EXPECT_EQ(data.at("runs"), json::Value(boost::json::array{id}));
  EXPECT_EQ(data.at("workloads").at(0), world.json("/api/v1/workloads").at("workloads").at(0));
  const boost::json::object& answers = data.at("answers").as_object();
  EXPECT_EQ(answers.at("workloads/" + id).at("id"), json::Value(id));
  EXPECT_EQ(answers.at("workloads/" + id + "/records/accuracy").at("difference"), -0.25);
  for (const char* op : {"v0", "v1", "v2"}) {
    EXPECT_EQ(answers.at("workloads/" + id + "/ops?op=" + op),
              rounded(world.json(v1(id, "/ops"), {{"op", op}})));
  }
  EXPECT_FALSE(answers.contains("workloads/" + id + "/records/study")) << "it has none";
}

TEST(ReportData, HasAllRowsAndColumnsOfTables) {
  ApiWorld world;
  const std::string id = world.add_run(1500);
  const boost::json::object data = data_of(world, {id});
  const json::Value& table =
      data.at("tables").at("workloads/" + id + "/tables/diagnosis.activations");
  EXPECT_EQ(table.at("rows"), 1500);
  EXPECT_EQ(table.at("columns").at("op").at(1499).at("id"), "v1499");
  EXPECT_EQ(table.at("columns").at("mse").at(1), 0.25);
  EXPECT_EQ(table.at("columns").at("mse").at(0), 0.333333) << "six digits";
  EXPECT_EQ(table.at("columns").at("pattern").at(7), json::Value(boost::json::array{"MatMul"}));
}

TEST(ReportData, CountsAsTheServerDoesWithFewerBinsWhereThereAreManyTensors) {
  ApiWorld world;
  const auto bins_of = [&](std::size_t ops) {
    const std::string id = world.add_run(ops);
    const boost::json::object data = data_of(world, {id});
    const json::Value& pair =
        data.at("answers").at("workloads/" + id + "/histograms/pair?reference=v0&quantized=v0_q");
    std::uint64_t sum = 0;
    for (const json::Value& count : pair.at("reference").as_array())
      sum += count.to_number<std::uint64_t>();
    EXPECT_EQ(sum, 1000U);
    return pair.at("reference").as_array().size();
  };
  const std::size_t few = bins_of(3), many = bins_of(150);
  EXPECT_LE(few, 250U);
  EXPECT_LE(many, 125U);
  EXPECT_LT(many, few);
}

TEST(ReportData, TellsTheFirstEdgeAndTheLast) {
  ApiWorld world;
  const std::string id = world.add_run();
  const boost::json::object data = data_of(world, {id});
  const json::Value& pair =
      data.at("answers").at("workloads/" + id + "/histograms/pair?reference=v0&quantized=v0_q");
  const std::size_t bins = pair.at("reference").as_array().size();
  const json::Value whole =
      world.json(v1(id, "/histograms/pair"),
                 {{"reference", "v0"}, {"quantized", "v0_q"}, {"bins", std::to_string(bins)}});
  const boost::json::array& all = whole.at("edges").as_array();
  ASSERT_EQ(all.size(), bins + 1);
  ASSERT_EQ(pair.at("edges").as_array().size(), 2U);
  EXPECT_NEAR(pair.at("edges").at(0).to_number<double>(), all.front().to_number<double>(), 1e-5);
  EXPECT_NEAR(pair.at("edges").at(1).to_number<double>(), all.back().to_number<double>(), 1e-5);
  EXPECT_EQ(pair.at("reference"), whole.at("reference"));
}

TEST(ReportData, HasThreeDigitsOfChannels) {
  ApiWorld world;
  const std::string id = world.add_run();
  const boost::json::object data = data_of(world, {id});
  const json::Value& channels =
      data.at("answers").at("workloads/" + id + "/histograms/channels?reference=v0&quantized=v0_q");
  const boost::json::array whole =
      world.json(v1(id, "/histograms/channels"), {{"reference", "v0"}, {"quantized", "v0_q"}})
          .at("standard_deviation")
          .as_array();
  ASSERT_EQ(whole.size(), 8U);
  const boost::json::array& rounded = channels.at("standard_deviation").as_array();
  EXPECT_NE(rounded, whole);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_EQ(rounded[i], std::stod(fmt::format("{:.3g}", whole[i].to_number<double>())));
}

TEST(ReportData, LeavesOutWhatPeopleSayOfARun) {
  ApiWorld world;
  const std::string id = world.add_run();
  const Response said = world.ask({.method = "PUT",
                                   .path = v1(id, "/labels"),
                                   .query = {},
                                   .headers = {{"content-type", "application/json"}},
                                   .body = R"({"tags": ["secret tag"], "note": "secret note"})"});
  ASSERT_EQ(said.status, 200U);
  EXPECT_NE(text_of(world.get("/api/v1/workloads")).find("secret"), std::string::npos);
  EXPECT_EQ(data_text(world, {id}).find("secret"), std::string::npos);
  EXPECT_EQ(data_of(world, {id}).at("workloads").at(0).at("note"), "");
}

TEST(ReportData, KeepsTwoRunsApart) {
  ApiWorld world;
  const std::string one = world.add_run(2), other = world.add_run(4);
  const boost::json::object data = data_of(world, {one, other});
  EXPECT_EQ(data.at("workloads").as_array().size(), 2U);
  EXPECT_EQ(data.at("tables").at("workloads/" + one + "/tables/plan.ops").at("rows"), 2);
  EXPECT_EQ(data.at("tables").at("workloads/" + other + "/tables/plan.ops").at("rows"), 4);
}

/// What is said to be left out of a run, once a file of it was tampered with.
template <class Tamper>
std::vector<std::string> left_out(std::size_t ops, const Tamper& tamper) {
  ApiWorld world;
  const std::string id = world.add_run(ops);
  std::vector<std::string> before;
  const boost::json::object whole = data_of(world, {id});
  for (const json::Value& one : whole.at("left_out").as_array())
    before.emplace_back(one.at("because").as_string());
  tamper(world, id);
  std::vector<std::string> sentences;
  const boost::json::object rest = data_of(world, {id});
  for (const json::Value& one : rest.at("left_out").as_array()) {
    std::string sentence(one.at("because").as_string());
    EXPECT_EQ(one.at("workload"), json::Value(id));
    EXPECT_TRUE(sentence.starts_with(id + "/")) << sentence;
    if (std::ranges::find(before, sentence) == before.end())
      sentences.push_back(sentence.substr(id.size() + 1));
  }
  return sentences;
}

TEST(ReportData, SaysWhichFileOfALongListIsMissingCutOffOrAnothers) {
  EXPECT_THAT(left_out(1500,
                       [](ApiWorld& world, const std::string& id) {
                         fs::remove(world.folder_of(id) / "graph.ops.rows");
                       }),
              ElementsAre("graph.ops.rows: is missing; run the command again"));
  EXPECT_THAT(left_out(1500,
                       [](ApiWorld& world, const std::string& id) {
                         fs::resize_file(world.folder_of(id) / "graph.ops.rows", 100);
                       }),
              ElementsAre("graph.ops.rows: it has no index, or is cut off; run the command again"));
  EXPECT_THAT(left_out(1500,
                       [](ApiWorld& world, const std::string& id) {
                         const fs::path other = world.folder_of(world.add_run(1501));
                         fs::copy_file(other / "graph.ops.rows",
                                       world.folder_of(id) / "graph.ops.rows",
                                       fs::copy_options::overwrite_existing);
                       }),
              ElementsAre("graph.ops.rows: it is not this record's; run the command again"));
}

TEST(ReportData, SaysWhichRecordIsDamagedOrNoFile) {
  EXPECT_THAT(left_out(3,
                       [](ApiWorld& world, const std::string& id) {
                         world.write(world.folder_of(id) / "ranges.json", "{");
                       }),
              ElementsAre(AllOf(StartsWith("ranges.json: "), HasSubstr("; "))));
  EXPECT_THAT(
      left_out(3,
               [](ApiWorld& world, const std::string& id) {
                 fs::create_directory(world.folder_of(id) / "ranges.json");
               }),
      ElementsAre(StartsWith("ranges.json: cannot read: it is a folder; run the command again")));
  EXPECT_THAT(left_out(3,
                       [](ApiWorld& world, const std::string& id) {
                         fs::remove(world.folder_of(id) / "histograms.bin");
                       }),
              ElementsAre("histograms.bin: is missing; run the command again"));
  EXPECT_THAT(left_out(3,
                       [](ApiWorld& world, const std::string& id) {
                         fs::resize_file(world.folder_of(id) / "histograms.bin", 20);
                       }),
              ElementsAre(AllOf(StartsWith("histograms.bin: "), HasSubstr("; "))));
}

TEST(ReportData, RefusesAnUnknownRun) {
  ApiWorld world;
  world.add_run();
  EXPECT_THROW(data_text(world, {"20200101-000000-none-0000"}), Error);
}

TEST(Packed, IsGzipInBase64OfAllPieces) {
  Packed packed, whole;
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    const std::string part = fmt::format("{} ", i * 7919 % 1000003);
    packed.add(part);
    text += part;
  }
  whole.add(text);
  const std::string one = packed.base64();
  EXPECT_EQ(one, whole.base64()) << "pieces do not matter";
  EXPECT_TRUE(one.starts_with("H4sI")) << "the beginning of gzip";
  EXPECT_LT(one.size(), text.size() * 3 / 4);
}

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<const char*, const char*> known[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : known) EXPECT_EQ(to_base64(plain), coded);
  const std::string long_text(std::size_t{7} << 20U, 'a');  // several pieces
  const std::string coded = to_base64(long_text);
  EXPECT_EQ(coded.size(), (long_text.size() + 2) / 3 * 4);
  EXPECT_EQ(coded.find('='), coded.size() - 2) << "padding stands at the end alone";
}

}  // namespace
}  // namespace quantlens::server
