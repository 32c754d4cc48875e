// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

/// A name for what the old node makes from now on, which nobody reads.
std::string unread_name(const GraphIndex& index, const std::string& value) {
  std::string name = value + "/replaced";
  while (index.producer(name) || index.is_input(name) || index.constant(name)) name += '_';
  return name;
}

Edit edit_of(const Model& model, const Patch& patch) {
  const GraphIndex index(model.graph);
  Edit edit;
  edit.weights = patch.weights;
  for (const auto& [value, nodes] : patch.nodes) {
    const std::optional<std::size_t> made_by = index.producer(value);
    if (!made_by) {
      throw Error(Errc::unsupported, fmt::format("{}: no node makes '{}'",
                                                 printable(model.path.string()), printable(value)));
    }
    const std::vector<std::string>& outputs = model.graph.nodes[*made_by].outputs;
    const auto at = std::ranges::find(outputs, value) - outputs.begin();
    edit.outputs[*made_by][static_cast<std::size_t>(at)] = unread_name(index, value);
    for (const Node& node : nodes) edit.inserted.emplace(*made_by, node);
  }
  return edit;
}

}  // namespace

void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  const std::unique_ptr<FileWriter> file = store.create(path);
  write(model, edit_of(model, patch), {}, [&](Bytes bytes) { file->write(bytes); });
  file->commit();
}

}  // namespace quantlens::onnx
