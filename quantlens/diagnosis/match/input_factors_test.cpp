// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/input_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/diagnosis/error/float_ops.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens {
namespace {

using testing::FloatNear;
using testing::Pointwise;

constexpr std::size_t kSize = 4;
constexpr float kInputStep = 1.0F / 64;

Model as_file(const SmallGraph& net, const std::vector<std::string>& values,
              std::int64_t size = kSize) {
  Graph graph = net.model().graph;
  const std::vector<Dim> shape{{.extent = 1, .symbol = {}}, {.extent = size, .symbol = {}}};
  const std::map<Kind, std::string> types = {{Kind::relu, "Relu"},
                                             {Kind::mul, "Mul"},
                                             {Kind::div, "Div"},
                                             {Kind::matmul, "MatMul"},
                                             {Kind::quantize, "QuantizeLinear"},
                                             {Kind::dequantize, "DequantizeLinear"}};
  for (Node& node : graph.nodes) node.type = types.at(node.kind);
  graph.inputs[0].shape = graph.outputs[0].shape = shape;
  Model model = onnx::read("net.onnx", MappedFile::from_bytes(onnx::serialize(graph, {{"", 13}})));
  for (const std::string& value : values)
    model.graph.values[value] = {.name = value, .dtype = DType::float32, .shape = shape};
  return model;
}

/// x -> relu a -> matmul y; and as SmoothQuant writes it: a times factors, in codes, and a weight
/// in codes whose rows are divided by them.
struct Smooth {
  std::vector<float> weight = {16, -32, 48, 64, 8, 24, -40, 124, -64, 32, 16, 8, 8, -16, 24, -120};
  std::vector<float> factor{0.5F, 2, 1, 4};
  std::vector<float> stored_factor = factor;
  bool has_float_reader = false;

  Model reference() const {
    SmallGraph net;
    net.input("x").weight("w", {kSize, kSize}, weight);
    net.node(Kind::relu, {"x"}, "a").node(Kind::matmul, {"a", "w"}, "y").output("y");
    return as_file(net, {"a"});
  }

  Model quantized(std::vector<std::int8_t> codes = {}) const {
    SmallGraph net;
    // each row over its factor is a whole number of steps
    for (std::size_t i = codes.size(); i < weight.size(); ++i) {
      codes.push_back(static_cast<std::int8_t>(std::lround(weight[i] / factor[i / kSize] / 2)));
    }
    net.input("x").weight("f", {1, kSize}, stored_factor).weight("s", {}, {kInputStep});
    net.constant("z", Tensor::from<std::uint8_t>({}, {0}));
    net.constant("w_q", Tensor::from<std::int8_t>({kSize, kSize}, std::move(codes)));
    net.constant("wz", Tensor::from<std::int8_t>({}, {0})).weight("ws", {}, {2});
    net.node(Kind::relu, {"x"}, "a").node(Kind::mul, {"a", "f"}, "m");
    net.node(Kind::quantize, {"m", "s", "z"}, "m_q").node(Kind::dequantize, {"m_q", "s", "z"}, "d");
    net.node(Kind::dequantize, {"w_q", "ws", "wz"}, "w_d");
    net.node(Kind::matmul, {has_float_reader ? "m" : "d", "w_d"}, "y").output("y");
    return as_file(net, {"a", "m"});
  }

  Pairing pairing(const Model& after) const { return pair(reference(), after); }
};

const ValuePair* pair_of(const Pairing& pairing, const std::string& codes) {
  const auto found = std::ranges::find(pairing.pairs, codes, &ValuePair::quantized);
  return found == pairing.pairs.end() ? nullptr : &*found;
}

std::vector<float> answer_of(const Model& model) {
  Batch batch;
  batch.samples = {0};
  batch.inputs.emplace("x", Tensor::from<float>({1, kSize}, {0.25F, 0.5F, -1, 0.75F}));
  const Outputs outputs = oracle::open(model, nullptr, {}, {})->step(batch);
  const auto values = outputs.reference.at("y").data<float>();
  return {values.begin(), values.end()};
}

Model with_float(const Model& before, const Model& after, const std::string& op) {
  const auto patch = float_ops(OwnModels(before, after, pair(before, after)), {op_ref(op)});
  EXPECT_TRUE(patch);
  MemoryStore store;
  frontend::write_patched(after, patch.value_or(Patch{}), store, "patched.onnx");
  return onnx::read("patched.onnx", store.read("patched.onnx"));
}

TEST(InputFactors, CodesOfAProductAreCodesOfItsFactorInStepsOfEachChannel) {
  const Smooth net;
  const Pairing pairing = net.pairing(net.quantized());
  const ValuePair* codes = pair_of(pairing, "m_q");
  ASSERT_NE(codes, nullptr);
  EXPECT_EQ(codes->reference, "a");
  EXPECT_EQ(codes->input_factors, "f");
  EXPECT_EQ(codes->channel_params,
            (std::vector<QParams>{
                {2 * kInputStep, 0}, {kInputStep / 2, 0}, {kInputStep, 0}, {kInputStep / 4, 0}}));
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].input_factors, "f");
  EXPECT_TRUE(pairing.changes.empty());
}

TEST(InputFactors, AWeightThatDoesNotTakeThemBackIsAnotherOne) {
  Smooth net;
  std::vector<std::int8_t> codes;
  for (std::size_t i = 0; i < net.weight.size(); ++i) {
    const bool is_turned = i % kSize == 1;
    const float value = net.weight[i] / net.factor[i / kSize] / 2;
    codes.push_back(static_cast<std::int8_t>(std::lround(is_turned ? -value : value)));
  }
  const Pairing pairing = net.pairing(net.quantized(codes));
  ASSERT_EQ(pairing.changes.size(), 1U);
  EXPECT_EQ(pairing.changes[0].rule, ChangeRule::changed_weight);
}

TEST(InputFactors, DoNotExcuseOtherFactorsInTheWeight) {
  Smooth net;
  std::vector<std::int8_t> codes;
  for (std::size_t i = 0; i < net.weight.size(); ++i) {
    const float value = net.weight[i] / net.factor[i / kSize] / 2;
    codes.push_back(static_cast<std::int8_t>(std::lround(i / kSize == 1 ? 2 * value : value)));
  }
  const Pairing pairing = net.pairing(net.quantized(codes));
  ASSERT_EQ(pairing.changes.size(), 1U);
  EXPECT_EQ(pairing.changes[0].rule, ChangeRule::changed_weight);
}

/// x -> matmul b -> relu a -> matmul y, all values of `kWide`; and with factors in front of the
/// second product, whose weight is `damaged`.
struct TwoProducts {
  static constexpr std::size_t kWide = 16;
  std::vector<float> first = numbers(1), second = numbers(2), damaged = numbers(3);

  static std::vector<float> numbers(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> codes(-127, 127);
    std::vector<float> all(kWide * kWide);
    for (float& one : all) one = static_cast<float>(codes(random));
    return all;
  }

  static Tensor codes_of(const std::vector<float>& weight) {
    return Tensor::from<std::int8_t>({kWide, kWide}, {weight.begin(), weight.end()});
  }

  Model reference(bool divides = false) const {
    SmallGraph net;
    net.input("x").weight("v", {kWide, kWide}, first).weight("w", {kWide, kWide}, second);
    net.weight("g", {1, kWide}, std::vector<float>(kWide, 2));
    net.node(Kind::matmul, {"x", "v"}, "b").node(Kind::relu, {"b"}, "a");
    if (divides) net.node(Kind::div, {"a", "g"}, "c");
    net.node(Kind::matmul, {divides ? "c" : "a", "w"}, "y").output("y");
    return as_file(net, {"a"}, kWide);
  }

  Model quantized() const {
    SmallGraph net;
    net.input("x")
        .weight("f", {1, kWide}, std::vector<float>(kWide, 0.5F))
        .weight("s", {}, {kInputStep});
    net.constant("z", Tensor::from<std::uint8_t>({}, {0})).weight("ws", {}, {1});
    net.constant("v_q", codes_of(first)).constant("w_q", codes_of(damaged));
    net.node(Kind::dequantize, {"v_q", "ws"}, "v_d").node(Kind::matmul, {"x", "v_d"}, "p1");
    net.node(Kind::relu, {"p1"}, "p2").node(Kind::mul, {"p2", "f"}, "p3");
    net.node(Kind::quantize, {"p3", "s", "z"}, "p3_q");
    net.node(Kind::dequantize, {"p3_q", "s", "z"}, "p3_d");
    net.node(Kind::dequantize, {"w_q", "ws"}, "w_d").node(Kind::matmul, {"p3_d", "w_d"}, "p4");
    return as_file(net.output("p4"), {"p2", "p3"}, kWide);
  }
};

TEST(InputFactors, LeadToAWeightThatIsDamagedBeyondRecognition) {
  const TwoProducts net;
  const Pairing pairing = pair(net.reference(), net.quantized());
  ASSERT_EQ(pairing.weights.size(), 2U);
  EXPECT_EQ(pairing.weights[1].quantized, "w_q");
  EXPECT_EQ(pairing.weights[1].input_factors, "f");
  ASSERT_EQ(pairing.changes.size(), 1U);
  EXPECT_EQ(pairing.changes[0].rule, ChangeRule::changed_weight);
  const ValuePair* codes = pair_of(pairing, "p3_q");
  ASSERT_NE(codes, nullptr);
  EXPECT_EQ(codes->reference, "a");
}

TEST(InputFactors, LeadNowhereWhereTheReferenceReadsAnotherValue) {
  const TwoProducts net;
  const Pairing pairing = pair(net.reference(true), net.quantized());
  EXPECT_EQ(pair_of(pairing, "p3_q"), nullptr) << "a product in place of the quotient";
  EXPECT_EQ(pairing.weights.size(), 1U);
}

TEST(InputFactors, ThatCannotBeTakenBackOrReadAsFloatsAreNone) {
  Smooth net;
  for (const float bad : {0.0F, -1.0F, std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN(), 1e-42F}) {
    net.stored_factor[1] = bad;
    for (const ValuePair& one : net.pairing(net.quantized()).pairs)
      EXPECT_TRUE(one.input_factors.empty()) << bad;
  }
  net.stored_factor = net.factor;
  net.has_float_reader = true;
  for (const ValuePair& one : net.pairing(net.quantized()).pairs)
    EXPECT_TRUE(one.input_factors.empty());
}

TEST(InputFactors, OpsInFloatReadAndWriteValuesNotProducts) {
  const Smooth net;
  const Model before = net.reference(), after = net.quantized();
  const std::vector<float> right = answer_of(before);
  ASSERT_THAT(answer_of(after), Pointwise(FloatNear(1e-3F), right)) << "all of it is exact";
  EXPECT_THAT(answer_of(with_float(before, after, "node_y")), Pointwise(FloatNear(1e-3F), right));
  EXPECT_THAT(answer_of(with_float(before, after, "node_a")), Pointwise(FloatNear(1e-3F), right));
}

TEST(InputFactors, AWeightIsDividedAlongTheAxisThatIsSummedUp) {
  SmallGraph net;
  net.input("x").weight("w", {2, 3}, {1, 2, 3, 4, 5, 6}).node(Kind::matmul, {"x", "w"}, "y");
  const Model model = net.output("y").model();
  const Node& node = model.graph.nodes.front();
  const Tensor weight = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<float> factors{2, 4};
  const auto divided = with_input_factors(node, 1, weight, factors, true);
  ASSERT_TRUE(divided);
  EXPECT_THAT(divided->data<float>(), testing::ElementsAre(0.5F, 1, 1.5F, 1, 1.25F, 1.5F));
  const auto back = with_input_factors(node, 1, *divided, factors, false);
  EXPECT_THAT(back->data<float>(), testing::ElementsAreArray(weight.data<float>()));
  EXPECT_FALSE(with_input_factors(node, 1, weight, std::vector<float>{1, 2, 3}, true));
}

}  // namespace
}  // namespace quantlens
