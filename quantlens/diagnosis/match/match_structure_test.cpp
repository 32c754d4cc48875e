// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/match_structure.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/growth.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

/// Writes the float form or the QDQ form of one network.
class StructureNet {
 public:
  explicit StructureNet(bool quantized) : quantized_(quantized) {
    graph_.weight("scale", {}, {0.05F});
    graph_.constant("zero", Tensor::from<std::uint8_t>({}, {128}));
    graph_.constant("weight_zero", Tensor::from<std::int8_t>({}, {0}));
  }

  StructureNet& input(const std::string& name) {
    graph_.input(name);
    return quantize(name);
  }
  StructureNet& output(const std::string& name) {
    graph_.output(name);
    return *this;
  }
  StructureNet& node(Kind kind, std::vector<std::string> inputs, const std::string& output) {
    for (std::string& input : inputs) {
      if (quantized_ && codes_.contains(input)) input += "_dq";
    }
    graph_.node(kind, std::move(inputs), output);
    return *this;
  }
  StructureNet& permute(std::vector<std::int64_t> order) {
    graph_.set(&roles::Permutation::order, std::move(order));
    return *this;
  }
  /// From now on read through codes, in the QDQ form.
  StructureNet& quantize(const std::string& name) {
    if (!quantized_) return *this;
    graph_.node(Kind::quantize, {name, "scale", "zero"}, name + "_q")
        .node(Kind::dequantize, {name + "_q", "scale", "zero"}, name + "_dq");
    codes_.insert(name);
    return *this;
  }
  StructureNet& weight(const std::string& name, Shape shape, const std::vector<float>& values) {
    if (!quantized_) {
      graph_.weight(name, std::move(shape), values);
      return *this;
    }
    constexpr float kStep = 0.03F;
    std::vector<std::int8_t> codes;
    codes.reserve(values.size());
    for (const float value : values)
      codes.push_back(
          static_cast<std::int8_t>(quantlens::quantize(value, {kStep, 0}, DType::int8)));
    graph_.weight(name + "_scale", {}, {kStep})
        .constant(name + "_q", Tensor::from<std::int8_t>(std::move(shape), std::move(codes)))
        .node(Kind::dequantize, {name + "_q", name + "_scale", "weight_zero"}, name + "_dq");
    codes_.insert(name);
    return *this;
  }
  const Model& model() const { return graph_.model(); }

 private:
  bool quantized_;
  SmallGraph graph_;
  std::set<std::string> codes_;
};

/// Blocks of equal shape, of which only the weights differ; three products read the same value.
Model attention_net(bool quantized, unsigned blocks) {
  StructureNet net(quantized);
  net.input("x");
  std::string from = "x";
  for (unsigned b = 0; b < blocks; ++b) {
    const std::string p = "b" + std::to_string(b) + "/";
    for (unsigned k = 0; k < 3; ++k) {
      const std::string one = p + "qkv"[k];
      net.weight(one + "w", {8, 8}, numbers(64, 100 * b + k))
          .node(Kind::matmul, {from, one + "w"}, one)
          .quantize(one);
    }
    net.node(Kind::transpose, {p + "k"}, p + "t").permute({1, 0});
    net.node(Kind::matmul, {p + "q", p + "t"}, p + "s").quantize(p + "s");
    net.node(Kind::softmax, {p + "s"}, p + "p").quantize(p + "p");
    net.node(Kind::matmul, {p + "p", p + "v"}, p + "o").quantize(p + "o");
    net.node(Kind::add, {from, p + "o"}, p + "a").quantize(p + "a");
    from = p + "a";
  }
  net.node(Kind::softmax, {from}, "y").output("y");
  return net.model();
}

/// The value in front of each QuantizeLinear, by the name of its codes.
std::map<std::string, std::string> truth(const Model& quantized) {
  std::map<std::string, std::string> sources;
  for (const Node& node : quantized.graph.nodes) {
    if (node.kind == Kind::quantize) sources[node.outputs[0]] = node.inputs[0];
  }
  return sources;
}

TEST(MatchStructure, TellsRepeatedBlocksApartByTheirWeights) {
  const Model reference = attention_net(false, 12);
  const Model quantized = attention_net(true, 12);
  const auto expected = truth(quantized);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Renamed other = renamed(quantized, seed);
    const Pairing pairing = pair(reference, other.model);
    EXPECT_EQ(pairing.pairs.size(), 12U * 7 + 2) << "the input, seven values a block, the output";
    for (const ValuePair& found : pairing.pairs) {
      EXPECT_EQ(found.found_by, FoundBy::structure);
      EXPECT_TRUE(found.confirmed) << found.reference;
      const std::string& old = other.old_names.at(found.quantized);
      EXPECT_EQ(found.side == Side::float_ ? old : expected.at(old), found.reference);
    }
    EXPECT_TRUE(pairing.only_quantized.empty());
    EXPECT_TRUE(pairing.only_reference.empty());
    ASSERT_EQ(pairing.weights.size(), 36U);
    for (const WeightPair& weight : pairing.weights)
      EXPECT_EQ(other.old_names.at(weight.quantized), weight.reference + "_q");
  }
}

TEST(MatchStructure, BelievesNoNameThatAnotherOpBears) {
  const Model reference = attention_net(false, 2);
  Model quantized = attention_net(true, 2);
  const auto exchange = [](std::string& name) {  // two values of one kind and shape
    if (name == "b0/q") {
      name = "b0/v";
    } else if (name == "b0/v") {
      name = "b0/q";
    }
  };
  for (Node& node : quantized.graph.nodes) {
    std::ranges::for_each(node.inputs, exchange);
    std::ranges::for_each(node.outputs, exchange);
  }
  std::map<std::string, std::string> found;
  for (const ValuePair& each : pair(reference, quantized).pairs)
    found[each.reference] = each.quantized;
  EXPECT_EQ(found.at("b0/q"), "b0/q_q") << "the codes kept their name";
  EXPECT_EQ(found.at("b0/v"), "b0/v_q");
}

TEST(MatchStructure, GoesOnBehindAnOpThatTheReferenceLacks) {
  const auto net = [](bool quantized) {
    StructureNet n(quantized);
    n.input("x").weight("v", {8, 8}, numbers(64, 1)).weight("w", {8, 8}, numbers(64, 2));
    n.node(Kind::matmul, {"x", "v"}, "a").quantize("a");
    n.node(quantized ? Kind::layer_norm : Kind::instance_norm, {"a"}, "b").quantize("b");
    n.node(Kind::matmul, {"b", "w"}, "c").quantize("c");
    n.node(Kind::softmax, {"c"}, "y").output("y");
    return n.model();
  };
  const Renamed other = renamed(net(true), 3);
  const Pairing pairing = pair(net(false), other.model);
  std::map<std::string, std::string> found;
  for (const ValuePair& each : pairing.pairs)
    found[each.reference] = other.old_names.at(each.quantized);
  EXPECT_EQ(found.at("a"), "a_q");
  EXPECT_EQ(found.at("c"), "c_q") << "its weight is where the search begins anew";
  EXPECT_EQ(found.at("b"), "b_q") << "it is what that op reads";
  EXPECT_EQ(found.at("y"), "y");
}

TEST(MatchStructure, LeavesOutWhatOtherWeightsCompute) {
  const auto net = [](bool quantized) {
    StructureNet n(quantized);
    n.input("x").weight("w", {8, 8}, numbers(64, quantized ? 1 : 2));
    n.node(Kind::matmul, {"x", "w"}, "a").quantize("a");
    n.node(Kind::softmax, {"a"}, "y").output("y");
    return n.model();
  };
  const Pairing pairing = pair(net(false), net(true));
  for (const ValuePair& each : pairing.pairs) EXPECT_NE(each.reference, "a") << "of the same name";
  EXPECT_THAT(pairing.only_reference, testing::Contains("a"));
  EXPECT_THAT(pairing.only_quantized, testing::Contains("a_q"));
  EXPECT_TRUE(pairing.weights.empty());
}

TEST(MatchStructure, SeesThroughMovesThatOnlyOneModelMakes) {
  SmallGraph reference;
  reference.input("x").weight("w", {8, 8}, numbers(64, 1));
  reference.constant("shape", Tensor::from<std::int64_t>({2}, {-1, 8}));
  reference.node(Kind::reshape, {"x", "shape"}, "r")
      .node(Kind::matmul, {"r", "w"}, "m")
      .node(Kind::softmax, {"m"}, "y")
      .output("y");
  StructureNet quantized(true);
  quantized.input("x").weight("w", {8, 8}, numbers(64, 1));
  quantized.node(Kind::matmul, {"x", "w"}, "m").quantize("m");
  quantized.node(Kind::softmax, {"m"}, "y").output("y");
  const Renamed other = renamed(quantized.model(), 1);
  std::map<std::string, std::string> found;
  for (const ValuePair& each : pair(reference.model(), other.model).pairs)
    found[each.reference] = other.old_names.at(each.quantized);
  EXPECT_EQ(found.at("m"), "m_q");
  EXPECT_EQ(found.at("y"), "y");
  EXPECT_FALSE(found.contains("r"));
}

TEST(MatchStructure, PairsTheSumThatAnotherModelAddsBehindItsProduct) {
  SmallGraph reference;
  reference.input("x").weight("w", {4, 8}, numbers(32, 1)).weight("b", {4}, {1, 2, 3, 4});
  reference.node(Kind::gemm, {"x", "w", "b"}, "g").set(&roles::MatrixProduct::transposes_b, true);
  reference.node(Kind::relu, {"g"}, "r").node(Kind::softmax, {"r"}, "y").output("y");
  std::vector<float> transposed(32);
  const std::vector<float> values = numbers(32, 1);
  for (std::size_t i = 0; i < 32; ++i) transposed[i % 8 * 4 + i / 8] = values[i];
  StructureNet quantized(true);
  quantized.input("x").weight("w", {8, 4}, transposed).weight("b", {4}, {1, 2, 3, 4});
  quantized.node(Kind::matmul, {"x", "w"}, "part");
  quantized.node(Kind::add, {"part", "b"}, "sum").quantize("sum");
  quantized.node(Kind::softmax, {"sum"}, "y").output("y");
  const Pairing pairing = pair(reference.model(), quantized.model());
  std::map<std::string, std::string> found;
  for (const ValuePair& each : pairing.pairs) found[each.reference] = each.quantized;
  EXPECT_EQ(found.at("r"), "sum_q") << "the codes saturate where the Relu would";
  EXPECT_FALSE(found.contains("g"));
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].quantized, "w_q");
  EXPECT_TRUE(pairing.weights[0].transposed);
}

/// `size` ops that all read one value, of two kinds, so that only names tell which is which.
Model star(bool quantized, std::size_t size) {
  StructureNet net(quantized);
  net.input("x");
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = "s" + std::to_string(i);
    net.node(i % 2 == 0 ? Kind::sigmoid : Kind::tanh, {"x"}, name).quantize(name).output(name);
  }
  return net.model();
}

Model chain(bool quantized, std::size_t size) {
  StructureNet net(quantized);
  net.input("s0");
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = "s" + std::to_string(i + 1);
    net.node(Kind::tanh, {"s" + std::to_string(i)}, name).quantize(name);
  }
  net.output("s" + std::to_string(size));
  return net.model();
}

TEST(MatchStructure, TakesTimeInProportionToTheGraphs) {
  for (const auto& net : {star, chain}) {
    EXPECT_EQ(pair(net(false, 500), net(true, 500)).pairs.size(), 501U);
    const auto both = [&](std::size_t size) {
      return std::pair(net(false, size), net(true, size));
    };
    EXPECT_LT(growth_exponent(500, both, [](const auto& two) { pair(two.first, two.second); }),
              kMostGrowth);
  }
}

TEST(MatchStructure, TakesTimeInProportionWhereNoNameTellsWhichIsWhich) {
  const auto both = [](std::size_t size) {
    return std::pair(star(false, size), renamed(star(true, size), 1));
  };
  EXPECT_LT(growth_exponent(500, both, [](const auto& two) { pair(two.first, two.second.model); }),
            kMostGrowth);
}

TEST(MatchStructure, HasOneRowForEachOfManyEqualValues) {
  constexpr std::size_t kTimes = 40;
  const auto net = [](bool quantized, std::size_t times) {
    StructureNet n(quantized);
    n.input("x");
    for (std::size_t i = 0; i < times; ++i) {
      const std::string name = "s" + std::to_string(i);
      n.node(Kind::tanh, {"x"}, name).quantize(name).output(name);
    }
    return n.model();
  };
  const Pairing pairing = pair(net(false, kTimes), renamed(net(true, kTimes / 2), 1).model);
  EXPECT_EQ(pairing.pairs.size(), kTimes + 1) << "though the quantized model has only half of them";
  EXPECT_TRUE(pairing.only_reference.empty());
  EXPECT_TRUE(pairing.only_quantized.empty());
}

/// The value of the reference that each tensor of codes stands for.
std::map<std::string, std::string> by_codes(const Pairing& pairing) {
  std::map<std::string, std::string> found;
  for (const ValuePair& each : pairing.pairs) found[each.quantized] = each.reference;
  return found;
}

TEST(MatchStructure, TakesAClipOfCodesForTheClipOfTheReference) {
  SmallGraph reference;
  reference.input("x").weight("low", {}, {0}).weight("high", {}, {6});
  reference.node(Kind::sigmoid, {"x"}, "s")
      .node(Kind::clip, {"s", "low", "high"}, "r")
      .node(Kind::max_pool, {"r"}, "t")
      .output("t");
  SmallGraph quantized;
  quantized.input("0").weight("scale", {}, {0.05F});
  for (const auto& [name, code] : {std::pair("zero", 128), {"low", 128}, {"high", 248}})
    quantized.constant(name, Tensor::from<std::uint8_t>({}, {static_cast<std::uint8_t>(code)}));
  quantized.node(Kind::quantize, {"0", "scale", "zero"}, "1")
      .node(Kind::qsigmoid, {"1", "scale", "zero", "scale", "zero"}, "2")
      .node(Kind::clip, {"2", "low", "high"}, "3")
      .node(Kind::max_pool, {"3"}, "4");
  quantized.node(Kind::dequantize, {"4", "scale", "zero"}, "5").output("5");
  const Pairing pairing = pair(reference.model(), quantized.model());
  EXPECT_EQ(by_codes(pairing),
            (std::map<std::string, std::string>{{"1", "x"}, {"2", "s"}, {"3", "r"}, {"4", "t"}}));
  for (const ValuePair& each : pairing.pairs) {
    EXPECT_EQ(each.params, (QParams{0.05F, 128})) << each.quantized;
    EXPECT_TRUE(each.confirmed) << each.quantized;
  }
}

/// As exporters write quantization to 7 bits: the codes are clipped before they are read.
class SevenBits {
 public:
  SevenBits() {
    graph_.weight("scale", {}, {0.05F}).constant("zero", Tensor::from<std::uint8_t>({}, {64}));
    graph_.constant("most", Tensor::from<std::uint8_t>({}, {127}));
  }
  SevenBits& input(const std::string& name) {
    graph_.input(name);
    return quantize(name);
  }
  SevenBits& node(Kind kind, const std::string& from, const std::string& output) {
    graph_.node(kind, {from + "_dq"}, output);
    return quantize(output);
  }
  const Model& model(const std::string& output) { return graph_.output(output + "_dq").model(); }

 private:
  SevenBits& quantize(const std::string& name) {
    graph_.node(Kind::quantize, {name, "scale", "zero"}, name + "_q")
        .node(Kind::clip, {name + "_q", "", "most"}, name + "_c")
        .node(Kind::dequantize, {name + "_c", "scale", "zero"}, name + "_dq");
    return *this;
  }
  SmallGraph graph_;
};

TEST(MatchStructure, GoesOnBehindAClipThatOnlyLimitsTheCodes) {
  SmallGraph reference;
  reference.input("x")
      .node(Kind::relu, {"x"}, "a")
      .node(Kind::tanh, {"a"}, "b")
      .node(Kind::sigmoid, {"a"}, "c")
      .node(Kind::softmax, {"b"}, "y")
      .output("y");
  SevenBits quantized;
  quantized.input("0").node(Kind::relu, "0", "1").node(Kind::tanh, "1", "2");
  quantized.node(Kind::sigmoid, "1", "3").node(Kind::softmax, "2", "4");
  const Pairing pairing = pair(reference.model(), quantized.model("4"));
  const std::map<std::string, std::string> expected = {
      {"0_q", "x"}, {"0_c", "x"}, {"1_q", "a"}, {"1_c", "a"}, {"2_q", "b"},
      {"2_c", "b"}, {"3_q", "c"}, {"3_c", "c"}, {"4_q", "y"}, {"4_c", "y"}};
  EXPECT_EQ(by_codes(pairing), expected);
  for (const ValuePair& each : pairing.pairs) EXPECT_TRUE(each.confirmed) << each.quantized;
  EXPECT_TRUE(pairing.only_quantized.empty());
}

TEST(MatchStructure, GoesOnBehindAClipOfCodesThatOneOfSeveralReadersOnlyDoes) {
  SmallGraph reference;
  reference.input("x")
      .node(Kind::tanh, {"x"}, "a")
      .node(Kind::relu, {"a"}, "b")
      .node(Kind::sigmoid, {"a"}, "c")
      .node(Kind::add, {"b", "c"}, "y")
      .output("y");
  SevenBits quantized;
  quantized.input("0").node(Kind::tanh, "0", "1").node(Kind::sigmoid, "1", "2");
  const auto found = by_codes(pair(reference.model(), quantized.model("2")));
  EXPECT_EQ(found.at("1_c"), "a") << "the Sigmoid does not read what the Relu gives";
  EXPECT_EQ(found.at("2_q"), "c");
}

}  // namespace
}  // namespace quantlens
