// SPDX-License-Identifier: Apache-2.0
// Any bytes as a recipe: refused in a sentence, or read, stored and read again as it was; its
// patterns, whatever they are, find their ops in bounded time.
#include <cstdint>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static Graph names_of_a_model() {
  Graph graph;
  graph.nodes.resize(3);
  graph.nodes[0].name = "/encoder/layer.11/output/dense/MatMul";
  graph.nodes[0].type = "MatMul";
  graph.nodes[1].name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
  graph.nodes[1].type = "Conv";
  graph.nodes[2].type = "Add";  // nameless
  for (Node& node : graph.nodes) node.outputs = {node.type + "_out"};
  return graph;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Graph graph = names_of_a_model();
  try {
    const Recipe recipe = read_recipe({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    RecipeRules rules(recipe);
    for (const Node& node : graph.nodes) (void)rules.for_op(node);
    (void)rules.notes(graph);
    // JSON knows no invalid UTF-8, which becomes U+FFFD once and stays.
    const std::string stored = json::dump(json::encode(recipe));
    const auto again = json::decode<Recipe>(json::parse(stored, "recipe.json"), "recipe.json");
    if (json::dump(json::encode(again)) != stored) std::abort();
  } catch (const Error& error) {
    if (error.code() != Errc::usage && error.code() != Errc::bad_input) std::abort();
  }
  return 0;
}
