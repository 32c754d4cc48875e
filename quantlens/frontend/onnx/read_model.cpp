// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/onnx/wire.h"
#include "quantlens/graph/check.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kMostVersion =
    1000;  // of the format or an operator set; larger ones are garbage

void add_opset(const Source& source, Model& model, std::string_view message) {
  const Opset opset = read_opset(message);
  if (opset.version < 1 || opset.version > kMostVersion) {
    unsound(source.path, fmt::format("version {} of operator set '{}' is impossible", opset.version,
                                     printable(opset.domain)));
  }
  const auto [at, added] = model.opsets.emplace(opset.domain, opset.version);
  if (!added && at->second != opset.version) {
    unsound(source.path,
            fmt::format("it imports two versions of operator set '{}'", printable(opset.domain)));
  }
}

bool uses_default_domain(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return node.domain.empty() || std::ranges::any_of(node.subgraphs, [](const auto& body) {
             return uses_default_domain(*body.second);
           });
  });
}

Model read_sound(Source& source) {
  const ModelParts parts = split_model(source.file.text());
  if (parts.graphs > 1) unsound(source.path, "it has two graphs");
  if (!parts.graph) unsound(source.path, "it has no graph");
  if (parts.ir_version < 1 || parts.ir_version > kMostVersion) {
    unsound(source.path, fmt::format("its format version {} is impossible", parts.ir_version));
  }
  Model model;
  model.format = "onnx";
  model.path = source.path;
  model.file = source.file;
  for (const std::string_view opset : parts.opsets) add_opset(source, model, opset);
  if (parts.opsets.empty() && parts.ir_version < 3) model.opsets[""] = 1;
  if (const auto own = model.opsets.find(""); own != model.opsets.end())
    model.vocabulary = vocabulary_of(own->second);
  for (const std::string_view entry : parts.metadata) {
    const auto [key, value] = read_entry(entry);
    model.metadata.insert_or_assign(std::string(key), std::string(value));
  }
  for (const std::string_view function : parts.functions) {
    const FunctionId id = read_function_id(function);
    source.functions.emplace(id.domain, id.name);
  }
  model.graph = read_graph(source, *parts.graph, 0);
  if (!model.opsets.contains("") && uses_default_domain(model.graph)) {
    unsound(source.path, "it does not say which version of the ONNX operators it uses");
  }
  return model;
}

}  // namespace

void unsound(const fs::path& path, std::string_view problem) {
  throw Error(Errc::bad_input,
              fmt::format("{}: not a sound ONNX file: {}; re-export or re-download it",
                          printable(path.string()), problem));
}

ModelParts split_model(std::string_view message) {
  ModelParts parts;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case varint_key(ModelProto::ir_version):
        parts.ir_version = field.integer();
        break;
      case bytes_key(ModelProto::graph):
        parts.graph = field.payload;
        ++parts.graphs;
        break;
      case bytes_key(ModelProto::opset_import):
        parts.opsets.push_back(field.payload);
        break;
      case bytes_key(ModelProto::metadata_props):
        parts.metadata.push_back(field.payload);
        break;
      case bytes_key(ModelProto::functions):
        parts.functions.push_back(field.payload);
        break;
      default:
        break;
    }
  }
  return parts;
}

Opset read_opset(std::string_view message) {
  Opset opset;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(OperatorSetIdProto::domain)) {
      opset.domain = canonical_domain(field.payload);
    }
    if (field.key == varint_key(OperatorSetIdProto::version)) opset.version = field.integer();
  }
  return opset;
}

FunctionId read_function_id(std::string_view message) {
  FunctionId id;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(FunctionProto::domain)) id.domain = canonical_domain(field.payload);
    if (field.key == bytes_key(FunctionProto::name)) id.name = field.payload;
    if (field.key == bytes_key(FunctionProto::overload)) id.overload = field.payload;
  }
  return id;
}

bool match(Bytes bytes, const fs::path& path) {
  bool has_version = false;
  try {
    Fields fields(as_text(bytes));
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(ModelProto::graph)) return true;
      if (field.number() == ModelProto::graph) break;
      if (field.key == varint_key(ModelProto::ir_version)) has_version = true;
    }
  } catch (const protozero::exception&) {
    // Cut short, or something else: what came before decides.
  }
  return has_version || path.extension() == ".onnx";
}

Model read(const fs::path& path, MappedFile file) {
  Source source;
  source.path = path;
  source.file = std::move(file);
  if (source.file.bytes().empty()) unsound(path, "it is empty");
  Model model = in_file(path, [&] { return read_sound(source); });
  try {
    sort_nodes(model.graph);
    check_names(model.graph);
  } catch (const Error& error) {
    unsound(path, error.what());
  }
  return model;
}

}  // namespace quantlens::onnx
