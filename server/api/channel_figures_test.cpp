// SPDX-License-Identifier: Apache-2.0
#include "server/api/channel_figures.h"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Both sides of a value of shape [outer, channels, inner], each channel wider than the last.
struct Sides {
  AxisLayout layout;
  std::vector<float> x, y;
};

Sides some_sides(AxisLayout layout) {
  Sides sides{.layout = layout, .x = {}, .y = {}};
  const std::size_t count = layout.outer * layout.channels * layout.inner;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < count; ++i) {
    sides.x.push_back(normal(random) * static_cast<float>(i / layout.inner % layout.channels + 1));
    sides.y.push_back(std::round(sides.x[i] * 4) / 4);
  }
  return sides;
}

PairedStats gathered(const Sides& sides) {
  PairedStats pair;
  pair.reference = "v0";
  pair.quantized = "v0_q";
  pair.channel_axis = 1;
  std::vector<float> errors;
  for (std::size_t i = 0; i < sides.x.size(); ++i) errors.push_back(sides.x[i] - sides.y[i]);
  pair.reference_channels.add(sides.x, sides.layout);
  pair.error_channels.add(errors, sides.layout);
  return pair;
}

/// The elements of one channel, by its definition.
template <class Each>
void for_each_of(const Sides& sides, std::size_t channel, const Each& each) {
  for (std::size_t o = 0; o < sides.layout.outer; ++o) {
    for (std::size_t i = 0; i < sides.layout.inner; ++i) {
      const std::size_t at = (o * sides.layout.channels + channel) * sides.layout.inner + i;
      each(double{sides.x[at]}, double{sides.y[at]});
    }
  }
}

TEST(ChannelFigures, AreThoseOfAPlainLoop) {
  for (const AxisLayout layout : {AxisLayout{3, 5, 7}, AxisLayout{40, 6, 1}, AxisLayout{1, 4, 9}}) {
    const Sides sides = some_sides(layout);
    const ChannelFigures figures = channel_figures(gathered(sides), 0, 100);
    ASSERT_EQ(figures.channels.size(), layout.channels);
    EXPECT_EQ(figures.axis, 1);
    for (std::size_t c = 0; c < layout.channels; ++c) {
      EXPECT_EQ(figures.channels[c], c);
      double n = 0, sum = 0, low = kInf, high = -kInf, xx = 0, ee = 0, around = 0;
      for_each_of(sides, c, [&](double x, double y) {
        n += 1;
        sum += x;
        low = std::min(low, x);
        high = std::max(high, x);
        xx += x * x;
        ee += (x - y) * (x - y);
      });
      for_each_of(sides, c, [&](double x, double) { around += (x - sum / n) * (x - sum / n); });
      EXPECT_EQ(figures.min->at(c), low);
      EXPECT_EQ(figures.max->at(c), high);
      EXPECT_NEAR(figures.mean->at(c), sum / n, 1e-12 * high);
      EXPECT_NEAR(figures.standard_deviation->at(c), std::sqrt(around / n), 1e-9 * high);
      EXPECT_NEAR(figures.mse.at(c), ee / n, 1e-6 * ee / n);  // x - y is a float there
      EXPECT_NEAR(figures.sqnr_db->at(c), 10 * std::log10(xx / ee), 1e-5);
    }
  }
}

TEST(ChannelFigures, OfChannelsWithoutErrorOrWithoutNumbersSaySo) {
  Sides sides{.layout = {1, 3, 2}, .x = {0, 0, 1, 2, NAN, INFINITY}, .y = {0, 0, 1, 2, 0, 0}};
  const ChannelFigures figures = channel_figures(gathered(sides), 0, 100);
  EXPECT_EQ(figures.mse[0], 0);
  EXPECT_EQ(figures.sqnr_db->at(0), kInf);
  EXPECT_EQ(figures.sqnr_db->at(1), kInf);
  for (const auto& list : {figures.min, figures.max, figures.mean, figures.standard_deviation})
    EXPECT_TRUE(std::isnan(list->at(2)));
  EXPECT_EQ(figures.mse[2], kInf);
  EXPECT_EQ(figures.sqnr_db->at(2), -kInf);
}

TEST(ChannelFigures, WhatWasNotGatheredIsNull) {
  PairedStats pair = gathered(some_sides({2, 4, 3}));
  pair.reference_channels = {};
  const ChannelFigures of_errors = channel_figures(pair, 0, 100);
  EXPECT_EQ(of_errors.mse.size(), 4U);
  EXPECT_FALSE(of_errors.min || of_errors.max || of_errors.mean || of_errors.standard_deviation ||
               of_errors.sqnr_db);
  pair = {};
  const ChannelFigures none = channel_figures(pair, 0, 100);
  EXPECT_FALSE(none.axis);
  EXPECT_EQ(none.total, 0U);
  EXPECT_TRUE(none.channels.empty());
}

TEST(ChannelFigures, PagesPutTogetherAreTheWhole) {
  constexpr std::size_t kMany = 100'000, kPage = 9'999;
  const PairedStats pair = gathered(some_sides({1, kMany, 2}));
  const ChannelFigures whole = channel_figures(pair, 0, kMany);
  ChannelFigures joined;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::uint64_t offset = 0; offset < kMany; offset += kPage) {
    const ChannelFigures page = channel_figures(pair, offset, kPage);
    EXPECT_EQ(page.total, kMany);
    append(joined.channels, page.channels);
    append(joined.mse, page.mse);
  }
  EXPECT_EQ(joined.channels, whole.channels);
  EXPECT_EQ(joined.mse, whole.mse);
  EXPECT_TRUE(channel_figures(pair, kMany + 1, kPage).channels.empty());
}

TEST(ShowChannels, AnswersOfAStoredPair) {
  ApiWorld world;
  const std::string path = v1(world.add_run(), "/histograms/channels");
  const json::Value shown = world.json(path, {{"reference", "v1"}, {"quantized", "v1_q"}});
  EXPECT_EQ(shown.at("reference_name"), "v1");
  EXPECT_EQ(shown.at("total"), 8);
  EXPECT_EQ(shown.at("histograms"), json::Value(boost::json::array{7}));
  for (const char* list :
       {"channels", "min", "max", "mean", "standard_deviation", "mse", "sqnr_db"})
    EXPECT_EQ(shown.at(list).as_array().size(), 8U) << list;
  const json::Value page = world.json(
      path, {{"reference", "v1"}, {"quantized", "v1_q"}, {"offset", "6"}, {"limit", "1"}});
  EXPECT_EQ(page.at("channels"), json::Value(boost::json::array{6}));
  EXPECT_EQ(page.at("mse").at(0), shown.at("mse").at(6));
  const json::Value weight = world.json(path, {{"reference", "w0"}, {"quantized", "w0_quantized"}});
  EXPECT_TRUE(weight.at("axis").is_null());
  EXPECT_EQ(weight.at("total"), 0);
}

TEST(ShowChannels, RefusesWhatIsNotThere) {
  ApiWorld world;
  const std::string id = world.add_run();
  const std::string path = v1(id, "/histograms/channels");
  const auto status = [&](Pairs query) { return world.get(path, std::move(query)).status; };
  EXPECT_EQ(status({{"reference", "v1"}}), 400U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}, {"limit", "0"}}), 400U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}, {"limit", "100001"}}), 400U);
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "nothing"}}), 404U);
  EXPECT_EQ(
      world.get(v1("nobody", "/histograms/channels"), {{"reference", "v1"}, {"quantized", "v1_q"}})
          .status,
      404U);
  const WorkloadReader reader(world.store, world.folder_of(id));
  fs::remove(reader.path<Histograms>());
  EXPECT_EQ(status({{"reference", "v1"}, {"quantized", "v1_q"}}), 404U);
}

TEST(ShowChannels, HasAnETagUntilTheFileIsAnotherOne) {
  ApiWorld world;
  const std::string id = world.add_run();
  const std::string path = v1(id, "/histograms/channels");
  const Pairs query = {{"reference", "v1"}, {"quantized", "v1_q"}};
  const std::string tag = header(world.get(path, query), "ETag");
  ASSERT_NE(tag, "");
  EXPECT_EQ(world.get(path, query, {{"if-none-match", tag}}).status, 304U);
  const WorkloadReader reader(world.store, world.folder_of(id));
  fs::last_write_time(reader.path<Histograms>(), fs::file_time_type::clock::now());
  EXPECT_EQ(world.get(path, query, {{"if-none-match", tag}}).status, 200U);
}

}  // namespace
}  // namespace quantlens::server
