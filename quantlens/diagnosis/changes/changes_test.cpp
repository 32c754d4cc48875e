// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/changes/changed_attributes.h"
#include "quantlens/diagnosis/changes/unequal_codes.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using List = std::vector<std::int64_t>;

/// x -> Conv -> Relu -> Mul by a vector -> Conv, and the same between codes, in which things may be
/// others.
struct Files {
  std::vector<float> first = numbers(4 * 4 * 9, 1), second = numbers(4 * 4 * 9, 2);
  std::vector<float> factor{1, 2, 3, 4};
  std::vector<float> bias{1, -1, 2, 0.5F};
  bool has_relu = true;
  float low = -20;  ///< the least value that the codes behind the Relu hold
  List pads{1, 1, 1, 1};
  float read_scale = 0.25F;

  static SmallGraph reference() {
    const Files float_model;
    SmallGraph net;
    net.input("x").weight("w", {4, 4, 3, 3}, float_model.first);
    net.weight("b", {4}, float_model.bias).weight("v", {4, 4, 3, 3}, float_model.second);
    net.weight("f", {1, 4, 1, 1}, float_model.factor);
    net.node(Kind::conv, {"x", "w", "b"}, "c").attribute("pads", List{1, 1, 1, 1});
    net.node(Kind::relu, {"c"}, "r").node(Kind::mul, {"r", "f"}, "m");
    net.node(Kind::conv, {"m", "v"}, "y").attribute("pads", List{1, 1, 1, 1}).output("y");
    return net;
  }

  SmallGraph quantized() const {
    SmallGraph net;
    net.input("x").weight("w", {4, 4, 3, 3}, first).weight("b", {4}, bias);
    net.weight("v", {4, 4, 3, 3}, second).weight("f", {1, 4, 1, 1}, factor);
    net.weight("s", {}, {0.25F}).weight("s_read", {}, {read_scale});
    const auto zero = static_cast<std::uint8_t>(-low / 0.25F);
    net.constant("z", Tensor::from<std::uint8_t>({}, {zero}));
    net.node(Kind::conv, {"x", "w", "b"}, "c").attribute("pads", pads);
    if (has_relu) net.node(Kind::relu, {"c"}, "r");
    net.node(Kind::quantize, {has_relu ? "r" : "c", "s", "z"}, "r_q");
    net.node(Kind::dequantize, {"r_q", "s_read", "z"}, "r_d");
    net.node(Kind::mul, {"r_d", "f"}, "m");
    net.node(Kind::conv, {"m", "v"}, "y").attribute("pads", List{1, 1, 1, 1}).output("y");
    return net;
  }

  std::vector<Change> changes() const {
    const SmallGraph before = reference(), after = quantized();
    return pair(before.model(), after.model()).changes;
  }
};

/// "rule op" of each.
std::vector<std::string> told(const std::vector<Change>& changes) {
  std::vector<std::string> words;
  for (const Change& change : changes)
    words.push_back(std::string(word(change.rule)) + " " + said(change.ops.front()));
  return words;
}

using Told = std::vector<std::string>;

TEST(Changes, ThereAreNoneInAFaithfulFile) {
  EXPECT_EQ(told(Files().changes()), Told());
}

TEST(Changes, OtherPaddingIsOne) {
  Files files;
  files.pads = {0, 0, 2, 2};
  const std::vector<Change> changes = files.changes();
  ASSERT_EQ(told(changes), Told{"changed_op \"node_c\""});
  EXPECT_EQ(said(changes[0].reasons),
            "changed_op.of_attributes() "
            "changed_op.attribute(is: [0, 0, 2, 2], name: \"pads\", was: [1, 1, 1, 1])");
}

TEST(Changes, AWeightWithSwappedChannelsIsOneThoughItsOpIsBeyondRecognition) {
  Files files;
  std::rotate(files.first.begin(), files.first.begin() + 36, files.first.end());
  const std::vector<Change> changes = files.changes();
  ASSERT_EQ(told(changes), Told{"changed_weight \"node_c\""});
  EXPECT_EQ(changes[0].weight, "w");
}

TEST(Changes, FactorsThatTheNextOpTakesBackAreNone) {
  Files files;
  files.first = scaled(files.first, 2);
  files.bias = scaled(files.bias, 2);
  files.second = scaled(files.second, 0.5F);
  EXPECT_EQ(told(files.changes()), Told());
}

TEST(Changes, AFactorThatNothingTakesBackIsOne) {
  Files files;
  files.first = scaled(files.first, 1.1F);
  EXPECT_EQ(told(files.changes()), Told{"changed_weight \"node_c\""});
}

TEST(Changes, AnotherConstantOfAMulIsOne) {
  Files files;
  files.factor = {4, 1, 2, 3};
  EXPECT_EQ(told(files.changes()), Told{"changed_op \"node_m\""});
}

TEST(Changes, ACorrectedBiasNearbyTakesNoFactorBack) {
  const auto net = [](std::vector<float> bias, float times) {
    SmallGraph graph;
    graph.input("x").weight("w", {8, 8}, numbers(64, 1)).weight("v", {8, 8}, numbers(64, 2));
    graph.weight("b", {8}, std::move(bias)).weight("f", {8}, scaled(numbers(8, 3), times));
    graph.node(Kind::matmul, {"x", "w"}, "a").node(Kind::add, {"a", "b"}, "c");
    graph.node(Kind::tanh, {"c"}, "t").node(Kind::mul, {"t", "f"}, "m");
    return graph.node(Kind::matmul, {"m", "v"}, "y").output("y");
  };
  const std::vector<float> bias{1, -1, 2, 0.5F, 1, -2, 1, 1};
  const std::vector<float> corrected{1.2F, -1.1F, 2.1F, 0.4F, 1, -1.8F, 1.1F, 0.9F};
  const SmallGraph before = net(bias, 1), mended = net(corrected, 1), after = net(corrected, 1.5F);
  EXPECT_EQ(told(pair(before.model(), mended.model()).changes), Told());
  EXPECT_EQ(told(pair(before.model(), after.model()).changes), Told{"changed_op \"node_m\""});
}

TEST(Changes, AFewShiftsOfABiasThatAreAsItsElementsAreAreCorrected) {
  for (const std::int64_t size : {2, 8}) {
    const auto net = [size](float times) {
      SmallGraph graph;
      const auto count = static_cast<std::size_t>(size);
      graph.input("x").weight("w", {8, size}, numbers(8 * count, 1));
      graph.weight("b", {size}, scaled(numbers(count, 2), times));
      graph.node(Kind::matmul, {"x", "w"}, "a").node(Kind::add, {"a", "b"}, "c");
      return graph.node(Kind::tanh, {"c"}, "y").output("y");
    };
    const Told expected = size == 2 ? Told() : Told{"changed_op \"node_c\""};
    EXPECT_EQ(told(pair(net(1).model(), net(1.2F).model()).changes), expected) << size;
  }
}

/// As when a tool folds the division of a spelled-out HardSwish into the Conv behind it.
TEST(Changes, ADivisorThatTheWeightBehindHoldsIsNotLeftOut) {
  const auto net = [](bool has_division, float times) {
    SmallGraph graph;
    graph.input("x").weight("w", {4, 4, 3, 3}, numbers(4 * 4 * 9, 1)).weight("six", {}, {6});
    graph.weight("v", {4, 4, 3, 3}, scaled(numbers(4 * 4 * 9, 2), times));
    graph.node(Kind::conv, {"x", "w"}, "c").node(Kind::tanh, {"c"}, "m");
    if (has_division) graph.node(Kind::div, {"m", "six"}, "d");
    graph.node(Kind::conv, {has_division ? "d" : "m", "v"}, "e").node(Kind::sigmoid, {"e"}, "s");
    return graph.node(Kind::conv, {"s", "w"}, "y").output("y");
  };
  const Model before = net(true, 1).model();
  EXPECT_EQ(told(pair(before, net(false, 1.0F / 6).model()).changes), Told());
  EXPECT_EQ(told(pair(before, net(false, 1).model()).changes), Told{"changed_op \"node_d\""});
}

TEST(Changes, BoundsOfAClipAreCompared) {
  const auto net = [](float high) {
    SmallGraph graph;
    graph.input("x").weight("w", {4, 4, 3, 3}, numbers(4 * 4 * 9, 1)).weight("low", {}, {0});
    graph.weight("high", {}, {high}).node(Kind::conv, {"x", "w"}, "c");
    return graph.node(Kind::clip, {"c", "low", "high"}, "y").output("y");
  };
  EXPECT_EQ(told(pair(net(6).model(), net(6).model()).changes), Told());
  EXPECT_EQ(told(pair(net(6).model(), net(3).model()).changes), Told{"changed_op \"node_y\""});
}

/// Two Convs of one shape, whose weights a tool has exchanged: names say which is which.
TEST(Changes, ExchangedWeightsAreToldWhereNamesSayWhichIsWhich) {
  const auto net = [](unsigned first, unsigned second) {
    SmallGraph graph;
    graph.input("x").weight("w", {4, 4, 3, 3}, numbers(4 * 4 * 9, 1));
    graph.weight("v", {4, 4, 3, 3}, numbers(4 * 4 * 9, first));
    graph.weight("u", {4, 4, 3, 3}, numbers(4 * 4 * 9, second));
    graph.node(Kind::conv, {"x", "w"}, "a").node(Kind::tanh, {"a"}, "b");
    graph.node(Kind::conv, {"b", "v"}, "c").node(Kind::sigmoid, {"c"}, "d");
    graph.node(Kind::conv, {"d", "u"}, "e").node(Kind::tanh, {"e"}, "f0");
    for (unsigned i = 0; i < 4; ++i) {  // the two are a few among many
      const std::string number = std::to_string(i), next = "f" + std::to_string(i + 1);
      graph.weight("t" + number, {4, 4, 3, 3}, numbers(4 * 4 * 9, 10 + i));
      graph.node(Kind::conv, {"f" + number, "t" + number}, next);
    }
    return graph.output("f4");
  };
  const std::vector<Change> changes = pair(net(2, 3).model(), net(3, 2).model()).changes;
  for (const Change& change : changes)
    EXPECT_EQ(change.rule, ChangeRule::changed_weight) << said(change.reasons);
  EXPECT_EQ(told(changes), (Told{"changed_weight \"node_c\"", "changed_weight \"node_e\""}));
}

TEST(Changes, ABiasOfNothingButZerosIsLostAndACorrectedOneIsNot) {
  Files files;
  files.bias = {0, 0, 0, 0};
  EXPECT_EQ(told(files.changes()), Told{"lost_bias \"node_c\""});
  files.bias = {1.3F, -0.8F, 1.9F, 0.9F};
  EXPECT_EQ(told(files.changes()), Told());
}

TEST(Changes, AReluIsGoneOnlyWhereTheCodesReachBelowZero) {
  Files files;
  files.has_relu = false;
  EXPECT_EQ(told(files.changes()), Told{"changed_op \"node_r\""});
  files.low = 0;
  EXPECT_EQ(told(files.changes()), Told());
}

TEST(Changes, CodesOfTheSameInfiniteScaleMeanTheSame) {
  Codes infinite, none, finite;
  infinite.params = {{INFINITY, 0}};
  none.params = {{NAN, 0}};
  finite.params = {{1, 0}};
  EXPECT_TRUE(mean_the_same(infinite, infinite));
  EXPECT_TRUE(mean_the_same(none, none));
  for (const Codes& one : {infinite, none}) {
    EXPECT_FALSE(mean_the_same(one, finite));
    EXPECT_FALSE(mean_the_same(finite, one));
  }
}

TEST(Changes, CodesThatAreReadByAnotherScaleAreTold) {
  Files files;
  files.read_scale = 0.5F;
  const std::vector<Change> changes = files.changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].rule, ChangeRule::unequal_codes);
  EXPECT_EQ(said(changes[0].reasons),
            "unequal_codes(read_scale: 0.5, read_zero_point: 80, reader: \"node_m\", "
            "written_scale: 0.25, written_zero_point: 80)");
}

/// relu -> three matmuls, each of which reads the relu's codes by a DequantizeLinear of its own.
std::vector<Change> read_with(const std::vector<float>& scales) {
  const auto net = [&](bool is_quantized) {
    SmallGraph graph;
    graph.input("x").weight("s", {}, {0.25F}).constant("z", Tensor::from<std::uint8_t>({}, {0}));
    graph.node(Kind::relu, {"x"}, "a");
    if (is_quantized) graph.node(Kind::quantize, {"a", "s", "z"}, "a_q");
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const std::string n = std::to_string(i);
      graph.weight("w" + n, {8, 8}, numbers(64, static_cast<unsigned>(i + 1)));
      graph.weight("s" + n, {}, {scales[i]});
      if (is_quantized) graph.node(Kind::dequantize, {"a_q", "s" + n, "z"}, "a_d" + n);
      graph.node(Kind::matmul, {is_quantized ? "a_d" + n : "a", "w" + n}, "m" + n);
      graph.output("m" + n);
    }
    return graph;
  };
  const SmallGraph before = net(false), after = net(true);
  return pair(before.model(), after.model()).changes;
}

TEST(Changes, CodesThatSeveralOpsReadWithTheSameOtherFiguresAreOne) {
  EXPECT_EQ(told(read_with({0.25F, 0.25F, 0.25F})), Told());
  const std::vector<Change> by_all = read_with({0.5F, 0.5F, 0.5F});
  ASSERT_EQ(by_all.size(), 1U);
  EXPECT_EQ(by_all[0].ops, op_refs({"node_a", "node_m0", "node_m1", "node_m2"}));
  EXPECT_EQ(said(by_all[0].reasons),
            "unequal_codes(other_readers: 2, read_scale: 0.5, read_zero_point: 0, "
            "reader: \"node_m0\", written_scale: 0.25, written_zero_point: 0)");
  const std::vector<Change> by_some = read_with({0.5F, 0.25F, 0.5F});
  ASSERT_EQ(by_some.size(), 1U);
  EXPECT_EQ(by_some[0].ops, op_refs({"node_m0", "node_m2", "node_a"}))
      << "one reads them as written";
  EXPECT_EQ(told(read_with({0.5F, 0.25F, 1})),
            (Told{"unequal_codes \"node_m0\"", "unequal_codes \"node_m2\""}));
}

TEST(Changes, OfAConstantThatSeveralOpsShareAreOne) {
  const auto net = [](float factor, bool is_shared) {
    SmallGraph graph;
    graph.input("x").weight("w", {8, 8}, numbers(64, 1)).weight("v", {8, 8}, numbers(64, 2));
    graph.weight("f", {}, {factor}).weight("g", {}, {factor});
    graph.node(Kind::matmul, {"x", "w"}, "a").node(Kind::mul, {"a", "f"}, "b");
    graph.node(Kind::tanh, {"b"}, "c").node(Kind::matmul, {"c", "v"}, "d");
    graph.node(Kind::mul, {"d", is_shared ? "f" : "g"}, "e").node(Kind::tanh, {"e"}, "y");
    return graph.output("y");
  };
  const SmallGraph before = net(0.125F, false), after = net(-0.1875F, true);
  const std::vector<Change> changes = pair(before.model(), after.model()).changes;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].ops, op_refs({"node_b", "node_e"})) << "neither is folded in that file";
  EXPECT_EQ(said(changes[0].reasons),
            "changed_constant(constant: \"constant\", ops: 2) "
            "constant.number(is: -0.1875, was: 0.125) changed_constant.beyond_codes()");
}

/// x in codes of `step` -> Conv with a weight in steps of 0.5 and a bias in steps of 0.125, or
/// MatMul and Add with the same.
std::vector<Change> with_input_step(float step, Kind kind) {
  const bool is_conv = kind == Kind::conv;
  const std::vector<std::int64_t> shape = is_conv ? List{8, 8, 1, 1} : List{8, 8};
  const std::vector<float> weight = numbers(64, 1);
  std::vector<std::int8_t> codes;
  std::vector<float> values;
  for (const float one : weight) {
    codes.push_back(static_cast<std::int8_t>(std::lround(one * 20)));
    values.push_back(0.5F * static_cast<float>(codes.back()));
  }
  const std::vector<std::int32_t> bias{8, -16, 24, 32, -8, 16, 40, 8};
  const auto net = [&](bool is_quantized) {
    SmallGraph graph;
    graph.input("x").weight("w", shape, values);
    std::vector<float> floats;
    for (const std::int32_t one : bias) floats.push_back(0.125F * static_cast<float>(one));
    graph.weight("b", {8}, floats).weight("s", {}, {step}).weight("sw", {}, {0.5F});
    graph.weight("sb", {}, {0.125F}).constant("z", Tensor::from<std::uint8_t>({}, {128}));
    graph.constant("wq", Tensor::from<std::int8_t>(shape, codes));
    graph.constant("bq", Tensor::from<std::int32_t>({8}, bias));
    if (is_quantized) {
      graph.node(Kind::quantize, {"x", "s", "z"}, "xq")
          .node(Kind::dequantize, {"xq", "s", "z"}, "xd");
      graph.node(Kind::dequantize, {"wq", "sw"}, "wd").node(Kind::dequantize, {"bq", "sb"}, "bd");
    }
    const std::string x = is_quantized ? "xd" : "x", w = is_quantized ? "wd" : "w";
    const std::string b = is_quantized ? "bd" : "b";
    if (is_conv) return graph.node(Kind::conv, {x, w, b}, "y").output("y");
    return graph.node(Kind::matmul, {x, w}, "m").node(Kind::add, {"m", b}, "y").output("y");
  };
  const SmallGraph before = net(false), after = net(true);
  return pair(before.model(), after.model()).changes;
}

TEST(Changes, ABiasInOtherStepsThanThoseOfItsProductIsToldWithTheInputsCodes) {
  for (const Kind kind : {Kind::conv, Kind::matmul}) {
    EXPECT_EQ(told(with_input_step(0.25F, kind)), Told());
    const std::vector<Change> changes = with_input_step(0.125F, kind);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].rule, ChangeRule::unequal_codes);
    EXPECT_EQ(changes[0].ops, op_refs({kind == Kind::conv ? "node_y" : "node_m", "x"}));
    EXPECT_EQ(said(changes[0].reasons),
              "unequal_codes.of_bias(input: \"x\", product_step: 0.0625, step: 0.125, times: 0.5)");
  }
}

TEST(Changes, OperandsOfASubInTheOtherOrderAreTold) {
  const auto net = [](bool is_exchanged) {
    SmallGraph graph;
    graph.input("x").weight("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10});
    graph.node(Kind::matmul, {"x", "w"}, "a").node(Kind::sigmoid, {"a"}, "b");
    graph.node(Kind::sub, is_exchanged ? Told{"b", "a"} : Told{"a", "b"}, "d");
    graph.node(Kind::sqrt, {"d"}, "y").output("y");
    return graph;
  };
  const SmallGraph before = net(false), after = net(true);
  EXPECT_EQ(told(pair(before.model(), before.model()).changes), Told());
  EXPECT_EQ(told(pair(before.model(), after.model()).changes), Told{"changed_op \"node_d\""});
}

TEST(Changes, AnActivationThatIsLeftOutBetweenFloatsIsTold) {
  const auto net = [](bool has_tanh) {
    SmallGraph graph;
    graph.input("x").weight("w", {8, 8}, numbers(64, 1)).weight("v", {8, 8}, numbers(64, 2));
    graph.weight("one", {}, {1});
    graph.node(Kind::matmul, {"x", "w"}, "a");
    if (has_tanh) graph.node(Kind::tanh, {"a"}, "t");
    graph.node(Kind::add, {has_tanh ? "t" : "a", "one"}, "b");
    graph.node(Kind::matmul, {"b", "v"}, "y").output("y");
    return graph;
  };
  const SmallGraph before = net(true), after = net(false);
  EXPECT_EQ(told(pair(before.model(), after.model()).changes), Told{"changed_op \"node_t\""});
}

/// matmul -> x (1 + tanh ((x + x^3) / 2)) between codes -> matmul, whose codes have the names of
/// the plan.
TEST(Changes, AnActivationThatIsLeftOutIsToldThoughAllAroundItIsKnownByName) {
  const auto net = [](bool has_tanh, bool is_quantized) {
    SmallGraph graph;
    graph.input("x").weight("w", {8, 8}, numbers(64, 1)).weight("v", {8, 8}, numbers(64, 2));
    graph.weight("one", {}, {1}).weight("half", {}, {0.5F}).weight("s", {}, {0.25F});
    graph.constant("z", Tensor::from<std::uint8_t>({}, {128}));
    graph.weight("three", {}, {3});
    graph.node(Kind::matmul, {"x", "w"}, "a").node(Kind::pow, {"a", "three"}, "cube");
    graph.node(Kind::add, {"a", "cube"}, "sum").node(Kind::mul, {"sum", "half"}, "b");
    if (has_tanh) graph.node(Kind::tanh, {"b"}, "t");
    graph.node(Kind::add, {has_tanh ? "t" : "b", "one"}, "c").node(Kind::mul, {"a", "c"}, "g");
    if (is_quantized) {
      graph.node(Kind::quantize, {"g", "s", "z"}, "g_q");
      graph.node(Kind::dequantize, {"g_q", "s", "z"}, "g_d");
    }
    graph.node(Kind::matmul, {is_quantized ? "g_d" : "g", "v"}, "y").output("y");
    return graph;
  };
  const auto told_of = [](const SmallGraph& before, const SmallGraph& after) {
    SmallGraph quantized = after;
    quantized.metadata("quantlens.names", R"({"values": {"g": "g_q"}})");
    return told(pair(before.model(), quantized.model()).changes);
  };
  EXPECT_EQ(told_of(net(true, false), net(true, true)), Told());
  EXPECT_EQ(told_of(net(true, false), net(false, true)), Told{"changed_op \"node_t\""});
}

TEST(Changes, AnOpThatChangesNothingMayBeLeftOut) {
  const auto net = [](float taken_off, bool is_there) {
    SmallGraph graph;
    graph.input("x").weight("w", {8, 8}, numbers(64, 1)).weight("v", {8, 8}, numbers(64, 2));
    graph.weight("b", {}, {taken_off}).weight("f", {8}, numbers(8, 3));
    graph.node(Kind::matmul, {"x", "w"}, "a");
    if (is_there) graph.node(Kind::sub, {"a", "b"}, "s");
    graph.node(Kind::mul, {is_there ? "s" : "a", "f"}, "m");
    graph.node(Kind::matmul, {"m", "v"}, "y").output("y");
    return graph;
  };
  const SmallGraph zero = net(0, true), two = net(2, true), none = net(0, false);
  EXPECT_EQ(told(pair(zero.model(), none.model()).changes), Told());
  EXPECT_EQ(told(pair(two.model(), none.model()).changes), Told{"changed_op \"node_s\""});
}

TEST(ChangedAttributes, DefaultsAndAxesFromTheEndAreNoChanges) {
  SmallGraph net;
  net.input("x").node(Kind::conv, {"x", "w"}, "a").node(Kind::conv, {"x", "w"}, "b");
  net.attribute("pads", List{0, 0, 0, 0}).attribute("strides", List{1, 1});
  net.attribute("group", std::int64_t{1});
  net.node(Kind::softmax, {"x"}, "c").attribute("axis", std::int64_t{-1});
  net.node(Kind::softmax, {"x"}, "d").attribute("axis", std::int64_t{1});
  net.node(Kind::softmax, {"x"}, "e").attribute("axis", std::int64_t{2});
  const std::vector<Node>& nodes = net.graph().nodes;
  EXPECT_EQ(changed_attributes(nodes[0], nodes[1]), Statements());
  EXPECT_EQ(changed_attributes(nodes[2], nodes[3]), Statements());
  EXPECT_EQ(said(changed_attributes(nodes[3], nodes[4])),
            "changed_op.attribute(is: 2, name: \"axis\", was: 1)");
  EXPECT_EQ(changed_attributes(nodes[0], nodes[2]), Statements()) << "nodes of other types";
}

}  // namespace
}  // namespace quantlens
