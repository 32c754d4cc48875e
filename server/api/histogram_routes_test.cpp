// SPDX-License-Identifier: Apache-2.0
#include "server/api/histogram_routes.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/binned.h"
#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

int sum(const json::Value& counts) {
  int total = 0;
  for (const json::Value& count : counts.as_array()) total += count.to_number<int>();
  return total;
}

TEST(ListHistograms, TellsWeightsFromValues) {
  ApiWorld world;
  const std::string path = v1(world.add_run(), "/histograms");
  const json::Value list = world.json(path);
  EXPECT_EQ(list.at("total"), 4);
  EXPECT_EQ(list.at("histograms").at(0).at("kind"), "value");
  EXPECT_EQ(list.at("histograms").at(3).at("kind"), "weight");
  EXPECT_EQ(list.at("histograms").at(3).at("reference"), "w0");
  EXPECT_EQ(world.json(path, {{"offset", "3"}}).at("histograms").as_array().size(), 1U);
}

TEST(ShowHistogram, CountsBothSidesBetweenTheSameEdges) {
  ApiWorld world;
  const std::string path = v1(world.add_run(), "/histograms/pair");
  for (const char* bins : {"1", "7", "1000"}) {
    const json::Value pair = world.json(
        path, {{"reference", "v1"}, {"quantized", "v1_q"}, {"bins", bins}, {"channel", "7"}});
    EXPECT_EQ(pair.at("edges").as_array().size(), static_cast<std::size_t>(std::stoi(bins)) + 1);
    EXPECT_EQ(sum(pair.at("reference")), 1000);
    EXPECT_EQ(sum(pair.at("quantized")), 1000);
    EXPECT_EQ(pair.at("channels").at(0), 7);
    EXPECT_EQ(pair.at("channel"), 7);
    // Codes 100 to 149 of scale 0.5 about 128, each half a step wide on either side.
    EXPECT_EQ(pair.at("edges").as_array().front(), json::Value(-14.25));
    EXPECT_EQ(pair.at("edges").as_array().back(), json::Value(10.75));
  }
  const json::Value weight = world.json(path, {{"reference", "w0"}, {"quantized", "w0_quantized"}});
  EXPECT_EQ(sum(weight.at("quantized")), 1000);
}

TEST(ShowHistogram, RefusesWhatWasNotCounted) {
  ApiWorld world;
  const std::string id = world.add_run();
  const std::string path = v1(id, "/histograms/pair");
  const auto status = [&](Pairs query) { return world.get(path, std::move(query)).status; };
  EXPECT_EQ(status({{"reference", "v1"}}), 400U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "nothing"}}), 404U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}, {"channel", "8"}}), 404U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}, {"bins", "1001"}}), 400U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}, {"bins", "0"}}), 400U);
  const WorkloadReader reader(world.store, world.folder_of(id));
  fs::remove(reader.path<Pairing>());
  const json::Value pair = world.json(path, {{"reference", "v1"}, {"quantized", "v1_q"}});
  EXPECT_TRUE(pair.at("quantized").is_null()) << "nobody says what codes mean";
  fs::resize_file(reader.path<Histograms>(), 100);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}}), 422U)
      << "as one without an index";
  fs::remove(reader.path<Histograms>());
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}}), 404U);
  EXPECT_EQ(world.json(v1(id, "/histograms")).at("total"), 0);
}

TEST(CountsBetween, KeepTheSumWhereverTheEdgesAre) {
  const std::vector<Stretch> stretches = {{-3, -1, 5}, {-1, 0, 1}, {0.25, 0.5, 1}, {4, 8, 100}};
  for (const std::uint64_t bins : {1, 2, 3, 10, 997}) {
    const auto edges = edges_of(*extent_of(stretches, {}), bins);
    const auto counts = counts_between(stretches, edges);
    EXPECT_EQ(counts.size(), bins);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 107U);
  }
  EXPECT_EQ(counts_between(stretches, std::vector<double>{-3, -1, 0.3, 8}),
            (std::vector<std::uint64_t>{5, 1, 101}));
  EXPECT_EQ(counts_between({}, std::vector<double>{0, 1, 2}), (std::vector<std::uint64_t>{0, 0}));
}

TEST(SpreadValues, LieWhereTheCountsAre) {
  const std::vector<Stretch> stretches = {{0, 1, 50}, {10, 11, 50}};
  const std::vector<double> values = spread_values(stretches, 10);
  ASSERT_EQ(values.size(), 10U);
  EXPECT_NEAR(values[0], 0.1, 1e-9);
  EXPECT_NEAR(values[4], 0.9, 1e-9);
  EXPECT_NEAR(values[5], 10.1, 1e-9);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_EQ(spread_values(std::vector<Stretch>{{0, 1, 3}}, 256).size(), 3U);
  EXPECT_TRUE(spread_values({}, 256).empty());
}

TEST(StretchesOf, RiseThoughTheScaleIsNegative) {
  CodeHistogram codes;
  codes.counts[1] = 5;
  codes.counts[3] = 7;
  const std::vector<Stretch> found = stretches_of(codes, {.scale = -2, .zero_point = 1}, false);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].low, -5);
  EXPECT_EQ(found[0].count, 7U);
  EXPECT_EQ(found[1].high, 1);
  EXPECT_EQ(found[1].count, 5U);
}

TEST(StretchesOf, RefuseScalesThatAreNone) {
  CodeHistogram codes;
  codes.counts[0] = 1;
  for (const float scale :
       {0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_TRUE(stretches_of(codes, {.scale = scale}, false).empty());
  EXPECT_EQ(stretches_of(codes, {.scale = 2}, true).front().low, -257);
}

}  // namespace
}  // namespace quantlens::server
