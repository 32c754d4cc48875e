// SPDX-License-Identifier: Apache-2.0
// The predecessors' routes: what they answered once, and what they do no longer.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/predecessor/attribute.h"
#include "server/api/predecessor/drawn_graph.h"
#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kModel = "/models/net.onnx";

std::string asked_of(const std::string& id, const std::string& more = "") {
  return R"({"workload_id": ")" + id + "\"" + more + "}";
}

TEST(Predecessor, ListsWorkloadsInTheOrderOfTheirMaking) {
  ApiWorld world;
  EXPECT_EQ(text_of(world.get("/api/workloads")), R"({"workloads":[]})");
  const std::string id = world.add_run();
  world.workspace.create("profile", "second", {})->succeed();
  const json::Value list = world.json("/api/workloads").at("workloads");
  const json::Value& first = list.at(0);
  EXPECT_EQ(first.at("uuid"), json::Value(id));
  EXPECT_EQ(first.at("mode"), "quantization");
  EXPECT_EQ(first.at("model_path"), kModel);
  EXPECT_EQ(first.at("status"), "success");
  EXPECT_GT(first.at("creation_time").to_number<std::int64_t>(), 1'700'000'000);
  EXPECT_EQ(first.at("accuracy_data").at("ratio"), -0.5);
  EXPECT_EQ(list.at(1).at("mode"), "benchmark");
  EXPECT_TRUE(list.at(1).at("accuracy_data").at("baseline_accuracy").is_null());
  EXPECT_EQ(ApiWorld::parsed(world.post("/api/workloads", "{}")).at("workloads"), list);
}

TEST(Predecessor, TellsOpsOfADiagnosis) {
  ApiWorld world;
  const std::string id = world.add_run();
  const json::Value list = ApiWorld::parsed(world.post("/api/diagnosis/op_list", asked_of(id)));
  EXPECT_EQ(list.as_array().size(), 3U);
  EXPECT_EQ(list.at(0), json::parse(R"({"OP name": "/block.0/MatMul", "MSE": 0.3333333333333333,
                                        "Activation Min": -1.5, "Activation Max": 2.25})",
                                    "expected"));
  EXPECT_EQ(world.json("/api/diagnosis/op_list", {{"workload_id", id}}), list);
  const json::Value details = ApiWorld::parsed(
      world.post("/api/diagnosis/op_details", asked_of(id, R"(, "op_name": "/block.0/MatMul")")));
  EXPECT_EQ(details, json::parse(R"({"OP name": "/block.0/MatMul",
      "Pattern": {"sequence": ["MatMul"], "precision": "int8"},
      "Weights": {"dtype": "int8", "granularity": "per_channel"},
      "Activation": {"dtype": "uint8"}})",
                                 "expected"));
  EXPECT_EQ(text_of(world.post("/api/diagnosis/op_details", asked_of(id, R"(, "op_name": "x")"))),
            "{}");
}

TEST(Predecessor, SaysWhatIsWrongInTheSameWords) {
  ApiWorld world;
  const std::string id = world.add_run();
  world.workspace.create("evaluate", "net", {})->succeed();
  const std::string other(world.json("/api/v1/workloads", {{"verb", "evaluate"}})
                              .at("workloads")
                              .at(0)
                              .at("id")
                              .as_string());
  const auto expect = [&](const std::string& op, const std::string& body, unsigned status,
                          const std::string& sentence) {
    const Response response = world.post("/api/" + op, body);
    EXPECT_EQ(response.status, status) << op << body;
    EXPECT_EQ(text_of(response), sentence);
    EXPECT_EQ(response.type, kText);
  };
  expect("diagnosis/op_list", "{}", 400, "Could not find workload ID.");
  expect("diagnosis/op_list", asked_of("x"), 404, "Could not find workload with specified ID.");
  expect("diagnosis/op_list", asked_of("../.."), 404, "Could not find workload with specified ID.");
  expect("diagnosis/op_list", asked_of(other), 404,
         "Could not find tensor data for specified optimization.");
  expect("diagnosis/histogram", asked_of(id, R"(, "op_name": "x", "type": "weights")"), 404,
         "Could not get tensor information for x OP.");
  expect("diagnosis/histogram", asked_of(id, R"(, "op_name": "x", "type": "odd")"), 400,
         "Histogram type not supported. Use one of following: weights, activation");
  expect("model/summary", asked_of(id), 404, "Model summary not found.");
  expect("model/graph", "{}", 400, "Missing path parameter");
  expect("model/graph", R"({"path": "/etc/passwd"})", 404,
         "No workload has a graph of the model /etc/passwd.");
  expect("model/graph/highlight_pattern", R"({"path": "/models/net.onnx", "op_name": "y"})", 400,
         "Could not find y in graph.");
}

TEST(Predecessor, CountsInPlaceOfRawValues) {
  ApiWorld world;
  const std::string id = world.add_run();
  const json::Value list = ApiWorld::parsed(
      world.post("/api/diagnosis/histogram",
                 asked_of(id, R"(, "op_name": "/block.0/MatMul", "type": "activation")")));
  EXPECT_EQ(list.at(0).at("name"), "v0 activation histogram");
  const json::Value& whole = list.at(0).at("histograms").at(0);
  EXPECT_EQ(whole.at("data").as_array().size(), 256U);
  EXPECT_EQ(whole.at("bins").as_array().size(), whole.at("counts").as_array().size() + 1);
  EXPECT_EQ(list.at(0).at("histograms").at(1).at("channel"), 7);
  const json::Value weights = ApiWorld::parsed(
      world.post("/api/diagnosis/histogram",
                 asked_of(id, R"(, "op_name": "/block.0/MatMul", "type": "weights")")));
  EXPECT_EQ(weights.at(0).at("name"), "w0 weight histogram");
}

TEST(Predecessor, GivesProfilingDataAsStored) {
  ApiWorld world;
  const std::string id = world.add_run();
  for (const char* op : {"/api/profiling", "/api/profiling/result"})
    EXPECT_EQ(ApiWorld::parsed(world.post(op, asked_of(id))).at(0).at("node_name"), "n");
}

TEST(Predecessor, DrawsAModelThatAWorkloadNames) {
  ApiWorld world;
  world.add_run();
  const json::Value graph = ApiWorld::parsed(
      world.post("/api/model/graph", R"({"path": ")" + std::string(kModel) + "\"}"));
  EXPECT_EQ(graph.at("nodes").as_array().size(), 4U) << "no group has two nodes";
  const json::Value& input = graph.at("nodes").at(0);
  EXPECT_EQ(input.at("label"), "Input node");
  EXPECT_FALSE(input.as_object().contains("attributes"));
  EXPECT_EQ(graph.at("nodes").at(3).at("id"), json::Value(kHtml));
  EXPECT_EQ(graph.at("edges").at(0).at("source"), "x");
  EXPECT_EQ(world.json("/api/model/graph", {{"path", kModel}}), graph);
}

TEST(Predecessor, CollapsesGroupsOfALongGraphToo) {
  ApiWorld world;
  world.add_run(1500);
  const json::Value graph = world.json("/api/model/graph", {{"path", kModel}});
  EXPECT_EQ(graph.at("nodes").as_array().size(), 4U) << "x, two groups and the odd one";
  const json::Value open =
      world.json("/api/model/graph", {{"path", kModel}, {"group", "/block.0"}});
  EXPECT_GT(open.at("nodes").as_array().size(), 700U);
  const json::Value marked = ApiWorld::parsed(world.post(
      "/api/model/graph/highlight_pattern",
      R"({"path": ["/models/net.onnx"], "op_name": "/block.1/MatMul", "pattern": "MatMul"})"));
  EXPECT_EQ(marked.at("groups").at(0), "/block.1");
}

DrawnOp op(const std::string& id, const std::string& name, std::vector<std::string> inputs,
           const std::string& scope = "") {
  return {.op = scope.empty() ? id : scope + "/" + id,
          .name = name,
          .type = "T" + id,
          .scope = scope,
          .inputs = std::move(inputs),
          .outputs = {id},
          .attributes = {}};
}

std::vector<std::string> ids(const DrawnGraph& graph) {
  std::vector<std::string> found;
  for (const DrawnGraph::Node& node : graph.nodes) found.push_back(node.id);
  return found;
}

TEST(DrawnGraph, TellsNodesOfOneNameApart) {
  const DrawnGraph graph =
      drawn_graph({"x", "prob"}, {op("a", "n", {"x"}), op("b", "n", {"a"}), op("c", "", {"b"}),
                                  op("prob2", "prob", {"c"}), op("d", "n (a)", {})});
  EXPECT_THAT(ids(graph),
              ElementsAre("x", "prob (prob)", "n (a)", "n (b)", " (c)", "prob (prob2)", "n (a)'"));
  EXPECT_EQ(graph.edges.size(), 4U);
}

TEST(DrawnGraph, SeesIntoBodies) {
  using Edge = std::pair<std::size_t, std::size_t>;
  const DrawnGraph graph =
      drawn_graph({"x"}, {op("y", "if", {"x"}), op("z", "inner", {"x"}, "y"),
                          op("w", "last", {"z"}, "y"), op("z", "outer", {"y"})});
  // x to if; x to inner, if to inner; inner (not outer) to last, if to last; if to outer
  EXPECT_THAT(graph.edges,
              ElementsAre(Edge(0, 1), Edge(0, 2), Edge(1, 2), Edge(2, 3), Edge(1, 3), Edge(1, 4)));
}

TEST(GroupsOf, NamesThatBeginWithASlashLieInNoGroupWithoutAName) {
  EXPECT_THAT(groups_of("a/b/c"), ElementsAre("a", "a/b"));
  EXPECT_THAT(groups_of("/a/b"), ElementsAre("/a"));
  EXPECT_THAT(groups_of("//a"), ElementsAre());
  EXPECT_THAT(groups_of("a"), ElementsAre());
}

TEST(ShownGraph, ExpandsFromTheOutside) {
  const DrawnGraph graph = drawn_graph({}, {op("1", "a/b/x", {}), op("2", "a/b/y", {"1"}),
                                            op("3", "a/z", {"2"}), op("4", "o", {"3"})});
  const auto shown = [&](const std::set<std::string>& open) {
    std::vector<std::string> found;
    const boost::json::object made = shown_graph(graph, open, {});
    for (const json::Value& node : made.at("nodes").as_array())
      found.emplace_back(node.at("id").as_string());
    return found;
  };
  EXPECT_THAT(shown({}), ElementsAre("node_group_a", "o"));
  EXPECT_THAT(shown({"a"}), ElementsAre("node_group_a/b", "a/z", "o"));
  EXPECT_THAT(shown({"a/b"}), ElementsAre("node_group_a", "o"));
  EXPECT_THAT(shown({"a", "a/b"}), ElementsAre("a/b/x", "a/b/y", "a/z", "o"));
  EXPECT_EQ(shown_graph(graph, {}, {}).at("edges").as_array().size(), 1U);
  EXPECT_FALSE(shown_graph({}, {}, {}).contains("nodes"));
}

TEST(PatternFrom, FollowsTypes) {
  const DrawnGraph graph =
      drawn_graph({}, {op("1", "a", {}), op("2", "b", {"1"}), op("3", "c", {"2"})});
  EXPECT_THAT(pattern_from(graph, 0, {"T1", "T2", "T3"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(pattern_from(graph, 0, {"T1", "odd", "T3"}), ElementsAre(0));
  EXPECT_THAT(pattern_from(graph, 1, {}), ElementsAre(1));
}

TEST(AttributeOf, HasTheTypeOfTheFile) {
  const auto type = [](std::string_view name, std::string_view text) {
    return std::string(attribute_of(name, text).at("attribute_type").as_string());
  };
  EXPECT_EQ(type("axis", "1"), "int64");
  EXPECT_EQ(type("alpha", "1"), "float32");
  EXPECT_EQ(type("pads", "[0,-1]"), "int64");
  EXPECT_EQ(type("scales", "[1,2]"), "float32");
  EXPECT_EQ(type("other", "[1,0.5]"), "float32");
  EXPECT_EQ(type("mode", "linear"), "string");
  EXPECT_EQ(type("epsilon", "nan"), "string");
  EXPECT_EQ(type("long", "[1,2,...]"), "string");
  EXPECT_EQ(attribute_of("pads", "[0,-1]").at("value"), json::Value(boost::json::array{0, -1}));
}

// ---- what the original answered once, beside what we answer ----

/// Recorded answers, beside the project or where the environment says; empty where there are none.
fs::path recorded() {
  const char* named = std::getenv("QUANTLENS_ORIGINAL_GUI");
  const fs::path folder =
      named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/reference/original-gui";
  return fs::is_directory(folder) ? folder : fs::path();
}

json::Value recorded_answer(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(recorded() / name).rdbuf();
  return json::parse(text.str(), name);
}

/// Each field of theirs is one of ours, of the same type; of lists that of the first entries.
void expect_has(const json::Value& ours, const json::Value& theirs, const std::string& where) {
  if (theirs.is_null()) return;
  if (theirs.is_number()) {
    EXPECT_TRUE(ours.is_number()) << where;
    return;
  }
  ASSERT_EQ(ours.kind(), theirs.kind()) << where;
  if (const auto* object = theirs.if_object()) {
    for (const auto& member : *object) {
      const json::Value* own = ours.get_object().if_contains(member.key());
      ASSERT_NE(own, nullptr) << where << "." << member.key();
      expect_has(*own, member.value(), where + "." + std::string(member.key()));
    }
  } else if (const auto* list = theirs.if_array(); list != nullptr && !list->empty()) {
    ASSERT_FALSE(ours.get_array().empty()) << where;
    expect_has(ours.get_array().front(), list->front(), where + "[0]");
  }
}

TEST(Predecessor, AnswersHaveTheFieldsAndTypesOfRecordedOnes) {
  if (recorded().empty()) {
    GTEST_SKIP()
        << "the recorded answers are not there; set QUANTLENS_ORIGINAL_GUI to their folder";
  }
  ApiWorld world;
  const std::string id = world.add_run(1500);
  const auto ours = [&](const std::string& op, const std::string& more) {
    return ApiWorld::parsed(world.post("/api/" + op, asked_of(id, more)));
  };
  const std::string of_op = R"(, "op_name": "/block.0/MatMul")";
  expect_has(ours("workloads", ""), recorded_answer("workloads.json"), "workloads");
  expect_has(ours("diagnosis/op_list", ""), recorded_answer("op_list.json"), "op_list");
  expect_has(ours("diagnosis/op_details", of_op), recorded_answer("op_details.json"), "op_details");
  expect_has(ours("diagnosis/histogram", of_op + R"(, "type": "weights")"),
             recorded_answer("histogram_weights.json"), "histogram");
  expect_has(ours("diagnosis/histogram", of_op + R"(, "type": "activation")"),
             recorded_answer("histogram_activation_cut.json"), "histogram");
  const json::Value graph = ours("model/graph", R"(, "path": ["/models/net.onnx"])");
  const json::Value theirs = recorded_answer("graph.json");
  expect_has(graph, theirs, "graph");
  // Nodes of each kind: one with attributes, one of a group.
  const auto pick = [](const json::Value& of, std::string_view field) {
    for (const json::Value& node : of.at("nodes").as_array()) {
      if (node.as_object().contains(field)) return node;
    }
    return json::Value();
  };
  for (const char* field : {"attributes", "group"})
    expect_has(pick(graph, field), pick(theirs, field), field);
}

}  // namespace
}  // namespace quantlens::server
