// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"
#include "quantlens/graph/cut.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

const Scheme kUnsigned{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
const Scheme kSigned{.dtype = DType::int8, .symmetric = true, .axis = {}, .bits = 8};

OpPlan integer_op(const std::string& op, std::vector<std::string> members) {
  OpPlan plan;
  plan.op = {.id = op, .name = op};
  plan.members = std::move(members);
  plan.quantized = true;
  plan.precision = Precision::int8;
  plan.form = OpForm::static_;
  return plan;
}

ActivationPlan read_by(const std::string& value, const ValueUse& use) {
  return {.value = value, .scheme = kSigned, .params = {.scale = 0.5F}, .uses = {use}};
}

ActivationPlan made(const std::string& value, float scale) {
  return {.value = value,
          .scheme = kUnsigned,
          .params = {.scale = scale},
          .all_uses = true,
          .uses = {}};
}

/// What is in front of small_network's pool, folded into its convolution.
Plan folded() {
  Plan plan;
  plan.folds = {{.op = "biased", .into = "conv"}, {.op = "norm", .into = "conv"}};
  plan.weights["w"] = Tensor::from<float>({1, 1, 2, 3}, {1, -2, 4, 0.5F, 1, -1});
  plan.weights["b"] = Tensor::from<float>({3}, {1, 2, 3});
  plan.input_edits = {{.use = {"conv", 1}, .weight = "w", .original = "filter/read"},
                      {.use = {"conv", 2}, .weight = "b", .original = ""}};
  return plan;
}

/// And the same on codes.
Plan quantized() {
  Plan plan = folded();
  plan.ops = {integer_op("conv", {"conv", "biased", "norm", "relu"})};
  plan.activations = {read_by("image", {"conv", 0}), made("relu", 0.02F)};
  Scheme scheme = kSigned;
  scheme.axis = 3;
  plan.weights_quantized = {{.weight = "w",
                             .scheme = scheme,
                             .params = {{.scale = 0.5F}, {.scale = 1}, {.scale = 2}},
                             .uses = {{"conv", 1}}}};
  return plan;
}

std::string written(const Model& model, const Plan& plan,
                    const std::map<std::string, std::string>& metadata = {}) {
  MemoryStore store;
  EXPECT_THAT(frontend::apply(model, plan, metadata, store, "out.pb"), IsEmpty());
  return std::string(store.read("out.pb").text());
}

std::vector<std::string> inputs_of(const Graph& graph, const std::string& value) {
  return maker(graph, value).inputs;
}

/// As they stand in the file.
std::vector<std::string> stored_inputs(const Model& model, const std::string& node) {
  const GraphFile file(model);
  const NodeParts* parts = file.find(node);
  return parts == nullptr ? std::vector<std::string>()
                          : std::vector<std::string>(parts->inputs.begin(), parts->inputs.end());
}

std::vector<float> floats_of(const Graph& graph, const std::string& name) {
  const Tensor tensor = aligned(graph.weights.at(name));
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

std::string refusal_of(const Model& model, const Plan& plan, Errc code) {
  try {
    edited(model, plan, {});
  } catch (const Error& error) {
    return error.code() == code ? error.what() : std::string("of another kind: ") + error.what();
  }
  return {};
}

TEST(ApplyToGraphDef, PutsOneIntegerOpInThePlaceOfAConvolutionAndAllThatFollows) {
  const Model model = edited(small_network().read(), quantized(), {});
  const Graph& graph = model.graph;
  EXPECT_THAT(types_of(graph.nodes),
              UnorderedElementsAre("QuantizeV2", "_FusedQuantizedConv2D", "Dequantize", "MaxPool"));
  EXPECT_THAT(stored_inputs(model, "relu/int8"),
              ElementsAre("image/quantize", "w/int8", "conv/bias", "image/quantize:1",
                          "image/quantize:2", "w/min", "w/max", "relu/min", "relu/max"));
  EXPECT_THAT(stored_inputs(model, "relu"), ElementsAre("relu/int8", "relu/int8:1", "relu/int8:2"));
  EXPECT_THAT(inputs_of(graph, "pool"), ElementsAre("relu")) << "floats keep their name";
  EXPECT_THAT(names_of(graph.outputs), ElementsAre("pool"));
}

TEST(ApplyToGraphDef, WritesCodesOfWeightsAndWhatTheirGreatestStandsFor) {
  const Graph graph = edited(small_network().read(), quantized(), {}).graph;
  const Tensor codes = graph.weights.at("w/int8");
  EXPECT_EQ(codes.dtype(), DType::int8);
  EXPECT_THAT(codes.data<std::int8_t>(), ElementsAre(2, -2, 2, 1, 1, 0));
  EXPECT_THAT(floats_of(graph, "w/max"), ElementsAre(63.5F, 127, 254));
  EXPECT_THAT(floats_of(graph, "w/min"), ElementsAre(-63.5F, -127, -254));
  EXPECT_THAT(floats_of(graph, "conv/bias"), ElementsAre(1, 2, 3));
  EXPECT_THAT(floats_of(graph, "image/max"), ElementsAre(63.5F));
  EXPECT_THAT(floats_of(graph, "relu/min"), ElementsAre(0));
  EXPECT_THAT(floats_of(graph, "relu/max"), ElementsAre(255 * 0.02F));
  EXPECT_FALSE(graph.weights.contains("filter")) << "nobody reads it any more";
  EXPECT_FALSE(graph.weights.contains("variance"));
}

TEST(ApplyToGraphDef, SaysWhatTheKernelsAskFor) {
  const Node node = maker(edited(small_network().read(), quantized(), {}).graph, "relu/int8");
  const auto words = [&](const std::string& key) {
    return std::get<std::vector<std::string>>(node.attributes.at(key));
  };
  EXPECT_THAT(words("fused_ops"), ElementsAre("BiasAdd", "Relu", "Requantize"));
  EXPECT_THAT(words("Tdevice_inputs"), ElementsAre("qint8", "qint8", "float32"));
  EXPECT_EQ(words("Thost_inputs").size(), 6U);
  EXPECT_THAT(words("Tdevice_outputs"), ElementsAre("quint8"));
  EXPECT_EQ(attribute_string(node, "out_type", ""), "quint8");
  EXPECT_EQ(attribute_string(node, "Tsummand", ""), "quint8");
  EXPECT_EQ(attribute_string(node, "padding", ""), "SAME") << "as the convolution has it";
  EXPECT_THAT(attribute_ints(node, "strides"), ElementsAre(1, 2, 2, 1));
}

TEST(ApplyToGraphDef, WritesWhatIsReadAsOpsOnCodesWithTheirScales) {
  const Graph graph = edited(small_network().read(), quantized(), {}).graph;
  const Node& node = maker(graph, "relu/int8");
  EXPECT_EQ(node.kind, Kind::qconv);
  EXPECT_THAT(node.inputs,
              ElementsAre("image/quantize", "image/quantize[scale]", "image/quantize[zero point]",
                          "w/int8", "relu/int8[weight][scale]", "relu/int8[weight][zero point]",
                          "relu/int8[scale]", "relu/int8[zero point]", "conv/bias"));
  EXPECT_EQ(bias_of(node), "conv/bias");
  EXPECT_EQ(weight_axes(node, 4)->output, 3U);
  EXPECT_THAT(node.outputs, ElementsAre("relu/int8", "", "")) << "nobody reads the range";
  EXPECT_THAT(floats_of(graph, "relu/int8[weight][scale]"), ElementsAre(0.5F, 1, 2));
  EXPECT_THAT(floats_of(graph, "relu/int8[scale]"), ElementsAre(0.02F));
  EXPECT_EQ(graph.weights.at("relu/int8[zero point]").dtype(), DType::uint8);
  EXPECT_EQ(maker(graph, "image/quantize").kind, Kind::quantize);
  EXPECT_EQ(maker(graph, "relu").kind, Kind::dequantize);
  EXPECT_EQ(scale_of(maker(graph, "relu")), "relu/int8[scale]");
  EXPECT_TRUE(uses_codes(graph));
}

TEST(ApplyToGraphDef, MovesCodesByOpsThatMoveFloats) {
  GraphBytes bytes = small_network();
  bytes.constant("shape", integers({2}, {-1, 3}))
      .node("flat", "Reshape", {"pool", "shape"}, {{"T", type(kFloat)}, {"Tshape", type(kInt32)}});
  Plan plan = quantized();
  plan.ops.push_back(integer_op("pool", {"pool"}));
  plan.ops.push_back(integer_op("flat", {"flat"}));
  plan.activations.push_back(made("pool", 0.02F));
  plan.activations.push_back(made("flat", 0.02F));
  const Model model = edited(bytes.read(), plan, {});
  EXPECT_THAT(types_of(model.graph.nodes),
              UnorderedElementsAre("QuantizeV2", "_FusedQuantizedConv2D", "QuantizedMaxPool",
                                   "Reshape", "Dequantize"));
  EXPECT_THAT(stored_inputs(model, "flat/int8"), ElementsAre("pool/int8", "shape"));
  EXPECT_THAT(stored_inputs(model, "flat"), ElementsAre("flat/int8", "pool/int8:1", "pool/int8:2"))
      << "where its range is";
  EXPECT_EQ(maker(model.graph, "pool/int8").kind, Kind::max_pool);
  EXPECT_THAT(inputs_of(model.graph, "pool/int8"), ElementsAre("relu/int8"));
  EXPECT_EQ(scale_of(maker(model.graph, "flat")), "relu/int8[scale]") << "codes mean the same";
  EXPECT_EQ(maker(model.graph, "flat").kind, Kind::dequantize);
}

TEST(ApplyToGraphDef, RefusesMovedCodesThatMeanSomethingElse) {
  Plan plan = quantized();
  plan.ops.push_back(integer_op("pool", {"pool"}));
  plan.activations.push_back(made("pool", 0.01F));
  EXPECT_THAT(refusal_of(small_network().read(), plan, Errc::bad_input),
              HasSubstr("'pool' moves codes, and its result has others"));
}

TEST(ApplyToGraphDef, NamesNoFloatsThatNobodyReads) {
  GraphBytes bytes = small_network();
  const Attributes convolution{
      {"strides", numbers({1, 1, 1, 1})}, {"padding", text("VALID")}, {"T", type(kFloat)}};
  bytes.constant("filter2", floats({1, 1, 3, 1}, {1, 1, 1}))
      .node("second", "Conv2D", {"pool", "filter2"}, convolution);
  Plan plan = quantized();
  plan.ops.push_back(integer_op("second", {"second"}));
  plan.activations.push_back(read_by("pool", {"second", 0}));
  plan.activations.push_back(made("second", 1));
  plan.weights_quantized.push_back({.weight = "filter2",
                                    .scheme = kSigned,
                                    .params = {{.scale = 0.5F}},
                                    .uses = {{"second", 1}}});
  const Graph graph = edited(bytes.read(), plan, {}).graph;
  EXPECT_THAT(inputs_of(graph, "second/int8").front(), "pool/quantize");
  EXPECT_THAT(floats_of(graph, "second/bias"), ElementsAre(0)) << "it has none";
  EXPECT_TRUE(graph.weights.at("filter2/max").shape().empty()) << "one scale";
}

TEST(ApplyToGraphDef, LeavesEachUntouchedByteInItsPlace) {
  const std::string odd = node_bytes("odd", "OwnOp", {"pool"}, {{"x", number(3)}}) + "\x7a\x03odd";
  std::string bytes = small_network().bytes();
  protozero::pbf_writer(bytes).add_bytes(GraphDef::node, odd);
  bytes += "\x7a\x04more";  // a field that nobody knows
  const std::string out = written(model_of(bytes), quantized());
  EXPECT_THAT(out, HasSubstr(odd));
  EXPECT_THAT(out, HasSubstr("\x7a\x04more"));
  const std::size_t pool = bytes.find("pool");
  EXPECT_THAT(out, HasSubstr(bytes.substr(pool, bytes.find("odd") - pool)));
}

TEST(ApplyToGraphDef, AddsABiasBehindAConvolutionThatStaysFloat) {
  const Graph graph = edited(small_network().read(), folded(), {}).graph;
  EXPECT_THAT(types_of(graph.nodes), UnorderedElementsAre("Conv2D", "BiasAdd", "Relu6", "MaxPool"));
  EXPECT_THAT(inputs_of(graph, "norm"), ElementsAre("norm/without_bias", "b"));
  EXPECT_THAT(inputs_of(graph, "norm/without_bias"), ElementsAre("image", "w"));
  EXPECT_THAT(inputs_of(graph, "relu"), ElementsAre("norm"));
}

TEST(ApplyToGraphDef, MultipliesValuesForSomeOfTheirReaders) {
  Plan plan;
  plan.weights["f"] = Tensor::from<float>({3}, {1, 2, 3});
  plan.scalings = {{.value = "relu", .factor = "f", .uses = {{"pool", 0}}}};
  const Graph graph = edited(small_network().read(), plan, {}).graph;
  EXPECT_THAT(inputs_of(graph, "pool"), ElementsAre("relu/scaled"));
  EXPECT_THAT(inputs_of(graph, "relu/scaled"), ElementsAre("relu", "f"));
}

TEST(ApplyToGraphDef, LetsWhatWaitedForAnOpWaitForWhatStandsInItsPlace) {
  GraphBytes bytes = small_network();
  bytes.node("first", "NoOp").node("last", "NoOp", {"^biased", "^filter", "^pool"});
  const std::string out = written(bytes.read(), quantized());
  EXPECT_THAT(out, HasSubstr("^relu/int8"));
  EXPECT_THAT(out, Not(HasSubstr("^biased")));
  EXPECT_THAT(out, HasSubstr("^filter")) << "which is still waited for, and stays";
}

TEST(ApplyToGraphDef, KeepsPropertiesInANodeOfTheirOwn) {
  const Model once = edited(small_network().read(), quantized(), {{"tool", "quantlens"}});
  EXPECT_EQ(once.metadata.at("tool"), "quantlens");
  EXPECT_THAT(once.metadata.at("quantlens.names"), HasSubstr("\"relu\":\"relu/int8\""));
  const Model twice = edited(once, {}, {{"tool", "another"}, {"more", "x"}});
  EXPECT_EQ(twice.metadata.at("tool"), "another");
  EXPECT_EQ(twice.metadata.at("more"), "x");
  EXPECT_EQ(once.graph.nodes.size(), twice.graph.nodes.size());
}

TEST(ApplyToGraphDef, RefusesWhatTensorFlowHasNoOpsFor) {
  const Model model = small_network().read();
  Plan plan = quantized();
  plan.activations[0].params.zero_point = 3;
  EXPECT_THAT(refusal_of(model, plan, Errc::unsupported),
              HasSubstr("without a zero point, and those of 'image' are not"));
  plan = quantized();
  plan.ops[0].form = OpForm::dynamic;
  EXPECT_THAT(refusal_of(model, plan, Errc::unsupported), HasSubstr("choose the approach static"));
  plan = quantized();
  plan.ops.push_back(integer_op("relu", {"relu"}));
  EXPECT_THAT(refusal_of(model, plan, Errc::unsupported),
              HasSubstr("no int8 op of TensorFlow stands for Relu6 'relu'"));
}

/// Two convolutions with a concatenation behind, and a plan that computes all of it on codes.
GraphBytes joining_network() {
  Attributes conv = kOfFloats;
  conv["strides"] = numbers({1, 1, 1, 1});
  conv["padding"] = text("SAME");
  Attributes join = kOfFloats;
  join["N"] = number(2);
  join["Tidx"] = type(kInt32);
  GraphBytes bytes;
  bytes.input("x", {1, 2, 2, 1})
      .constant("w", floats({1, 1, 1, 2}, {1, -2}))
      .constant("axis", integers({}, {3}))
      .node("a", "Conv2D", {"x", "w"}, conv)
      .node("b", "Conv2D", {"x", "w"}, conv)
      .node("both", "ConcatV2", {"a", "b", "axis"}, join);
  return bytes;
}

Plan joined() {
  Plan plan;
  plan.ops = {integer_op("a", {"a"}), integer_op("b", {"b"}), integer_op("both", {"both"})};
  plan.activations = {read_by("x", {"a", 0}), made("a", 0.02F), made("b", 0.02F),
                      made("both", 0.02F)};
  plan.activations[0].uses.push_back({"b", 0});
  plan.weights_quantized = {{.weight = "w",
                             .scheme = kSigned,
                             .params = {{.scale = 0.5F}},
                             .uses = {{"a", 1}, {"b", 1}}}};
  return plan;
}

TEST(ApplyToGraphDef, PutsCodesOfOneScaleTogetherAsTheyAre) {
  const Model model = joining_network().read();
  const Model made = edited(model, joined(), {});
  EXPECT_THAT(stored_inputs(made, "both/int8"), ElementsAre("a/int8", "b/int8", "axis"));
  const Node& node = maker(made.graph, "both/int8");
  EXPECT_EQ(node.type, "ConcatV2");
  EXPECT_EQ(node.kind, Kind::qconcat);
  EXPECT_EQ(axis_of(node), 3);
  ASSERT_EQ(node.inputs.size(), 8U);
  EXPECT_EQ(node.inputs[2], "a/int8");
  EXPECT_EQ(node.inputs[5], "b/int8");
  EXPECT_THAT(floats_of(made.graph, node.inputs[6]), ElementsAre(FloatEq(0.02F)));
  EXPECT_EQ(maker(made.graph, "both").kind, Kind::dequantize);

  Plan plan = joined();
  plan.activations[2].params.scale = 0.03F;
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input),
              HasSubstr("'both' moves codes, and its result has others than what it reads"));
}

TEST(ApplyToGraphDef, RefusesAPlanForAnotherModel) {
  const Model model = small_network().read();
  Plan plan = quantized();
  plan.activations[0].value = "nothing";
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input), HasSubstr("no value 'nothing'"));
  plan = quantized();
  plan.activations.erase(plan.activations.begin());
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input),
              HasSubstr("'conv' reads 'image', which is not to be codes"));
  plan = quantized();
  plan.activations.pop_back();
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input), HasSubstr("has none to give"));
  plan = quantized();
  plan.activations[1].params.scale = 0.05F;
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input), HasSubstr("beyond the bounds"));
  plan = quantized();
  plan.weights_quantized[0].params.pop_back();
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input), HasSubstr("3 channels, and 2 scales"));
  plan = quantized();
  plan.weights_quantized.clear();
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input), HasSubstr("has no weight of codes"));
  plan = {};
  plan.removed = {"conv"};
  EXPECT_THAT(refusal_of(model, plan, Errc::bad_input),
              HasSubstr("the value 'conv' disappears, and is read"));
}

/// What lies between the ends, quantized, in a file that is written whole.
TEST(ApplyToGraphDef, KeepsWhatIsAroundTheEnds) {
  GraphBytes bytes = small_network();
  bytes.node("after", "Neg", {"relu"}, kOfFloats);
  Model model = bytes.read();
  model.graph = cut(model.graph, {.inputs = {"image"}, .outputs = {"relu"}});
  const Graph graph = model_of(written(model, quantized())).graph;
  EXPECT_EQ(maker(graph, "after").inputs, std::vector<std::string>{"relu"});
  EXPECT_EQ(maker(graph, "relu").type, "Dequantize");
  EXPECT_EQ(maker(graph, "relu/int8").type, "_FusedQuantizedConv2D");
}

TEST(ApplyToGraphDef, RefusesReadersOutsideTheEnds) {
  GraphBytes bytes = small_network();
  bytes.node("after", "Neg", {"biased"}, kOfFloats);
  Model model = bytes.read();
  model.graph = cut(model.graph, {.inputs = {}, .outputs = {"relu"}});
  EXPECT_THAT(refusal_of(model, quantized(), Errc::unsupported),
              HasSubstr("'after', which lies outside of --inputs and --outputs, reads 'biased'"));
}

/// Calls `use` with each model that can be read where one bit of the bytes is another.
void with_flipped_bits(std::string bytes, const std::function<void(const Model&)>& use) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(static_cast<unsigned char>(before) ^ (1U << bit));
      try {
        use(model_of(bytes));
      } catch (const Error&) {  // nothing else comes out
      }
      bytes[i] = before;
    }
  }
}

TEST(ApplyToGraphDef, ThrowsNothingButErrorsWhateverTheFileSays) {
  const Plan plan = quantized();
  std::size_t applied = 0;
  with_flipped_bits(small_network().bytes(), [&](const Model& model) {
    edited(model, plan, {});
    ++applied;
  });
  EXPECT_GT(applied, 0U);
  std::size_t read = 0;
  with_flipped_bits(written(small_network().read(), plan), [&](const Model&) { ++read; });
  EXPECT_GT(read, 0U);
}

TEST(ApplyToGraphDef, RefusesToChangeWhatLiesInAFunction) {
  GraphBytes bytes;
  bytes.input("x", {2, 2})
      .define({.name = "f",
               .inputs = {"a"},
               .outputs = {"r"},
               .nodes = {node_bytes("neg", "Neg", {"a"}, kOfFloats)},
               .returned = {{"r", "neg:y:0"}}})
      .node("call", "f", {"x"});
  Plan plan;
  plan.value_edits = {{.use = {"call/neg", 0}, .value = "x"}};
  EXPECT_THAT(refusal_of(bytes.read(), plan, Errc::unsupported),
              HasSubstr("'call/neg' lies in a function of the graph"));
}

}  // namespace
}  // namespace quantlens::graphdef
