// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/saved_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::graphdef {
namespace {

constexpr std::string_view kServed = "serve";
constexpr std::string_view kUsual = "serving_default";

struct MetaGraph {
  std::string_view graph;
  std::vector<std::string> tags;
  std::string_view ops;
  std::map<std::string_view, std::string_view> signatures;
};

void read_info(std::string_view message, MetaGraph& out) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(MetaInfoDef::tags)) out.tags.emplace_back(field.payload);
    if (field.key == bytes_key(MetaInfoDef::stripped_op_list)) out.ops = field.payload;
  }
}

MetaGraph read_meta_graph(std::string_view message) {
  MetaGraph out;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(MetaGraphDef::meta_info_def)) read_info(field.payload, out);
    if (field.key == bytes_key(MetaGraphDef::graph_def)) out.graph = field.payload;
    if (field.key == bytes_key(MetaGraphDef::signature_def))
      out.signatures.insert(read_entry(field.payload));
  }
  return out;
}

[[noreturn]] void refuse(const Source& source, std::string_view problem) {
  throw Error(Errc::unsupported, fmt::format("{}: {}", printable(source.path.string()), problem));
}

MetaGraph served_graph(const Source& source) {
  std::vector<MetaGraph> graphs;
  Fields fields(source.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(SavedModel::meta_graphs))
      graphs.push_back(read_meta_graph(field.payload));
  }
  if (graphs.empty()) unsound(source.path, "there is no graph in it");
  if (graphs.size() == 1) return std::move(graphs[0]);
  const auto is_served = [](const MetaGraph& graph) {
    return std::ranges::find(graph.tags, kServed) != graph.tags.end();
  };
  const auto found = std::ranges::find_if(graphs, is_served);
  if (found == graphs.end()) {
    refuse(source, fmt::format("holds {} graphs, and none is tagged '{}'; save it with that tag",
                               graphs.size(), kServed));
  }
  return std::move(*found);
}

/// "x" of "x:0".
std::string value_name(std::string_view text) {
  if (text.ends_with(":0")) text.remove_suffix(2);
  return std::string(text);
}

SavedEnd read_end(const Source& source, std::string_view key, std::string_view message) {
  SavedEnd end{.key = std::string(key), .value = {}, .shape = {}};
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(TensorInfo::name)) end.value = value_name(field.payload);
    if (field.key == varint_key(TensorInfo::dtype)) end.type = field.integer();
    if (field.key == bytes_key(TensorInfo::tensor_shape)) end.shape = field.payload;
  }
  if (end.value.empty()) {
    refuse(source, fmt::format("'{}' of its signature is no single tensor; quantlens feeds tensors "
                               "only",
                               printable(key)));
  }
  return end;
}

std::vector<SavedEnd> read_ends(const Source& source, std::string_view signature,
                                std::uint32_t which) {
  std::map<std::string_view, std::string_view> by_key;
  Fields fields(signature);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(which)) by_key.insert(read_entry(field.payload));
  }
  std::vector<SavedEnd> ends;
  ends.reserve(by_key.size());
  for (const auto& [key, message] : by_key) ends.push_back(read_end(source, key, message));
  return ends;
}

std::string_view signature_of(const Source& source, const MetaGraph& graph) {
  if (const auto usual = graph.signatures.find(kUsual); usual != graph.signatures.end())
    return usual->second;
  std::vector<std::string> names;
  std::string_view last;
  for (const auto& [name, signature] : graph.signatures) {
    if (name.starts_with("__saved_model")) continue;
    names.push_back(printable(name));
    last = signature;
  }
  if (names.size() == 1) return last;
  if (names.empty()) {
    refuse(source,
           "has no signature that says its inputs and outputs; save it with one "
           "(model.export of Keras does, tf.saved_model.save takes signatures=)");
  }
  refuse(source, fmt::format("has the signatures {}, and none is called {}; save it with one of "
                             "that name",
                             fmt::join(names, ", "), kUsual));
}

void read_functions_of(Source& source, std::string_view library, SavedParts& parts) {
  Fields fields(library);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(FunctionDefLibrary::function)) continue;
    parts.functions.emplace(add_function(source, field.payload), field.whole);
  }
}

void read_op_defs(std::string_view list, SavedParts& parts) {
  Fields fields(list);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(OpList::op)) continue;
    Fields one(field.payload);
    for (Field part; one.next(part);) {
      if (part.key == bytes_key(OpDef::name)) parts.op_defs.emplace(part.payload, field.payload);
    }
  }
}

/// How many results an argument of an op stands for.
std::optional<std::size_t> count_of(std::string_view argument, const NodeParts& node) {
  Fields fields(argument);
  for (Field field; fields.next(field);) {
    const bool is_number = field.key == bytes_key(ArgDef::number_attr);
    if (!is_number && field.key != bytes_key(ArgDef::type_list_attr)) continue;
    if (field.payload.empty()) continue;
    const auto value = node.values.find(field.payload);
    if (value == node.values.end()) return std::nullopt;
    if (is_number) return static_cast<std::size_t>(std::max<std::int64_t>(value->second.number, 0));
    std::vector<std::int64_t> types;
    Fields items(value->second.bytes);
    for (Field item; items.next(item);) {
      if (item.number() == ListValue::type) append_varints(item, types);
    }
    return types.size();
  }
  return 1;
}

}  // namespace

SavedParts read_saved_parts(Source& source) {
  MetaGraph graph = served_graph(source);
  SavedParts parts;
  parts.tags = std::move(graph.tags);
  Fields fields(graph.graph);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphDef::node)) parts.nodes.push_back(field.payload);
    if (field.key == bytes_key(GraphDef::library)) read_functions_of(source, field.payload, parts);
    if (field.key != bytes_key(GraphDef::versions)) continue;
    parts.versions = field.whole;
    source.producer = read_producer(field.payload);
  }
  if (parts.nodes.empty()) unsound(source.path, "it has no nodes");
  const std::string_view signature = signature_of(source, graph);
  parts.inputs = read_ends(source, signature, SignatureDef::inputs);
  parts.outputs = read_ends(source, signature, SignatureDef::outputs);
  if (parts.outputs.empty()) refuse(source, "its signature names no output; save it with one");
  read_op_defs(graph.ops, parts);
  return parts;
}

std::optional<std::size_t> first_result(const SavedParts& parts, const NodeParts& node,
                                        std::string_view name) {
  const auto op = parts.op_defs.find(node.type);
  if (op == parts.op_defs.end()) return std::nullopt;
  std::size_t first = 0;
  Fields fields(op->second);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(OpDef::output_arg)) continue;
    Fields argument(field.payload);
    for (Field part; argument.next(part);) {
      if (part.key == bytes_key(ArgDef::name) && part.payload == name) return first;
    }
    const auto count = count_of(field.payload, node);
    if (!count) return std::nullopt;
    first += *count;
  }
  return std::nullopt;
}

}  // namespace quantlens::graphdef
