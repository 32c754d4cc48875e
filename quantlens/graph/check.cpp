// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/check.h"

#include <string>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// The names that a node of a graph may read at one moment, those of the graphs around it included.
struct Scope {
  const Scope* around = nullptr;
  std::unordered_set<std::string_view> made;
  bool sees(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around) {
      if (scope->made.contains(name)) return true;
    }
    return false;
  }
};

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(Errc::bad_input, sentence);
}

void make(Scope& scope, const std::string& name, std::string_view what) {
  if (!scope.made.insert(name).second) {
    fail(fmt::format("{} '{}' has a name that is taken already", what, printable(name)));
  }
}

void check_within(const Graph& graph, const Scope* around) {
  Scope scope{around, {}};
  for (const ValueInfo& input : graph.inputs) make(scope, input.name, "input");
  for (const auto& [name, weight] : graph.weights) make(scope, name, "weight");
  for (const std::string& name : graph.opaque_weights) make(scope, name, "weight");
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) {
      if (name.empty() || scope.sees(name)) continue;
      fail(fmt::format("node '{}' reads '{}', which nothing makes", printable(op_name(node)),
                       printable(name)));
    }
    for (const auto& [key, body] : node.subgraphs) check_within(*body, &scope);
    for (const std::string& name : node.outputs) {
      if (!name.empty()) make(scope, name, "output");
    }
  }
  for (const ValueInfo& output : graph.outputs) {
    if (!scope.sees(output.name)) {
      fail(fmt::format("nothing makes the output '{}'", printable(output.name)));
    }
  }
}

}  // namespace

void check_names(const Graph& graph) {
  check_within(graph, nullptr);
}

}  // namespace quantlens
