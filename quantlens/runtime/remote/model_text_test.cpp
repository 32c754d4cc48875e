// SPDX-License-Identifier: Apache-2.0
// Models that another process sends: all of one comes through, and whatever is none is refused.
#include "quantlens/runtime/remote/model_text.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>

#include "quantlens/graph/outline.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/runtime/remote/plan_text.h"

namespace quantlens::remote {
namespace {

using testing::HasSubstr;

Payload payload(const Body& body) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(body.size());
  body.copy_to(*bytes);
  return {.bytes = *bytes, .owner = bytes};
}

Node node(const std::string& type, std::vector<std::string> inputs,
          std::vector<std::string> outputs) {
  Node made;
  made.type = type;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

Graph there_and_back(const Graph& graph) {
  Body body;
  const auto text = message_from<GraphsText>(text_of(text_from(graph, {}, body)));
  return graph_from(text, payload(body), {});
}

/// A sound graph of one node, to be spoilt.
GraphText sound() {
  GraphText graph;
  graph.inputs = {{.name = "x", .dtype = DType::float32, .shaped = false, .shape = {}}};
  graph.nodes = {{.fields = json::encode(node("Relu", {"x"}, {"y"})),
                  .kind = Kind::relu,
                  .roles = {},
                  .constant = {},
                  .attributes = {},
                  .bodies = {}}};
  return graph;
}

std::string refusal(const GraphsText& text) {
  const auto memory = std::make_shared<std::string>(64, '\x02');
  try {
    graph_from(text, {.bytes = std::as_bytes(std::span(*memory)), .owner = memory}, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return {};
}

std::string refusal(const std::function<void(GraphText&)>& spoil) {
  GraphText graph = sound();
  spoil(graph);
  return refusal(GraphsText{.graphs = {graph}});
}

TEST(ModelText, FieldsOfNodesTravel) {
  Graph graph;
  graph.inputs = {{.name = "x", .dtype = {}, .shape = std::vector<Dim>{{2, ""}, {{}, "N"}, {}}}};
  Node one = node("Odd", {"x", ""}, {"y", "z"});
  one.name = "n\xff";
  one.domain = "d";
  one.kind = Kind::control_flow;
  one.results = {{.dtype = DType::int8, .like = 0}, {.dtype = {}, .like = 1}};
  graph.nodes = {one};
  graph.opaque_weights = {"o"};
  const Graph read = there_and_back(graph);
  ASSERT_EQ(read.nodes.size(), 1U);
  EXPECT_EQ(read.nodes[0].name, one.name);
  EXPECT_EQ(read.nodes[0].domain, "d");
  EXPECT_EQ(read.nodes[0].kind, Kind::control_flow);
  EXPECT_EQ(read.nodes[0].inputs, one.inputs);
  EXPECT_EQ(read.nodes[0].outputs, one.outputs);
  ASSERT_EQ(read.nodes[0].results.size(), 2U);
  EXPECT_EQ(read.nodes[0].results[0].dtype, DType::int8);
  EXPECT_EQ(read.nodes[0].results[1].like, 1U);
  EXPECT_EQ(read.inputs.at(0).shape, graph.inputs[0].shape);
  EXPECT_FALSE(read.inputs.at(0).dtype);
  EXPECT_EQ(read.opaque_weights, graph.opaque_weights);
}

TEST(ModelText, NumbersOfAttributesTravelBitByBit) {
  for (const float value : {0.1F, -0.0F, std::numeric_limits<float>::infinity(), 1e-45F}) {
    Graph graph;
    graph.nodes = {node("Odd", {}, {"y"})};
    graph.nodes[0].attributes["a"] = value;
    graph.nodes[0].attributes["b"] = std::vector<float>{value, 1};
    graph.nodes[0].attributes["c"] = std::numeric_limits<std::int64_t>::min();
    const Graph read = there_and_back(graph);
    const Node& back = read.nodes.at(0);
    EXPECT_EQ(std::get<float>(back.attributes.at("a")), value);
    EXPECT_EQ(std::signbit(std::get<float>(back.attributes.at("a"))), std::signbit(value));
    EXPECT_EQ(std::get<std::vector<float>>(back.attributes.at("b"))[0], value);
    EXPECT_EQ(std::get<std::int64_t>(back.attributes.at("c")),
              std::numeric_limits<std::int64_t>::min());
  }
}

TEST(ModelText, RolesTravelWithTheirTensors) {
  const roles::Convolution convolution{
      .operands = {.data = 0, .weight = 3, .bias = 8}, .groups = 2, .window = {.pads = {1, 1}}};
  Graph graph;
  graph.nodes = {node("Odd", {}, {"y"}), node("Const", {}, {"c"}), node("Plain", {}, {"p"})};
  graph.nodes[0].kind = Kind::qconv;
  graph.nodes[0].roles = convolution;
  graph.nodes[1].roles = roles::ConstantValue{Tensor::scalar(2.5F)};
  const Graph read = there_and_back(graph);
  EXPECT_EQ(std::get<roles::Convolution>(read.nodes.at(0).roles), convolution);
  const Tensor& value = std::get<roles::ConstantValue>(read.nodes.at(1).roles).value;
  EXPECT_EQ(value.data<float>()[0], 2.5F);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read.nodes.at(2).roles));
}

TEST(ModelText, NumbersOfInputsTravelWhereTheyAreNotTheUsualOnes) {
  const roles::Slicing slicing{.operands = {.begins = 2, .ends = 1}};
  Graph graph;
  graph.nodes = {node("Cut", {}, {"y"}), node("Cut", {}, {"z"})};
  graph.nodes[0].kind = graph.nodes[1].kind = Kind::slice;
  graph.nodes[0].roles = slicing;
  graph.nodes[1].roles = roles::Slicing();
  const Graph read = there_and_back(graph);
  EXPECT_EQ(std::get<roles::Slicing>(read.nodes.at(0).roles), slicing);
  EXPECT_EQ(*role<roles::Slicing>(read.nodes.at(1)), roles::Slicing());
}

json::Value text_of(const RolesOutline& roles) {
  return json::encode(roles);
}

TEST(ModelText, NumbersOfInputsStandWhereTheyAreNotTheUsualOnes) {
  EXPECT_FALSE(text_of(roles::Padding()).as_object().contains("operands"));
  const roles::Padding turned{.operands = {.pads = 2, .filling = 1}};
  const json::Value text = text_of(turned);
  EXPECT_EQ(text.at("operands").at("pads"), 2);
  EXPECT_EQ(std::get<roles::Padding>(json::decode<RolesOutline>(text, "text")), turned);
  const json::Value earlier{{"is", "padding"}, {"is_constant", false}};
  EXPECT_EQ(std::get<roles::Padding>(json::decode<RolesOutline>(earlier, "text")),
            roles::Padding{.is_constant = false});
}

TEST(ModelText, RolesThatTheKindHasNotAreRefused) {
  const auto conv = [](json::Value roles) {
    return refusal([&](GraphText& graph) {
      graph.nodes[0].kind = Kind::conv;
      graph.nodes[0].roles = std::move(roles);
    });
  };
  EXPECT_EQ(conv(text_of(roles::Convolution())), "");
  EXPECT_EQ(conv(nullptr), "");
  EXPECT_THAT(conv(text_of(roles::Pool())), HasSubstr("'conv' has roles"));
  EXPECT_THAT(conv({{"is", "unheard_of"}}), HasSubstr("'conv' has roles"));
  EXPECT_THAT(conv({{"is", "convolution"}, {"groups", "two"}}), HasSubstr("groups"));
  EXPECT_THAT(refusal([](GraphText& graph) {
                graph.weights = {{.name = "w", .shape = {2}, .offset = 0, .bytes = 8}};
                graph.nodes[0].kind = Kind::conv;
                graph.nodes[0].constant = graph.weights[0];
              }),
              HasSubstr("'conv' has roles"));
}

TEST(ModelText, GraphsNestAsDeepAsFrontendsReadThem) {
  const auto nested = [](int depth) {
    auto graph = std::make_shared<Graph>();
    for (int i = 1; i < depth; ++i) {
      Node holder = node("If", {}, {"y" + std::to_string(i)});
      holder.subgraphs = {{"then_branch", graph}, {"else_branch", std::make_shared<Graph>()}};
      auto around = std::make_shared<Graph>();
      around->nodes = {holder};
      graph = around;
    }
    return *graph;
  };
  EXPECT_EQ(there_and_back(nested(32)).nodes.at(0).subgraphs.size(), 2U);
  EXPECT_THROW(there_and_back(nested(33)), Error);
}

TEST(ModelText, WhatIsNoGraphIsRefused) {
  EXPECT_EQ(refusal([](GraphText&) {}), "");
  EXPECT_THAT(refusal(GraphsText()), HasSubstr("no graph"));
  try {
    json::decode<NodeText>(boost::json::object{{"kind", "rule"}}, "node");
    ADD_FAILURE() << "it is no kind";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("node: kind"));
  }
  EXPECT_THAT(refusal([](GraphText& graph) { graph.nodes[0].fields = "Relu"; }),
              HasSubstr("expected an object"));
  EXPECT_THAT(
      refusal([](GraphText& graph) {
        graph.nodes[0].attributes = {{.name = "a", .type = AttributeType::real, .value = "1"}};
      }),
      HasSubstr("number"));
  EXPECT_THAT(refusal([](GraphText& graph) {
                graph.nodes[0].attributes = {{.name = "a", .type = {}, .value = 1},
                                             {.name = "a", .type = {}, .value = 1}};
              }),
              HasSubstr("'a' is there twice"));
  EXPECT_THAT(refusal([](GraphText& graph) { graph.inputs.push_back(graph.inputs[0]); }),
              HasSubstr("taken already"));
  EXPECT_THAT(refusal([](GraphText& graph) { graph.inputs.clear(); }),
              HasSubstr("which nothing makes"));
  EXPECT_THAT(refusal([](GraphText& graph) {
                graph.inputs[0].shape = {{-1, ""}};
              }),
              HasSubstr("below 0"));
  EXPECT_THAT(refusal([](GraphText& graph) {
                Node other = node("Relu", {"x"}, {"y"});
                other.results = {{.dtype = {}, .like = 1}};
                graph.nodes[0].fields = json::encode(other);
              }),
              HasSubstr("not of its outputs"));
}

TEST(ModelText, TensorsThatLieElsewhereAreRefused) {
  const TensorText large{.name = "w", .shape = {32}, .offset = 0, .bytes = 128};
  EXPECT_THAT(refusal([&](GraphText& graph) { graph.weights = {large}; }), HasSubstr("'w'"));
  const TensorText small{.name = "w", .shape = {2}, .offset = 0, .bytes = 8};
  EXPECT_EQ(refusal([&](GraphText& graph) { graph.weights = {small}; }), "");
  EXPECT_THAT(refusal([&](GraphText& graph) { graph.weights_in_file = {small}; }), HasSubstr("'w'"))
      << "there is no file";
  EXPECT_THAT(refusal([&](GraphText& graph) {
                graph.weights = {small, small};
              }),
              HasSubstr("twice"));
}

TEST(ModelText, BodiesAreUsedOnceAndComeBefore) {
  const auto graphs = [](std::vector<BodyText> bodies, std::size_t others) {
    GraphsText text{.graphs = std::vector<GraphText>(others)};
    text.graphs.push_back(sound());
    text.graphs.back().nodes[0].bodies = std::move(bodies);
    return text;
  };
  EXPECT_EQ(refusal(graphs({{"a", 0}}, 1)), "");
  EXPECT_THAT(refusal(graphs({{"a", 1}}, 1)), HasSubstr("'a' is none")) << "itself";
  EXPECT_THAT(refusal(graphs({{"a", 9}}, 1)), HasSubstr("'a' is none"));
  EXPECT_THAT(refusal(graphs({{"a", 0}, {"b", 0}}, 1)), HasSubstr("'b' is none"));
  EXPECT_THAT(refusal(graphs({{"a", 0}, {"a", 1}}, 2)), HasSubstr("twice"));
  EXPECT_THAT(refusal(graphs({}, 1)), HasSubstr("no node has"));
}

TEST(PlanText, AllOfAPlanTravels) {
  Plan plan;
  plan.quant_format = QuantFormat::qoperator;
  plan.ops = {{.op = {.id = "y", .name = "n\xff"}, .quantized = true, .form = OpForm::static_}};
  plan.folds = {{"a", "b"}};
  plan.weights = {{"w", Tensor::from<float>({2}, {1, 2})},
                  {"s", Tensor::from_strings({1}, {"text"})}};
  plan.scalings = {{"v", "w", {{"y", 1}}}};
  plan.value_edits = {{{"y", 2}, "other"}};
  plan.removed = {"gone"};
  Body body;
  const auto text = message_from<PlanText>(text_of(text_from(plan, body)));
  const Plan read = plan_from(text, payload(body));
  EXPECT_EQ(read.quant_format, plan.quant_format);
  EXPECT_EQ(read.ops, plan.ops);
  EXPECT_EQ(read.folds, plan.folds);
  EXPECT_EQ(read.weights.at("w").data<float>()[1], 2);
  EXPECT_EQ(read.weights.at("s").strings(), plan.weights.at("s").strings());
  EXPECT_EQ(read.scalings, plan.scalings);
  EXPECT_EQ(read.value_edits, plan.value_edits);
  EXPECT_EQ(read.removed, plan.removed);
}

}  // namespace
}  // namespace quantlens::remote
