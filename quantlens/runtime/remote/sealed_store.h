// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "quantlens/base/store.h"
#include "quantlens/runtime/remote/memory.h"

namespace quantlens::remote {

/// A Store for what a worker writes: each file becomes sealed memory, which the other side puts to
/// its place. Only `create` is for use; all else throws Errc::usage.
class SealedStore final : public Store {
 public:
  struct Written {
    FileDescriptor file;
    std::uint64_t bytes = 0;
  };

  MappedFile read(const fs::path& path) const override;
  std::unique_ptr<FileWriter> create(const fs::path& path) override;
  void append(const fs::path& path, std::string_view text) override;
  std::vector<std::string> list(const fs::path& folder) const override;
  void make_folder(const fs::path& folder) override;
  void remove(const fs::path& path) override;

  /// What was committed, by path.
  std::map<fs::path, Written>& files() { return files_; }

 private:
  std::map<fs::path, Written> files_;
};

}  // namespace quantlens::remote
