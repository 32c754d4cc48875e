// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/stored_run.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

StoredRun find_in(const Workspace& workspace, const std::string& id, const Store& store) {
  StoredRun stored{workspace.find(id), workspace.folder(id)};
  const auto own = WorkloadReader(store, stored.folder).get<Workload>();
  if (!own || own->id == stored.folder.filename()) return stored;
  throw Error(Errc::bad_input,
              fmt::format("{}: is the record of {}, another run; put its own one back",
                          printable((stored.folder / FileOf<Workload>::kName).string()),
                          printable(own->id)));
}

}  // namespace

StoredRun find_run(const std::string& text, const Session& session) {
  std::error_code none;
  if (!fs::is_directory(text, none)) {
    return find_in(workspace_of(session), text, session.store);
  }
  const fs::path folder = fs::canonical(text);
  if (!fs::exists(folder / FileOf<Workload>::kName, none)) {
    throw Error(Errc::not_found,
                fmt::format("{}: is no run's folder: there is no {} in it; give the id or the "
                            "folder of a run (quantlens workloads list)",
                            printable(text), FileOf<Workload>::kName));
  }
  return find_in(Workspace(session.store, folder.parent_path().parent_path()),
                 folder.filename().string(), session.store);
}

Model read_again(const ModelFile* file, const StoredRun& stored, const Session& session) {
  if (file == nullptr) {
    throw Error(Errc::not_found,
                fmt::format("{}: its {} names no two models: nothing was compared, or "
                            "it is damaged{}{}",
                            printable(stored.run.id), FileOf<Workload>::kName,
                            stored.run.message.empty() ? "" : ": ", printable(stored.run.message)));
  }
  Model model = formats(session).read(file->path);
  if (model_file(file->role, model).sha256 == file->sha256) return model;
  throw Error(Errc::bad_input,
              fmt::format("{}: is not the file that {} looked at (its SHA-256 is another one); put "
                          "that one back, or run {} again",
                          printable(file->path), printable(stored.run.id), stored.run.verb));
}

}  // namespace quantlens::flow
