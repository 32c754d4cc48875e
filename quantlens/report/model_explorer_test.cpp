// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/model_explorer.h"

#include <limits>

#include <gtest/gtest.h>

#include "quantlens/base/json.h"

namespace quantlens {
namespace {

GraphOutline outlined_graph(std::vector<OpOutline> ops) {
  GraphOutline graph;
  graph.ops = std::move(ops);
  return graph;
}

OpOutline outlined_op(std::string name, std::string output, std::string scope = "") {
  OpOutline one;
  one.name = std::move(name);
  one.type = "Relu";
  one.scope = std::move(scope);
  one.outputs = {std::move(output)};
  return one;
}

TEST(ModelExplorer, NamesNodesAsItsAdapterDoes) {
  const GraphOutline graph = outlined_graph({outlined_op("a", "1"), outlined_op("a", "2"),
                                             outlined_op("Relu:3", "3"), outlined_op("Relu:4", "4"),
                                             outlined_op("a", "5", "2"), outlined_op("a", "6")});
  EXPECT_EQ(model_explorer_ids(graph),
            (std::vector<std::string>{"a", "a_1", "node", "node_1", "a", "a_2"}));
}

TEST(ModelExplorer, WritesFiniteFiguresOfNodesThatTheGraphHas) {
  NodeFigures low, equal, gone;
  low.output = "1";
  low.sqnr_db = 7.5;
  low.findings = {{Severity::warning, "clipped"}, {Severity::problem, "outlier"}};
  equal.output = "2";
  equal.sqnr_db = std::numeric_limits<double>::infinity();
  gone.output = "none";
  gone.sqnr_db = 1;
  const std::vector<NodeDataFile> files = model_explorer_files(
      outlined_graph({outlined_op("a", "1"), outlined_op("b", "2")}), {low, equal, gone});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "sqnr_db.json");
  const json::Value sqnr = json::parse(files[0].json, "test");
  EXPECT_EQ(sqnr.at("results").as_object().size(), 1U);
  EXPECT_EQ(sqnr.at("results").at("a").at("value").to_number<double>(), 7.5);
  const json::Value findings = json::parse(files[1].json, "test");
  EXPECT_EQ(findings.at("results").at("a").at("value").as_string(),
            "warning clipped, problem outlier");
  EXPECT_EQ(findings.at("results").at("a").at("bgColor").as_string(), "#d93025");
}

}  // namespace
}  // namespace quantlens
