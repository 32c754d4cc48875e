// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/model_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/predecessor/drawn_graph.h"
#include "server/api/predecessor/ids.h"
#include "server/shown.h"

namespace quantlens::server::predecessor {
namespace {

struct NodeProperties {
  std::string name, type;
};
BOOST_DESCRIBE_STRUCT(NodeProperties, (), (name, type))

struct NodeAttribute {
  std::string attribute_type, name;
  json::Value value;
};
BOOST_DESCRIBE_STRUCT(NodeAttribute, (), (attribute_type, name, value))

struct GraphEdge {
  std::string source, target;
};
BOOST_DESCRIBE_STRUCT(GraphEdge, (), (source, target))

struct ModelSummary {
  std::string summary;
};
BOOST_DESCRIBE_STRUCT(ModelSummary, (), (summary))

/// Where a stored graph of a model is.
fs::path stored_graph(Context& context, std::string_view path) {
  for (const Runs::One& run : context.runs.all()) {
    for (const ModelFile& model : run->summary.models) {
      if (model.path != path) continue;
      const bool is_quantized = model.role == ModelRole::quantized;
      fs::path file = run->folder / (is_quantized ? FileOf<QuantizedOutline>::kName
                                                  : FileOf<GraphOutline>::kName);
      std::error_code ignored;
      if (fs::exists(file, ignored) || fs::exists(packed(file), ignored)) return file;
    }
  }
  throw Error(Errc::not_found,
              fmt::format("No workload has a graph of the model {}.", shown(path)));
}

std::string texts_of(const boost::json::array& cells, std::size_t row) {
  const auto* text = row < cells.size() ? cells[row].if_string() : nullptr;
  return text != nullptr ? std::string(*text) : std::string();
}

/// Column by column: most of an op is not drawn.
std::vector<DrawnOp> stored_ops(const TableReader& table) {
  const auto column = [&](std::string_view name) { return table.column(name, 0, table.size()); };
  std::vector<DrawnOp> ops(table.size());
  const auto set_text = [&](std::string_view name, std::string DrawnOp::*field) {
    const boost::json::array cells = column(name);
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].*field = texts_of(cells, i);
  };
  const auto set = [&](std::string_view name, auto field) {
    using Field = std::remove_cvref_t<decltype(ops.front().*field)>;
    const boost::json::array cells = column(name);
    for (std::size_t i = 0; i < std::min(ops.size(), cells.size()); ++i)
      ops[i].*field = json::decode<Field>(cells[i], name);
  };
  set_text("op", &DrawnOp::op);
  set_text("name", &DrawnOp::name);
  set_text("type", &DrawnOp::type);
  set_text("scope", &DrawnOp::scope);
  set("inputs", &DrawnOp::inputs);
  set("outputs", &DrawnOp::outputs);
  return ops;
}

/// Attributes have a column each in a long list, where all ops have the same ones.
void set_attributes(const TableReader& table, std::vector<DrawnOp>& ops) {
  for (const std::string& name : table.columns()) {
    constexpr std::string_view kBefore = "attributes";
    if (name != kBefore && !name.starts_with(fmt::format("{}.", kBefore))) continue;
    const boost::json::array cells = table.column(kBefore, 0, table.size());
    for (std::size_t i = 0; i < std::min(ops.size(), cells.size()); ++i)
      ops[i].attributes = json::decode<std::map<std::string, std::string>>(cells[i], name);
    return;
  }
}

DrawnGraph graph_of(const Context& context, const fs::path& file) {
  const TableReader table = TableReader::open(context.store, context.indexes, file, "ops");
  std::vector<DrawnOp> ops;
  if (table.size() > 0) ops = stored_ops(table);
  set_attributes(table, ops);
  std::vector<std::string> inputs;
  const TableReader own = TableReader::open(context.store, context.indexes, file, "inputs");
  for (const json::Value& name : own.column("name", 0, own.size())) {
    if (const auto* text = name.if_string()) inputs.emplace_back(*text);
  }
  return drawn_graph(inputs, ops);
}

std::string state_of_graph(const fs::path& file) {
  return state_of(file) + state_of(TableReader::files(file, "ops"));
}

fs::path asked_graph(Context& context, const Call& call) {
  return stored_graph(context, call.arguments.needed("path", "Missing path parameter"));
}

std::set<std::string> texts(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

boost::json::object highlighted(const DrawnGraph& graph, const std::string& op,
                                const std::vector<std::string>& pattern) {
  const auto first = node_of(graph, op);
  if (!first) {
    throw Error(Errc::usage, fmt::format("Could not find {} in graph.", shown(op)));
  }
  const std::set<std::size_t> marked = pattern_from(graph, *first, pattern);
  std::set<std::string> groups;
  for (const std::size_t node : marked) {
    for (const std::string_view group : groups_of(graph.nodes[node].id)) groups.emplace(group);
  }
  boost::json::array shown(groups.begin(), groups.end());
  return {{"graph", shown_graph(graph, groups, marked)}, {"groups", std::move(shown)}};
}

}  // namespace

Answer model_graph(Context& context, const Call& call) {
  const fs::path file = asked_graph(context, call);
  const std::set<std::string> expanded = texts(call.arguments.all("group"));
  Answer answer;
  answer.state = state_of_graph(file);
  answer.make = [=, &context] {
    return compact(shown_graph(graph_of(context, file), expanded, {}));
  };
  return answer;
}

Answer highlight_pattern(Context& context, const Call& call) {
  const fs::path file = asked_graph(context, call);
  const std::string op(call.arguments.needed("op_name", "Missing op_name parameter"));
  const std::vector<std::string> pattern = call.arguments.all("pattern");
  Answer answer;
  answer.state = state_of_graph(file);
  answer.make = [=, &context] {
    return compact(highlighted(graph_of(context, file), op, pattern));
  };
  return answer;
}

Answer model_summary(Context& context, const Call& call) {
  run_of(context, call);
  throw Error(Errc::not_found, "Model summary not found.");
}

json::Value graph_schema(Schemas& schemas) {
  const json::Value text = schemas.of<std::string>();
  const boost::json::object node{
      {"type", "object"},
      {"properties",
       {{"id", text},
        {"label", text},
        {"group", text},
        {"highlight", schemas.of<bool>()},
        {"node_type", {{"type", "string"}, {"enum", {"node", "group_node"}}}},
        {"properties", schemas.of<NodeProperties>()},
        {"attributes", schemas.of<std::vector<NodeAttribute>>()}}},
      {"required", {"id", "label", "highlight", "node_type"}}};
  return boost::json::object{{"type", "object"},
                             {"properties",
                              {{"nodes", {{"type", "array"}, {"items", node}}},
                               {"edges", schemas.of<std::vector<GraphEdge>>()}}}};
}

json::Value highlighted_schema(Schemas& schemas) {
  return boost::json::object{
      {"type", "object"},
      {"properties",
       {{"graph", graph_schema(schemas)}, {"groups", schemas.of<std::vector<std::string>>()}}},
      {"required", {"graph", "groups"}}};
}

json::Value summary_schema(Schemas& schemas) {
  return schemas.of<ModelSummary>();
}

}  // namespace quantlens::server::predecessor
