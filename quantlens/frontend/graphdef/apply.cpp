// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/patch_edit.h"
#include "quantlens/frontend/graphdef/plan_edit.h"

namespace quantlens::graphdef {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int32_t>::max();  // of protobuf

/// What lies between the model's ends is all that a plan knows: nobody else may read what changes
/// there, but for those who only look at it.
void check_readers_outside(const GraphFile& file) {
  const Graph& graph = file.model().graph;
  std::unordered_set<std::string_view> nodes, made, constants;
  for (const auto& [name, weight] : graph.weights) constants.insert(name);
  for (const Node& node : graph.nodes) {
    nodes.insert(node.name);
    const bool is_constant =
        !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](const std::string& input) {
          return constants.contains(input);
        });
    (is_constant ? constants : made).insert(node.outputs.begin(), node.outputs.end());
  }
  made.erase("");
  for (const ValueInfo& output : graph.outputs) made.erase(output.name);
  for (const NodeParts& node : file.nodes()) {
    if (nodes.contains(node.name) || is_aside(node.type)) continue;
    for (const std::string& value : file.values_read(node)) {
      if (!made.contains(value)) continue;
      throw Error(Errc::unsupported,
                  fmt::format("{}: '{}', which lies outside of --inputs and --outputs, reads '{}' "
                              "from between them; name that among --outputs, too",
                              printable(file.model().path.string()), printable(node.name),
                              printable(value)));
    }
  }
}

/// The file, where TensorFlow can read it.
Pieces checked(const GraphFile& file, const Edit& edit) {
  Pieces pieces = written(file, edit);
  if (pieces.size() > kMostBytes) {
    throw Error(Errc::unsupported,
                fmt::format("{}: the graph would have {} bytes, and TensorFlow reads no file of "
                            "more than 2 GiB; keep fewer ops in float",
                            printable(file.model().path.string()), pieces.size()));
  }
  return pieces;
}

Pieces planned(const GraphFile& file, const Plan& plan,
               const std::map<std::string, std::string>& metadata) {
  check_readers_outside(file);
  Edit edit = plan_edit(file, plan);
  for (const auto& [key, value] : metadata) edit.metadata[key] = value;
  return checked(file, edit);
}

void write(const Pieces& pieces, Store& store, const fs::path& path) {
  const std::unique_ptr<FileWriter> writer = store.create(path);
  pieces.emit([&](Bytes bytes) { writer->write(bytes); });
  writer->commit();
}

}  // namespace

std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path) {
  const GraphFile file(model);
  write(planned(file, plan, metadata), store, path);
  return {};
}

void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  const GraphFile file(model);
  write(checked(file, patch_edit(file, patch)), store, path);
}

Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata) {
  const GraphFile file(model);
  return read(model.path, MappedFile::from_bytes(planned(file, plan, metadata).str()));
}

}  // namespace quantlens::graphdef
