// SPDX-License-Identifier: Apache-2.0
// For tests only.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/store.h"

namespace quantlens {

/// A new folder, removed with all it holds when this ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "quantlens-workspace-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
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

}  // namespace quantlens
