// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/saved_model.h"
#include "quantlens/runtime/tensorflow/freeze.h"
#include "quantlens/runtime/tensorflow/keras.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"

namespace quantlens::tensorflow {
namespace {

/// Goes with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "quantlens-keras-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(Errc::io, fmt::format("{}: cannot be made: {}; let TMPDIR name a folder that can "
                                        "be written",
                                        printable(name), std::generic_category().message(errno)));
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path folder_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return path;
  if (path.filename() == graphdef::kSavedModelFile) return fs::absolute(path).parent_path();
  throw Error(Errc::bad_input,
              fmt::format("{}: is the {} of a SavedModel under another name; give the folder that "
                          "its variables are in",
                          printable(path.string()), graphdef::kSavedModelFile));
}

Model frozen_model(const fs::path& folder, const fs::path& path) {
  return graphdef::read(path, MappedFile::from_bytes(frozen(folder, path)));
}

}  // namespace

Model read(const fs::path& path, MappedFile file) {
  if (graphdef::is_saved_model(file.bytes(), path)) return frozen_model(folder_of(path), path);
  if (!graphdef::is_keras(file.bytes(), path)) return graphdef::read(path, std::move(file));
  const TemporaryFolder folder;
  export_keras(path, folder.path());
  return frozen_model(folder.path(), path);
}

std::vector<std::string> write(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>&, Store& store,
                               const fs::path& path) {
  if (!plan.ops.empty()) {
    throw Error(
        Errc::unsupported,
        fmt::format("{}: a worker of tensorflow quantizes no graph; quantlens does it itself",
                    printable(path.string())));
  }
  write_atomic(store, path, model.file.text());
  return {};
}

}  // namespace quantlens::tensorflow
