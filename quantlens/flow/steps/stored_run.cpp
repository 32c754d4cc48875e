// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored_run.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {

StoredRun find_run(const std::string& text, const Session& session) {
  std::error_code none;
  if (!fs::is_directory(text, none)) {
    const Workspace workspace = workspace_of(session);
    return {workspace.find(text), workspace.folder(text)};
  }
  const fs::path folder = fs::canonical(text);
  const Workspace workspace(session.store, folder.parent_path().parent_path());
  return {workspace.find(folder.filename().string()), folder};
}

Model read_again(const ModelFile* file, const StoredRun& stored, const Session& session) {
  if (file == nullptr) {
    throw Error(Errc::not_found, fmt::format("{}: names no two models: nothing was compared",
                                             printable(stored.run.id)));
  }
  Model model = formats(session).read(file->path);
  if (model_file(file->role, model).sha256 == file->sha256) return model;
  throw Error(Errc::bad_input,
              fmt::format("{}: is not the file that {} looked at (its SHA-256 is another one); put "
                          "that one back, or run {} again",
                          printable(file->path), printable(stored.run.id), stored.run.verb));
}

}  // namespace quantlens::flow
