// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "quantlens/base/store.h"

namespace quantlens {

/// A Store in memory, for tests; can be told to fail. Folders come into being with their files, so
/// unlike on disk nobody needs `make_folder` first.
class MemoryStore final : public Store {
 public:
  MappedFile read(const fs::path& path) const override;
  std::unique_ptr<FileWriter> create(const fs::path& path) override;
  void append(const fs::path& path, std::string_view text) override;
  std::vector<std::string> list(const fs::path& folder) const override;
  void make_folder(const fs::path& folder) override;
  void remove(const fs::path& path) override;

  /// The n-th `FileWriter::write` or `commit` from now (0: the next) throws Errc::io, once.
  void fail_after(int operations) { operations_until_failure_ = operations; }
  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  friend class MemoryWriter;
  std::map<std::string, std::string> files_;
  std::set<std::string> folders_;  // made on purpose, with a '/' at the end
  int operations_until_failure_ = -1;
};

}  // namespace quantlens
