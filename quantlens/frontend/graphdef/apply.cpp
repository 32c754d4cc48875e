// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/patch_edit.h"
#include "quantlens/frontend/graphdef/plan_edit.h"

namespace quantlens::graphdef {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int32_t>::max();  // of protobuf

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
