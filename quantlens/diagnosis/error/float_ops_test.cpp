// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/float_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens {
namespace {

using testing::ElementsAreArray;

/// "the_a" makes a.
std::vector<OpRef> refs_of(const std::vector<std::string>& names) {
  std::vector<OpRef> ops;
  for (const std::string& name : names) ops.push_back({.id = name.substr(4), .name = name});
  return ops;
}

constexpr QParams kOfInput{0.5F, 0};
constexpr QParams kOfProduct{0.25F, 8};

class Net {
 public:
  Net() { graph_.inputs = {info("x")}, graph_.outputs = {info("y")}; }

  Net& node(const std::string& type, std::vector<std::string> inputs, const std::string& output,
            const std::string& domain = {}) {
    Node node;
    node.domain = domain;
    node.name = "the_" + output;
    node.type = type;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    graph_.nodes.push_back(std::move(node));
    return *this;
  }
  Net& split(const std::string& input, std::vector<std::string> outputs) {
    node("Split", {input}, outputs.front());
    graph_.nodes.back().outputs = std::move(outputs);
    graph_.nodes.back().attributes["axis"] = std::int64_t{1};
    return *this;
  }
  Net& weight(const std::string& name, Tensor tensor) {
    graph_.weights[name] = std::move(tensor);
    return *this;
  }
  Net& codes(const std::string& value, const QParams& params) {
    weight(value + "_s", Tensor::scalar(params.scale));
    weight(value + "_z", Tensor::scalar(static_cast<std::uint8_t>(params.zero_point)));
    node("QuantizeLinear", {value, value + "_s", value + "_z"}, value + "_q");
    return node("DequantizeLinear", {value + "_q", value + "_s", value + "_z"}, value + "_dq");
  }
  Model model() const {
    return onnx::read("net.onnx", MappedFile::from_bytes(
                                      onnx::serialize(graph_, {{"", 13}, {"com.microsoft", 1}})));
  }

 private:
  static ValueInfo info(const std::string& name) {
    return {.name = name,
            .dtype = DType::float32,
            .shape = std::vector<Dim>{{.extent = {}, .symbol = "N"}, {.extent = 4, .symbol = {}}}};
  }
  Graph graph_;
};

/// y = a + relu(a) with a = factor x.
Model reference() {
  Net net;
  net.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4})).node("Mul", {"x", "factor"}, "a");
  return net.node("Relu", {"a"}, "b").node("Add", {"a", "b"}, "y").model();
}

/// The same with x and a in codes, and another factor.
Model quantized() {
  Net net;
  net.codes("x", kOfInput).weight("factor", Tensor::from<float>({4}, {1, 2, -3, 4}));
  net.node("Mul", {"x_dq", "factor"}, "a").codes("a", kOfProduct);
  return net.node("Relu", {"a_dq"}, "b").node("Add", {"a_dq", "b"}, "y").model();
}

const std::vector<float> kInput = {0.3F, 1.1F, 0.7F, -0.9F};

std::vector<float> output_of(const Model& model) {
  Batch batch;
  batch.samples = {0};
  batch.inputs.emplace("x", Tensor::from<float>({1, 4}, kInput));
  const Outputs outputs = oracle::open(model, nullptr, {}, {})->step(batch);
  const auto values = outputs.reference.at("y").data<float>();
  return {values.begin(), values.end()};
}

/// The model with the patch, written and read again.
Model patched(const Model& model, const Patch& patch) {
  MemoryStore store;
  frontend::write_patched(model, patch, store, "patched.onnx");
  return onnx::read("patched.onnx", store.read("patched.onnx"));
}

/// The quantized model with these ops in float.
Model with(const std::vector<std::string>& ops) {
  const Model before = quantized();
  const auto patch =
      float_ops(OwnModels(reference(), before, pair(reference(), before)), refs_of(ops));
  EXPECT_TRUE(patch);
  return patched(before, patch.value_or(Patch{}));
}

TEST(FloatOps, ComputeAsTheReferenceDoesAndTheirResultsAreInCodesAsBefore) {
  std::vector<float> expected;
  for (std::size_t i = 0; i < kInput.size(); ++i) {
    const float product = kInput[i] * static_cast<float>(i + 1);
    const float a = dequantize(quantize(product, kOfProduct, DType::uint8), kOfProduct);
    expected.push_back(a + std::max(a, 0.0F));
  }
  EXPECT_NE(output_of(quantized()), expected);
  EXPECT_THAT(output_of(with({"the_a"})), ElementsAreArray(expected));
}

TEST(FloatOps, PassFloatsToEachOther) {
  EXPECT_THAT(output_of(with({"the_a", "the_y", "the_b"})),
              ElementsAreArray(output_of(reference())));
}

TEST(FloatOps, SayOfWhichOpsTheirNodesAreCopies) {
  const Model before = quantized();
  const OwnModels models(reference(), before, pair(reference(), before));
  const auto patch = float_ops(models, refs_of({"the_a"}));
  ASSERT_TRUE(patch);
  ASSERT_EQ(patch->copies.size(), 1U);
  EXPECT_EQ(patch->copies.begin()->second, "a");
  const std::vector<Node>& nodes = patch->nodes.at("a");
  EXPECT_EQ(patch->copies.begin()->first, nodes.front().name);
  EXPECT_EQ(patch->copied_from->graph.nodes.size(), 3U) << "the reference";
}

/// y = relu(b) with b = factor a and a = factor x, both of one name.
TEST(FloatOps, AreToldApartThoughTheyHaveOneName) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4})).node("Mul", {"x", "factor"}, "a");
    if (is_quantized) made.codes("a", kOfProduct);
    made.node("Mul", {is_quantized ? "a_dq" : "a", "factor"}, "b");
    if (is_quantized) made.codes("b", kOfProduct);
    Model model = made.node("Relu", {is_quantized ? "b_dq" : "b"}, "y").model();
    for (Node& node : model.graph.nodes) {
      if (op_id(node) == "a" || op_id(node) == "b") node.name = "twin";
    }
    return model;
  };
  const Model before = net(false), after = net(true);
  for (const std::string asked : {"a", "b"}) {
    const auto patch =
        float_ops(OwnModels(before, after, pair(before, after)), {{.id = asked, .name = "twin"}});
    ASSERT_TRUE(patch);
    EXPECT_EQ(patch->nodes.contains("a"), asked == "a");
    EXPECT_EQ(patch->nodes.contains("b"), asked == "b");
  }
}

/// y = exp(reshape(factor x)), and the same with codes in front of the reshape, and behind it.
TEST(FloatOps, PassFloatsThroughOpsThatOnlyMoveThem) {
  const auto net = [](bool is_quantized, bool behind) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
    made.weight("shape", Tensor::from<std::int64_t>({2}, {1, 4}));
    made.node("Mul", {"x", "factor"}, "a");
    if (is_quantized) made.codes("a", kOfProduct);
    made.node("Reshape", {is_quantized ? "a_dq" : "a", "shape"}, "r");
    if (behind) made.codes("r", kOfProduct);
    return made.node("Exp", {behind ? "r_dq" : "r"}, "y").model();
  };
  const Model before = net(false, false);
  for (const bool behind : {false, true}) {
    const Model after = net(true, behind);
    EXPECT_NE(output_of(after), output_of(before));
    // with its reader in float, too, which is behind what moves: nodes stand in order of flow
    for (const std::vector<std::string>& ops :
         {std::vector<std::string>{"the_a"}, {"the_a", "the_y"}}) {
      const auto patch = float_ops(OwnModels(before, after, pair(before, after)), refs_of(ops));
      ASSERT_TRUE(patch);
      EXPECT_THAT(output_of(patched(after, *patch)), ElementsAreArray(output_of(before)))
          << behind << ops.size();
    }
  }
}

/// y = exp(b - slice(a)) with a = factor x, codes in front of the slice and behind it, and none of
/// the difference: its result is no value that is compared.
TEST(FloatOps, LeaveNoCodesOfWhatIsPassedOnAndNoneToReadersWithoutAPair) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
    made.weight("from", Tensor::from<std::int64_t>({1}, {0}));
    made.weight("to", Tensor::from<std::int64_t>({1}, {4}));
    made.weight("axis", Tensor::from<std::int64_t>({1}, {1}));
    made.node("Mul", {"x", "factor"}, "a");
    if (is_quantized) made.codes("a", kOfProduct);
    made.node("Slice", {is_quantized ? "a_dq" : "a", "from", "to", "axis"}, "s");
    if (is_quantized) made.codes("s", kOfProduct);
    made.node("Sub", {is_quantized ? "s_dq" : "s", "factor"}, "d");
    return made.node("Exp", {"d"}, "y").model();
  };
  const Model before = net(false), after = net(true);
  Pairing pairing = pair(before, after);
  std::erase_if(pairing.pairs, [](const ValuePair& one) { return one.reference == "d"; });
  ASSERT_NE(output_of(after), output_of(before));
  const auto patch = float_ops(OwnModels(before, after, pairing), refs_of({"the_a", "the_d"}));
  ASSERT_TRUE(patch);
  EXPECT_THAT(output_of(patched(after, *patch)), ElementsAreArray(output_of(before)));
}

/// An op without a pair is known by its place, too: names may be gone.
TEST(FloatOps, PassFloatsToOpsWithoutAPairWhateverTheyAreCalled) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
    made.node("Mul", {"x", "factor"}, "a");
    if (is_quantized) made.codes("a", kOfProduct);
    const std::string a = is_quantized ? "a_dq" : "a";
    const std::string sum = is_quantized ? "renamed" : "s";
    made.node("Add", {a, "factor"}, sum).node("Mul", {a, sum}, "y");
    return made.model();
  };
  const Model before = net(false);
  Model after = net(true);
  for (Node& node : after.graph.nodes) node.name.clear();
  Pairing pairing = pair(before, after);
  std::erase_if(pairing.pairs, [](const ValuePair& one) { return one.reference != "a"; });
  const auto with_float = [&](const std::vector<std::string>& ops) {
    const auto patch = float_ops(OwnModels(before, after, pairing), refs_of(ops));
    return output_of(patched(after, patch.value()));
  };
  ASSERT_NE(output_of(after), output_of(before));
  EXPECT_THAT(with_float({"the_a", "the_s", "the_y"}), ElementsAreArray(output_of(before)));
  EXPECT_NE(with_float({"the_a", "the_y"}), output_of(before)) << "the sum is not asked for";
}

/// y = a exp(a), each reading a copy of a: with a and y in float nobody writes codes of a.
TEST(FloatOps, LeaveNoCodesWhoseReadersBehindCopiesAreAllInFloat) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4})).node("Mul", {"x", "factor"}, "a");
    if (is_quantized) made.codes("a", kOfProduct);
    const std::string a = is_quantized ? "a_dq" : "a";
    made.node("Identity", {a}, "i").node("Identity", {a}, "j").node("Exp", {"i"}, "e");
    return made.node("Mul", {"j", "e"}, "y").model();
  };
  const Model before = net(false), after = net(true);
  Pairing pairing = pair(before, after);
  std::erase_if(pairing.pairs, [](const ValuePair& one) { return one.reference != "a"; });
  ASSERT_NE(output_of(after), output_of(before));
  const auto patch = float_ops(OwnModels(before, after, pairing), refs_of({"the_a", "the_y"}));
  ASSERT_TRUE(patch);
  EXPECT_THAT(output_of(patched(after, *patch)), ElementsAreArray(output_of(before)));
}

/// y = tanh(k) tanh(b) of the halves k and b of exp(x), in codes: names that are not in order.
TEST(FloatOps, MakeAllResultsOfOneOp) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.node("Exp", {"x"}, "e");
    if (is_quantized) made.codes("e", kOfInput);
    made.split(is_quantized ? "e_dq" : "e", {"k", "b"});
    if (is_quantized) made.codes("k", kOfInput).codes("b", kOfInput);
    const std::string end = is_quantized ? "_dq" : "";
    made.node("Tanh", {"k" + end}, "t").node("Tanh", {"b" + end}, "u");
    return made.node("Mul", {"t", "u"}, "y").model();
  };
  const Model before = net(false), after = net(true);
  ASSERT_NE(output_of(after), output_of(before));
  const auto patch =
      float_ops(OwnModels(before, after, pair(before, after)), refs_of({"the_e", "the_k"}));
  ASSERT_TRUE(patch);
  EXPECT_THAT(output_of(patched(after, *patch)), ElementsAreArray(output_of(before)));
}

/// y = factor transpose(e) with e an exponential in float, or the input itself, in codes in front
/// of the transpose and behind it: with its reader in float nobody writes these codes.
TEST(FloatOps, ReadWhatIsMovedFromFloatsAsFloats) {
  for (const std::string from : {"x", "e", "scaled"}) {
    const auto net = [from](bool is_quantized) {
      Net made;
      made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
      made.weight("shape", Tensor::from<std::int64_t>({2}, {1, 4}));
      if (from != "x") made.node("Exp", {"x"}, "e");
      if (from == "scaled") made.node("Mul", {"e", "factor"}, "scaled");
      if (is_quantized) made.codes(from, kOfInput);
      made.node("Reshape", {is_quantized ? from + "_dq" : from, "shape"}, "r");
      if (is_quantized) made.codes("r", kOfInput);
      made.node("Mul", {is_quantized ? "r_dq" : "r", "factor"}, "m");
      if (is_quantized) made.codes("m", kOfProduct);
      return made.node("Sqrt", {is_quantized ? "m_dq" : "m"}, "y").model();
    };
    const Model before = net(false), after = net(true);
    const auto patch = float_ops(OwnModels(before, after, pair(before, after)), refs_of({"the_m"}));
    ASSERT_TRUE(patch);
    const std::vector<float> values = output_of(patched(after, *patch));
    const std::vector<float> expected = output_of(before);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!std::isnan(expected[i])) {
        EXPECT_FLOAT_EQ(values[i], expected[i]) << from << i;
      }
    }
  }
}

/// A Reshape that stands between codes for another op's sake gives codes to all who read it.
TEST(FloatOps, ReadCodesOfWhatIsMovedWhereAnotherOpReadsThem) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
    made.weight("shape", Tensor::from<std::int64_t>({2}, {1, 4}));
    if (is_quantized) made.codes("x", kOfInput);
    made.node("Reshape", {is_quantized ? "x_dq" : "x", "shape"}, "r");
    if (is_quantized) made.codes("r", kOfInput);
    made.node("Mul", {is_quantized ? "r_dq" : "r", "factor"}, "m");
    made.node("Mul", {is_quantized ? "r_dq" : "r", "factor"}, "other").node("Relu", {"other"}, "n");
    if (is_quantized) made.codes("m", kOfProduct).codes("n", kOfProduct);
    return made.node("Sub", {is_quantized ? "m_dq" : "m", is_quantized ? "n_dq" : "n"}, "y")
        .model();
  };
  const Model before = net(false), after = net(true);
  const auto with_float = [&](const std::vector<std::string>& ops) {
    const auto patch = float_ops(OwnModels(before, after, pair(before, after)), refs_of(ops));
    return output_of(patched(after, patch.value()));
  };
  EXPECT_THAT(with_float({"the_m"}), ElementsAreArray({0, 0, 0, 0})) << "both of codes";
  EXPECT_THAT(with_float({"the_m", "the_n"}), ElementsAreArray({0.0F, 0.0F, 0.0F, -3.6F}));
}

/// y = exp(reshape(a b)), and the same in integer operators but for the exponential.
TEST(FloatOps, PassFloatsBehindIntegerOperatorsToo) {
  const auto net = [](bool is_quantized) {
    Net made;
    made.weight("b", Tensor::from<float>({4}, {1, 2, 3, 4}));
    made.weight("shape", Tensor::from<std::int64_t>({2}, {1, 4}));
    if (!is_quantized) {
      return made.node("Mul", {"x", "b"}, "a").node("Reshape", {"a", "shape"}, "r");
    }
    made.codes("x", kOfInput).codes("b", {1.0F / 32, 0});
    made.weight("a_s", Tensor::scalar(kOfProduct.scale));
    made.weight("a_z", Tensor::scalar(static_cast<std::uint8_t>(kOfProduct.zero_point)));
    made.node("QLinearMul", {"x_q", "x_s", "x_z", "b_q", "b_s", "b_z", "a_s", "a_z"}, "a_q",
              "com.microsoft");
    made.node("Reshape", {"a_q", "shape"}, "r_q");
    return made.node("DequantizeLinear", {"r_q", "a_s", "a_z"}, "r");
  };
  const Model before = net(false).node("Exp", {"r"}, "y").model();
  const Model after = net(true).node("Exp", {"r"}, "y").model();
  const auto patch = float_ops(OwnModels(before, after, pair(before, after)), refs_of({"the_a"}));
  ASSERT_TRUE(patch);
  EXPECT_NE(output_of(after), output_of(before));
  EXPECT_THAT(output_of(patched(after, *patch)), ElementsAreArray(output_of(before)));
}

TEST(FloatOps, ReadWhatTheQuantizedModelHasErrorsOfOthersIncluded) {
  EXPECT_THAT(output_of(with({"the_y"})), ElementsAreArray(output_of(quantized())))
      << "the sum itself is exact; what it reads is not";
}

/// What the quantized model computes otherwise would be mended together with them.
TEST(FloatOps, AreNothingWhereTheyReadWhatIsMissingOrChanged) {
  const auto net = [](bool is_quantized, const char* first = "Exp") {
    Net made;
    made.weight("factor", Tensor::from<float>({4}, {1, 2, 3, 4}));
    if (is_quantized) made.codes("x", kOfInput);
    made.node(first, {is_quantized ? "x_dq" : "x"}, "e").node("Mul", {"e", "factor"}, "m");
    if (is_quantized) made.codes("m", kOfProduct);
    return made.node("Sqrt", {is_quantized ? "m_dq" : "m"}, "y").model();
  };
  const Model before = net(false), after = net(true);
  Pairing pairing = pair(before, after);
  EXPECT_TRUE(float_ops(OwnModels(before, after, pairing), refs_of({"the_m"})));
  Pairing missing = pairing;
  missing.only_reference = {"e"};
  EXPECT_FALSE(float_ops(OwnModels(before, after, missing), refs_of({"the_m"})));
  Pairing inside = pairing;
  inside.only_reference = {"m"};
  EXPECT_TRUE(float_ops(OwnModels(before, after, inside), refs_of({"the_m"})))
      << "it is one of them";
  missing.folded_ops = {"e"};
  EXPECT_TRUE(float_ops(OwnModels(before, after, missing), refs_of({"the_m"})))
      << "another op holds it";
  EXPECT_FALSE(float_ops(OwnModels(before, net(true, "Tanh"), pairing), refs_of({"the_m"})))
      << "it is no Exp there";
  pairing.changes.push_back({.rule = ChangeRule::changed_op,
                             .op = {.id = "e", .name = "the_e"},
                             .ops = refs_of({"the_e"})});
  EXPECT_FALSE(float_ops(OwnModels(before, after, pairing), refs_of({"the_m"})));
}

TEST(FloatOps, AreNothingWhereNoPairIsOfTheOp) {
  const Model before = quantized();
  EXPECT_FALSE(
      float_ops(OwnModels(reference(), before, pair(reference(), before)), refs_of({"the_other"})));
  EXPECT_FALSE(float_ops(OwnModels(reference(), before, {}), refs_of({"the_a"})));
}

TEST(FloatOps, AreNothingWhereOperatorsAreOfAnotherVersion) {
  Model before = quantized();
  before.opsets[""] = 17;
  EXPECT_FALSE(
      float_ops(OwnModels(reference(), before, pair(reference(), before)), refs_of({"the_a"})));
}

/// Another tool's file: x times a factor and a function of it, both by kernels on codes.
Model on_codes(const std::string& function) {
  Net net;
  net.codes("x", kOfInput);
  for (const char* name : {"f", "a", "y"}) {
    net.weight(std::string(name) + "_s", Tensor::scalar(0.25F));
    net.weight(std::string(name) + "_z", Tensor::scalar(std::uint8_t{8}));
  }
  net.weight("f_q", Tensor::from<std::uint8_t>({4}, {12, 16, 20, 24}));
  net.node("QLinearMul", {"x_q", "x_s", "x_z", "f_q", "f_s", "f_z", "a_s", "a_z"}, "a_q",
           "com.microsoft");
  net.node("QLinear" + function, {"a_q", "a_s", "a_z", "y_s", "y_z"}, "y_q", "com.microsoft");
  return net.node("DequantizeLinear", {"y_q", "y_s", "y_z"}, "y").model();
}

/// The codes of a mask do their harm in the softmax that reads them. The remedy leaves it in float.
TEST(FloatOps, TakeReadersOnCodesAlongThatTheQuantizerHasNoKernelFor) {
  for (const std::string function : {"Softmax", "Sigmoid"}) {
    Net net;
    net.weight("f", Tensor::from<float>({4}, {1, 2, 3, 4})).node("Mul", {"x", "f"}, "a");
    const Model before = net.node(function, {"a"}, "y").model(), after = on_codes(function);
    const auto patch = float_ops(OwnModels(before, after, pair(before, after)), refs_of({"the_a"}));
    ASSERT_TRUE(patch);
    EXPECT_TRUE(patch->nodes.contains("a_q"));
    EXPECT_EQ(patch->nodes.contains("y_q"), function == "Softmax");
  }
}

}  // namespace
}  // namespace quantlens
