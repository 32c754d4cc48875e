// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/graph/check.h"
#include "quantlens/graph/cut.h"

namespace quantlens::graphdef {
namespace {

void read_library(Source& source, std::string_view message) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(FunctionDefLibrary::function)) add_function(source, field.payload);
  }
}

/// The file does not say what they are; the ops that make them do.
void describe_outputs(Graph& graph) {
  const Describer describe(graph);
  for (ValueInfo& output : graph.outputs) {
    if (!output.dtype) output = describe(output.name);
  }
}

void read_sound(Source& source, Model& model) {
  std::vector<std::string_view> nodes;
  Fields fields(source.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphDef::node)) nodes.push_back(field.payload);
    if (field.key == bytes_key(GraphDef::library)) read_library(source, field.payload);
    if (field.key == bytes_key(GraphDef::versions)) source.producer = read_producer(field.payload);
  }
  if (nodes.empty()) unsound(source.path, "it has no nodes");
  model.graph = make_graph(source, read_ops(source, nodes), std::nullopt);
  describe_outputs(model.graph);
  model.metadata = metadata_of(source, nodes);
}

}  // namespace

std::int64_t read_producer(std::string_view message) {
  std::int64_t producer = 0;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(VersionDef::producer)) producer = field.integer();
  }
  return producer;
}

void unsound(const fs::path& path, std::string_view problem) {
  throw Error(Errc::bad_input,
              fmt::format("{}: not a sound TensorFlow graph: {}; freeze it again or re-download it",
                          printable(path.string()), problem));
}

Model read(const fs::path& path, MappedFile file) {
  Source source;
  source.path = path;
  source.file = std::move(file);
  Model model;
  model.format = "graphdef";
  model.path = path;
  model.file = source.file;
  try {
    read_sound(source, model);
  } catch (const protozero::end_of_buffer_exception&) {
    unsound(path, "it ends in the middle, or is no GraphDef at all");
  } catch (const protozero::exception& error) {
    unsound(path, std::string("its bytes are no GraphDef (") + error.what() + ")");
  }
  try {
    check_names(model.graph);
  } catch (const Error& error) {
    unsound(path, error.what());
  }
  model.opsets[""] = source.producer;
  model.vocabulary.version = fmt::format("producer {}", source.producer);
  model.vocabulary.whole = model.vocabulary.version;
  model.vocabulary.dynamic_codes = false;
  model.vocabulary.half = false;
  return model;
}

}  // namespace quantlens::graphdef
