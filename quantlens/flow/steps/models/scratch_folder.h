// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"

namespace quantlens::flow {

/// A folder that is gone in the end.
class ScratchFolder {
 public:
  ScratchFolder(Store& store, fs::path path) : store_(store), path_(std::move(path)) {
    store_.make_folder(path_);
  }
  ~ScratchFolder() {
    try {
      store_.remove(path_);
    } catch (const Error&) {  // what is left behind is in the workload's own folder
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  Store& store_;
  fs::path path_;
};

}  // namespace quantlens::flow
