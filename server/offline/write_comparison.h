// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/comparison.h"
#include "quantlens/workspace/workspace.h"
#include "server/assets/assets.h"

namespace quantlens::server {

struct ComparisonFile {
  /// Its ending says what is written: .html (all pages of both runs), .md, .json or .csv (all ops).
  fs::path output;
  std::string_view version;   ///< of quantlens
  std::vector<Asset> assets;  ///< the pages, for HTML
};

/// Before anything is read. Throws Errc::usage for another ending.
void check_comparison_file(const fs::path& output);

/// Writes the comparison of two stored runs into a file, whole or not at all; nothing is run.
void write_comparison(Store& store, Workspace& workspace, const Comparison& comparison,
                      const ComparisonFile& file, Progress& progress);

}  // namespace quantlens::server
