// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "quantlens/profiling/random_graphs.h"
#include "quantlens/profiling/testing/profiled.h"
#include "quantlens/tuning/prices.h"

namespace quantlens {
namespace {

/// a -> b -> c, all convolutions, the second's result reshaped on its way.
Graph three_convolutions() {
  return graph_of(
      {"x"}, {node_of(Kind::conv, {"x", "w"}, "a"), node_of(Kind::conv, {"a", "w"}, "b"),
              node_of(Kind::reshape, {"b", "shape"}, "m"), node_of(Kind::conv, {"m", "w"}, "c")});
}

Graph with_output(Graph graph, const std::string& name) {
  graph.outputs = {{.name = name, .dtype = DType::float32, .shape = {}}};
  return graph;
}

/// Values of 100 elements, x of 1000.
ValueTypes types_of(const Graph& graph) {
  ValueTypes types;
  for (const Node& node : graph.nodes) types[op_id(node)] = {DType::float32, {1, 100}};
  for (const ValueInfo& input : graph.inputs) types[input.name] = {DType::float32, {1, 1000}};
  return types;
}

Written float_form() {
  const Graph file = with_output(three_convolutions(), "c");
  Written floats(file, file, {10, 8, 1, 12});
  floats.types = types_of(file);
  floats.profile.wall.median_us = 35;
  return floats;
}

/// All in int8: 4, 3 and 5 us; the quantizer of 1000 elements 2, the dequantizer of 100 1.
Written int8_form() {
  const Graph run =
      with_output(graph_of({"x"}, {node_of(Kind::quantize, {"x"}, "xq"),
                                   named(node_of(Kind::qconv, {"xq"}, "aq"), "a_op"),
                                   named(node_of(Kind::qconv, {"aq"}, "bq"), "b_op"),
                                   named(node_of(Kind::reshape, {"bq", "shape"}, "mq"), "m_op"),
                                   named(node_of(Kind::qconv, {"mq"}, "cq"), "c_op"),
                                   node_of(Kind::dequantize, {"cq"}, "c_dq")}),
                  "c_dq");
  Written codes(run, run, {2, 4, 3, 1, 5, 1});
  codes.types = types_of(run);
  codes.types["xq"].shape = {1, 1000};
  codes.profile.wall.median_us = 20;
  return codes;
}

/// The middle one in float.
Written mixed_form() {
  const Graph run =
      with_output(graph_of({"x"}, {node_of(Kind::quantize, {"x"}, "xq"),
                                   named(node_of(Kind::qconv, {"xq"}, "aq"), "a_op"),
                                   node_of(Kind::dequantize, {"aq"}, "ad"),
                                   named(node_of(Kind::conv, {"ad", "w"}, "b"), "b_op"),
                                   node_of(Kind::quantize, {"b"}, "bq"),
                                   named(node_of(Kind::reshape, {"bq", "shape"}, "mq"), "m_op"),
                                   named(node_of(Kind::qconv, {"mq"}, "cq"), "c_op"),
                                   node_of(Kind::dequantize, {"cq"}, "c_dq")}),
                  "c_dq");
  Written codes(run, run, {2, 4, 1, 8, 1, 1, 5, 1});
  codes.types = types_of(run);
  codes.types["xq"].shape = {1, 1000};
  codes.profile.wall.median_us = 26;
  return codes;
}

const std::set<std::string> kAll = {"a", "b", "c"};

TEST(LearnPrices, KernelsArePricedAsTheyWereSeen) {
  const Written floats = float_form();
  const Written codes = int8_form();
  const Prices prices = learn_prices(floats.profiled(), {codes.profiled(), {}}, nullptr);
  ASSERT_EQ(prices.groups.size(), 4u);
  for (const GroupPrice& group : prices.groups) {
    if (group.ops.front() == "a") {
      EXPECT_EQ(group.float_us, 10);
      EXPECT_EQ(group.int8_us, 4);
      EXPECT_TRUE(group.seen_in_int8);
    }
    EXPECT_EQ(group.seen_in_int8, group.ops.front() != "m");
  }
}

TEST(LearnPrices, ThePredictionsOfBothFormsAreTheirWallTimes) {
  const Written floats = float_form();
  const Written codes = int8_form();
  const Written mixed = mixed_form();
  const PricedModel both[] = {{codes.profiled(), {}}, {mixed.profiled(), {}}};
  for (const PricedModel* some : {static_cast<const PricedModel*>(nullptr), &both[1]}) {
    const Prices prices = learn_prices(floats.profiled(), both[0], some);
    EXPECT_NEAR(predict_us(prices, {}), 35, 1e-9);
    EXPECT_NEAR(predict_us(prices, kAll), 20, 1e-9);
  }
}

TEST(LearnPrices, AKernelThatWasSeenToGiveFloatsIsKnownByItsType) {
  const Written floats = float_form();
  Written codes = int8_form();
  const auto giving = [&] {
    const Prices prices = learn_prices(floats.profiled(), {codes.profiled(), {}}, nullptr);
    return std::ranges::count_if(prices.groups, &GroupPrice::gives_floats);
  };
  codes.types["xq"].dtype = codes.types["aq"].dtype = codes.types["bq"].dtype = DType::uint8;
  codes.types["mq"].dtype = codes.types["cq"].dtype = DType::uint8;
  EXPECT_EQ(giving(), 0);
  codes.types["cq"].dtype = DType::float32;
  EXPECT_EQ(giving(), 3) << "what moves elements was not seen in int8";
}

const ValuePrice& price_of(const Prices& prices, const std::string& value) {
  return *std::ranges::find(prices.values, value, &ValuePrice::value);
}

TEST(LearnPrices, CodesPassThroughWhatOnlyMoves) {
  const Written floats = float_form();
  const Written codes = int8_form();
  const Prices prices = learn_prices(floats.profiled(), {codes.profiled(), {}}, nullptr);
  std::vector<std::string> values;
  for (const ValuePrice& value : prices.values) values.push_back(value.value);
  EXPECT_EQ(values, (std::vector<std::string>{"x", "a", "b", "c"}));
  const auto group_of = [&](const std::string& op) {
    return static_cast<std::uint64_t>(
        std::ranges::find_if(prices.groups, [&](const auto& g) { return g.ops.front() == op; }) -
        prices.groups.begin());
  };
  EXPECT_EQ(price_of(prices, "b").from, group_of("b"));
  EXPECT_EQ(price_of(prices, "b").to, std::vector<std::uint64_t>{group_of("c")});
  EXPECT_EQ(price_of(prices, "x").from, prices.groups.size()) << "the outside";
  EXPECT_EQ(price_of(prices, "c").to, std::vector<std::uint64_t>{prices.groups.size()});
}

TEST(LearnPrices, ConversionsCostWhatOthersOfTheirSizeWereSeenToCost) {
  const Written floats = float_form();
  const Written mixed = mixed_form();  // quantizers: 1000 elements 2 us, 100 elements 1 us
  const Prices prices = learn_prices(floats.profiled(), {mixed.profiled(), {}}, nullptr);
  EXPECT_NEAR(price_of(prices, "x").quantize_us, 2, 1e-6);
  EXPECT_NEAR(price_of(prices, "a").quantize_us, 1, 1e-6);
  EXPECT_NEAR(price_of(prices, "a").dequantize_us, 1, 1e-6);
}

/// Convolutions in a row, each with a quantizer of its own that takes `us` for 100 elements.
Written quantizers_of(const std::vector<double>& us) {
  Graph run = graph_of({"x"}, {});
  std::vector<double> times;
  std::string before = "x";
  for (std::size_t i = 0; i < us.size(); ++i) {
    const std::string n = std::to_string(i);
    run.nodes.push_back(node_of(Kind::quantize, {before}, "q" + n));
    run.nodes.push_back(named(node_of(Kind::qconv, {"q" + n}, "k" + n), "f" + n + "_op"));
    before = "k" + n;
    times.insert(times.end(), {us[i], 1});
  }
  Written written(run, run, times);
  written.types = types_of(run);
  return written;
}

TEST(LearnPrices, AQuantizerThatTheTimersCostAteDoesNotMakeAllOfThemFree) {
  Graph file = graph_of({"x"}, {});
  for (int i = 0; i < 10; ++i) {
    file.nodes.push_back(
        node_of(Kind::conv, {i == 0 ? "x" : "f" + std::to_string(i - 1)}, "f" + std::to_string(i)));
  }
  Written floats(file, file, std::vector<double>(10, 5));
  floats.types = types_of(file);
  const Written codes = quantizers_of({2, 2, 2, 2, 2, 2, 2, 2, 2, 0});
  const Prices prices = learn_prices(floats.profiled(), {codes.profiled(), {}}, nullptr);
  EXPECT_DOUBLE_EQ(price_of(prices, "f3").quantize_us, 2);
}

TEST(LearnPrices, WhereNothingIsInInt8NothingMayBe) {
  const Written floats = float_form();
  const Written codes = float_form();
  const PricedModel same{codes.profiled(), {}};
  const Prices prices = learn_prices(floats.profiled(), same, &same);
  EXPECT_NEAR(predict_us(prices, kAll), 35, 1e-9);
  EXPECT_TRUE(cheapest(prices, kAll).empty());
}

TEST(LearnPrices, OpsThatReadAMovedValueTwiceTakeNoTimeToFollow) {
  Graph file = graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "m0")});
  constexpr int kMoves = 60;
  for (int i = 0; i < kMoves; ++i) {
    const std::string before = "m" + std::to_string(i);
    file.nodes.push_back(node_of(Kind::reshape, {before, before}, "m" + std::to_string(i + 1)));
  }
  file.nodes.push_back(node_of(Kind::softmax, {"m" + std::to_string(kMoves)}, "y"));
  const Written floats(file, file, std::vector<double>(file.nodes.size(), 1));
  const Prices prices = learn_prices(floats.profiled(), {floats.profiled(), {}}, nullptr);
  EXPECT_EQ(price_of(prices, "m0").to.size(), 1u);
}

/// Whatever the graphs: prices are numbers, of groups that there are, and give both wall times.
TEST(LearnPrices, OfAnyGraphsAreFiniteAndGiveBothWallTimes) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomGraphs random(seed);
    const Graph file = random.file();
    std::optional<Written> forms[3];
    for (auto& form : forms) {
      const Graph run = random.run_of(file);
      form.emplace(file, run, random.times(run));
      form->profile.wall.median_us = static_cast<double>(random.below(1000));
      if (random.below(2) == 0) form->types = types_of(run);
    }
    const PricedModel quantized{forms[1]->profiled(), random.pairing(file, file)};
    const PricedModel mixed{forms[2]->profiled(), {}};
    const Prices prices =
        learn_prices(forms[0]->profiled(), quantized, random.below(2) == 0 ? &mixed : nullptr);
    std::set<std::string> all;
    for (const GroupPrice& group : prices.groups) {
      if (group.seen_in_int8) all.insert(group.ops.begin(), group.ops.end());
    }
    for (const ValuePrice& value : prices.values) {
      ASSERT_LE(value.from, prices.groups.size());
      ASSERT_FALSE(value.to.empty());
      for (const std::uint64_t to : value.to) ASSERT_LE(to, prices.groups.size());
      ASSERT_TRUE(value.quantize_us >= 0 && std::isfinite(value.quantize_us)) << seed;
      ASSERT_TRUE(value.dequantize_us >= 0 && std::isfinite(value.dequantize_us)) << seed;
    }
    ASSERT_NEAR(predict_us(prices, {}), forms[0]->profile.wall.median_us, 1e-6) << seed;
    if (!all.empty()) {
      ASSERT_NEAR(predict_us(prices, all), forms[1]->profile.wall.median_us, 1e-6) << seed;
    }
    cheapest(prices, all);
  }
}

/// conv a, reshape m, conv b, relu r in a row.
Space space_of_four() {
  Space space;
  space.ops = {{.op = "a", .computes = true, .values = {"a"}, .around = {1}},
               {.op = "m", .moves = true, .values = {"m"}, .around = {}},
               {.op = "b", .computes = true, .values = {"b", "r"}, .around = {1, 3}},
               {.op = "s", .values = {"s"}, .around = {1}}};
  return space;
}

Prices prices_of(double a, double b, double s) {
  Prices prices;
  prices.groups = {{.ops = {"a"}, .float_us = 10, .int8_us = a, .seen_in_int8 = true},
                   {.ops = {"r"}, .float_us = 10, .int8_us = b, .seen_in_int8 = true},
                   {.ops = {"s"}, .float_us = 10, .int8_us = s, .seen_in_int8 = true}};
  return prices;
}

std::vector<std::string> slower(const Prices& prices) {
  const Space space = space_of_four();
  std::vector<std::string> ops;
  for (const TunableOp* op : slower_in_int8(prices, space)) ops.push_back(op->op);
  return ops;
}

TEST(SlowerInInt8, IsNothingWhereAllIsFaster) {
  EXPECT_EQ(slower(prices_of(5, 5, 5)), std::vector<std::string>());
}

TEST(SlowerInInt8, AMoveStaysInCodesAsLongAsAnyAroundItIs) {
  EXPECT_EQ(slower(prices_of(20, 5, 5)), std::vector<std::string>({"a"}));
  EXPECT_EQ(slower(prices_of(20, 5, 20)), std::vector<std::string>({"a", "s"}));
  EXPECT_EQ(slower(prices_of(20, 20, 20)), std::vector<std::string>({"a", "m", "b", "s"}));
}

TEST(SlowerInInt8, AnOpIsFastIfTheKernelThatReplacesItIs) {
  EXPECT_EQ(slower(prices_of(20, 5, 20)), std::vector<std::string>({"a", "s"}))
      << "b is priced by its activation r";
}

TEST(SlowerInInt8, OfNoPricesIsAllThatComputes) {
  EXPECT_EQ(slower({}), std::vector<std::string>({"a", "m", "b", "s"}));
  EXPECT_TRUE(slower_in_int8({}, {}).empty());
}

}  // namespace
}  // namespace quantlens
