// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/annotate.h"

#include <algorithm>

#include <fmt/format.h>
#include <protozero/exception.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/rewrite.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint32_t kNodeMetadata = 9;  // NodeProto.metadata_props

/// Null: nothing is noted of the node.
const NotesOfNode* notes_of_message(std::string_view node, const Annotations& notes) {
  Fields fields(node);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(NodeProto::output)) continue;
    const auto found = notes.nodes.find(std::string(field.payload));
    if (found != notes.nodes.end()) return &found->second;
  }
  return nullptr;
}

std::string_view key_of(std::string_view entry) {
  Fields fields(entry);
  for (Field field; fields.next(field);)
    if (field.key == bytes_key(StringStringEntryProto::key)) return field.payload;
  return {};
}

/// What an earlier copy says of another run.
bool is_earlier_note(const Field& field) {
  constexpr std::string_view kOurs = "quantlens.";
  return field.key == bytes_key(kNodeMetadata) && key_of(field.payload).starts_with(kOurs);
}

bool has_key(const Field& entry, const NotesOfNode& notes) {
  const std::string_view key = key_of(entry.payload);
  return std::ranges::any_of(notes, [&](const auto& note) { return note.first == key; });
}

Change annotated_node(const Field& field, const Annotations& notes) {
  if (field.key != bytes_key(GraphProto::node)) return Keep{};
  const NotesOfNode* of_node = notes_of_message(field.payload, notes);
  Pieces node = rewrite(field.payload, [](const Field& of_it) -> Change {
    if (is_earlier_note(of_it)) return Drop{};
    return Keep{};
  });
  if (of_node == nullptr) return node;
  for (const auto& [key, value] : *of_node) node.field(kNodeMetadata, encode_entry(key, value));
  return node;
}

Pieces annotated(std::string_view model, const Annotations& notes) {
  Pieces out = rewrite(model, [&](const Field& field) -> Change {
    if (field.key == bytes_key(ModelProto::metadata_props) && has_key(field, notes.model))
      return Drop{};
    if (field.key != bytes_key(ModelProto::graph)) return Keep{};
    return rewrite(field.payload, [&](const Field& node) { return annotated_node(node, notes); });
  });
  for (const auto& [key, value] : notes.model)
    out.field(ModelProto::metadata_props, encode_entry(key, value));
  return out;
}

}  // namespace

void write_annotated(const fs::path& model, const MappedFile& file, const Annotations& notes,
                     Store& store, const fs::path& path) {
  try {
    const Pieces bytes = annotated(file.text(), notes);
    const std::unique_ptr<FileWriter> writer = store.create(path);
    bytes.emit([&](Bytes piece) { writer->write(piece); });
    writer->commit();
  } catch (const protozero::exception&) {
    throw Error(Errc::bad_input, fmt::format("{}: the file is truncated or damaged; fetch it again",
                                             printable(model.string())));
  }
}

}  // namespace quantlens::onnx
