// What else TensorFlow and Keras write, by its first bytes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>

#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/saved_model.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

constexpr std::string_view kSavedModel =
    "a TensorFlow SavedModel, whose weights lie in files beside it; give it to a verb that runs "
    "models, or freeze it to one .pb file as docs/tensorflow.md shows";
constexpr std::string_view kSavedText =
    "a TensorFlow SavedModel as text; save it as bytes (saved_model.pb)";
constexpr std::string_view kText =
    "a TensorFlow graph as text; write it as bytes (graph_def.SerializeToString()) to a .pb file, "
    "once it is frozen";
constexpr std::string_view kMetaGraph =
    "a TensorFlow MetaGraph, whose weights lie in a checkpoint; freeze it to one .pb file as "
    "docs/tensorflow.md shows";
constexpr std::string_view kKeras =
    "a Keras file; give it to a verb that runs models, or write a SavedModel by "
    "model.export(\"FOLDER\")";

/// Of text that begins with a field of a GraphDef or SavedModel.
bool is_text_form(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto drop = [&] {
    text.remove_prefix(
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_space) - text.begin()));
  };
  drop();
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.size(), text.find('\n')));
    drop();
  }
  for (const std::string_view field : {"node", "library", "versions", "saved_model_schema_version",
                                       "meta_graphs", "meta_info_def"}) {
    if (!text.starts_with(field)) continue;
    text.remove_prefix(field.size());
    drop();
    return text.starts_with('{') || text.starts_with(':');
  }
  return false;
}

/// A ZIP archive with the entries of Keras 3.
bool is_keras_archive(std::string_view text) {
  if (!text.starts_with("PK\x03\x04")) return false;
  constexpr std::size_t kNames = 1 << 16;  // the first and the last of them lie in as many bytes
  const std::string_view last = text.substr(text.size() - std::min(text.size(), kNames));
  return last.find("model.weights.h5") != std::string_view::npos &&
         last.find("config.json") != std::string_view::npos;
}

/// The payload of the first field of this number; nothing where there is none before the bytes are
/// no message any more.
std::optional<std::string_view> first_of(std::string_view message, std::uint32_t number) {
  try {
    Fields fields(message);
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(number)) return field.payload;
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether these are the beginning of a node: its name and its op.
bool is_node(std::string_view message) {
  const auto name = first_of(message, NodeDef::name);
  const auto type = first_of(message, NodeDef::op);
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '>' || c == '.';
  };
  return name && !name->empty() && type && !type->empty() && std::ranges::all_of(*type, is_of_word);
}

bool is_meta_graph(std::string_view message) {
  const auto graph = first_of(message, MetaGraphDef::graph_def);
  const auto node = graph ? first_of(*graph, GraphDef::node) : std::nullopt;
  return node && is_node(*node);
}

bool begins_saved_model(std::string_view text) {
  constexpr char kVersionTag = 0x08;  // an ONNX file begins with it as well
  if (!text.starts_with(kVersionTag)) return false;
  const auto graph = first_of(text, SavedModel::meta_graphs);
  return graph && is_meta_graph(*graph);
}

}  // namespace

bool match(Bytes bytes, const fs::path& path) {
  const std::string_view text = as_text(bytes);
  bool has_library = false;
  try {
    Fields fields(text);
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(GraphDef::node)) return is_node(field.payload);
      if (field.key != bytes_key(GraphDef::library) && field.key != bytes_key(GraphDef::versions) &&
          field.key != varint_key(GraphDef::version) &&
          field.key != bytes_key(GraphDef::debug_info))
        return false;
      has_library = has_library || field.key == bytes_key(GraphDef::versions);
    }
  } catch (const protozero::exception&) {
    // Cut short, or something else.
  }
  return has_library || (path.extension() == ".pb" && text.starts_with('\x0a'));
}

std::string_view problem_of(std::string_view text) {
  if (begins_saved_model(text)) return kSavedModel;
  if (is_keras_archive(text)) return kKeras;
  if (is_text_form(text)) return kText;
  if (text.starts_with('\x0a') && is_meta_graph(text)) return kMetaGraph;
  return {};
}

bool is_saved_model(Bytes bytes, const fs::path& path) {
  std::error_code ignored;
  if (bytes.empty()) return fs::exists(path / kSavedModelFile, ignored);
  return begins_saved_model(as_text(bytes));
}

bool is_keras(Bytes bytes, const fs::path&) {
  return as_text(bytes).starts_with("\x89HDF") || is_keras_archive(as_text(bytes));
}

std::string_view problem_of_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kSavedModelFile, ignored)) return kSavedModel;
  if (fs::exists(folder / "saved_model.pbtxt", ignored)) return kSavedText;
  return {};
}

}  // namespace quantlens::graphdef
