// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/prices.h"

#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

/// Kernels cost the same wherever they stand.
Prices alike_everywhere(Prices prices) {
  for (GroupPrice& group : prices.groups) {
    group.float_beside_us = group.float_us;
    group.int8_beside_us = group.int8_us;
  }
  return prices;
}

/// a -> b -> c in a row, between input and output.
Prices row_of_three() {
  Prices prices;
  prices.groups = {{.ops = {"a"}, .float_us = 10, .int8_us = 4, .seen_in_int8 = true},
                   {.ops = {"b"}, .float_us = 2, .int8_us = 3, .seen_in_int8 = true},
                   {.ops = {"c"}, .float_us = 10, .int8_us = 5, .seen_in_int8 = true}};
  prices.values = {{.value = "x", .from = 3, .to = {0}, .quantize_us = 1, .dequantize_us = 1},
                   {.value = "a", .from = 0, .to = {1}, .quantize_us = 1, .dequantize_us = 1},
                   {.value = "b", .from = 1, .to = {2}, .quantize_us = 1, .dequantize_us = 1},
                   {.value = "c", .from = 2, .to = {3}, .quantize_us = 1, .dequantize_us = 1}};
  prices.float_rest_us = 5;
  prices.int8_rest_us = 8;
  return alike_everywhere(prices);
}

TEST(Prices, PredictAddsGroupsConversionsAndTheRest) {
  const Prices prices = row_of_three();
  EXPECT_DOUBLE_EQ(predict_us(prices, {}), 22 + 5);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a", "b", "c"}), 12 + 2 + 8);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a", "c"}), 4 + 2 + 5 + 4 + 7);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"b"}), 10 + 3 + 10 + 2 + 6);
}

TEST(Prices, AreCheckedBeforeTheyAreUsed) {
  Graph graph;
  for (const char* name : {"a", "b", "c"}) graph.nodes.push_back({.outputs = {name}});
  const auto code = [&](const Prices& prices) {
    try {
      check_prices(prices, graph, "prices.json");
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("prices.json"), std::string::npos);
      return error.code();
    }
    return Errc::failed;
  };
  check_prices(row_of_three(), graph, "prices.json");
  Prices bad = row_of_three();
  bad.groups[1].int8_us = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code(bad), Errc::bad_input);
  bad = row_of_three();
  bad.values[0].dequantize_us = -1;
  EXPECT_EQ(code(bad), Errc::bad_input);
  bad = row_of_three();
  bad.values[0].to = {4};
  EXPECT_EQ(code(bad), Errc::bad_input);
  bad = row_of_three();
  bad.float_rest_us = std::numeric_limits<double>::infinity();
  EXPECT_EQ(code(bad), Errc::bad_input);
  EXPECT_EQ(code({}), Errc::bad_input);
  graph.nodes.pop_back();
  EXPECT_EQ(code(row_of_three()), Errc::bad_input) << "c is no op of the model";
}

TEST(Prices, OneQuantizerServesAllReadersAndEachFloatReaderHasItsDequantizer) {
  Prices prices = row_of_three();
  prices.values = {{.value = "a", .from = 0, .to = {1, 2}, .quantize_us = 7, .dequantize_us = 3}};
  prices.float_rest_us = prices.int8_rest_us = 0;
  EXPECT_DOUBLE_EQ(predict_us(prices, {"b", "c"}), 10 + 3 + 5 + 7);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a"}), 4 + 2 + 10 + 6);
}

TEST(Prices, AKernelThatGivesFloatsPaysNoDequantizerButWhereSomeWantCodes) {
  Prices prices = row_of_three();
  prices.groups[0].gives_floats = true;
  prices.float_rest_us = prices.int8_rest_us = 0;
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a"}), 4 + 2 + 10 + 1);
  prices.groups[0].int8_us = prices.groups[0].int8_beside_us = 8.5;  // gains 1.5 and costs 1
  prices.groups[2].seen_in_int8 = false;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), std::set<std::string>{"a"});
  prices.groups[0].gives_floats = false;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), std::set<std::string>());
  prices.groups[0].gives_floats = true;
  prices.values = {{.value = "a", .from = 0, .to = {1, 2}, .quantize_us = 7, .dequantize_us = 3}};
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a"}), 8.5 + 2 + 10);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a", "b"}), 8.5 + 3 + 10 + 3);
}

TEST(Prices, AnOpThatIsALittleSlowerStaysInt8WhereConversionsWouldCostMore) {
  Prices prices = row_of_three();
  prices.float_rest_us = prices.int8_rest_us = 0;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), (std::set<std::string>{"a", "b", "c"}));
  prices.groups[1].int8_us = prices.groups[1].int8_beside_us = 4.5;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), (std::set<std::string>{"a", "c"}));
}

TEST(Prices, BesideOthersAGroupHasAnotherPrice) {
  Prices prices = row_of_three();
  prices.groups[1].int8_beside_us = 300;
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a", "b", "c"}), 12 + 2 + 8);
  EXPECT_DOUBLE_EQ(predict_us(prices, {"b"}), 10 + 300 + 10 + 2 + 6);
  EXPECT_EQ(cheapest(prices, {"b"}), std::set<std::string>());
}

TEST(Prices, WhatPassesCodesGoesWithWhatItReadsAndWithWhatReadsIt) {
  Prices prices = row_of_three();
  prices.groups[1].passes_codes = true;
  prices.int8_rest_us = prices.float_rest_us;
  EXPECT_DOUBLE_EQ(predict_us(prices, {"a"}), predict_us(prices, {"a", "b"}));
  EXPECT_DOUBLE_EQ(predict_us(prices, {"c"}), 10 + 2 + 5 + 2 + 5) << "not with what reads it";
  // c alone gains 5 and costs 2, but then b is in int8 behind a, which is slow in int8
  prices.groups[0].int8_us = prices.groups[0].int8_beside_us = 100;
  prices.groups[1].int8_beside_us = 50;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), std::set<std::string>());
  EXPECT_EQ(cheapest(prices, {"a", "c"}), std::set<std::string>{"c"}) << "b is told to be float";
  prices.groups[1].int8_beside_us = 3;
  EXPECT_EQ(cheapest(prices, {"a", "b", "c"}), (std::set<std::string>{"b", "c"}));
}

TEST(Prices, WhatIsNoChoiceStaysFloat) {
  EXPECT_EQ(cheapest(row_of_three(), {"c"}), (std::set<std::string>{"c"}));
  Prices never = row_of_three();
  never.groups[2].seen_in_int8 = false;
  EXPECT_FALSE(cheapest(never, {"a", "b", "c"}).contains("c"));
}

/// Against all 2^n ways, where no quantizer is shared.
TEST(Prices, TheCutIsTheLeastOfAllWays) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> us(0, 10);
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t kGroups = 8;
    Prices prices;
    std::set<std::string> choices;
    for (std::size_t i = 0; i < kGroups; ++i) {
      prices.groups.push_back({.ops = {std::string(1, static_cast<char>('a' + i))},
                               .float_us = us(random),
                               .int8_us = us(random),
                               .seen_in_int8 = true});
      choices.insert(prices.groups.back().ops.front());
      prices.values.push_back({.value = "v",
                               .from = i,
                               .to = {(i + 1 + random() % kGroups) % (kGroups + 1)},
                               .quantize_us = us(random) / 4,
                               .dequantize_us = us(random) / 4});
      if (prices.values.back().to.front() == i) prices.values.pop_back();
    }
    prices.float_rest_us = us(random);
    prices.int8_rest_us = us(random);
    prices = alike_everywhere(prices);
    double least = predict_us(prices, {});
    for (unsigned mix = 1; mix < 1U << kGroups; ++mix) {
      std::set<std::string> some;
      for (std::size_t i = 0; i < kGroups; ++i) {
        if ((mix >> i & 1U) != 0) some.insert(prices.groups[i].ops.front());
      }
      least = std::min(least, predict_us(prices, some));
    }
    EXPECT_NEAR(predict_us(prices, cheapest(prices, choices)), least, 1e-9);
  }
}

}  // namespace
}  // namespace quantlens
