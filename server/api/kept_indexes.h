// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"
#include "quantlens/record/histograms.h"
#include "quantlens/record/rows.h"
#include "server/api/kept.h"

namespace quantlens::server {

/// What tells where the rest of a record stands: it is parsed once, and forgotten when its file
/// changes or others are asked for. Files themselves are mapped for as long as an answer is made:
/// what was read of them is not this process's memory. Called from several threads at once.
class KeptIndexes {
 public:
  explicit KeptIndexes(const Store& store) : store_(store) {}

  /// As read_head has it; null where there is no such record.
  std::shared_ptr<const json::Value> head(const fs::path& record);
  /// `file`: the bytes at `path`. Throws as RowsIndex::read does, naming `where`.
  RowsReader rows(std::string_view file, const fs::path& path, std::string_view where);
  /// Likewise, as HistogramsReader does.
  HistogramsReader histograms(std::string_view file, const fs::path& path, std::string_view where);

 private:
  static constexpr std::size_t kMostHeads = 8, kMostRows = 32, kMostHistograms = 2;

  const Store& store_;
  Kept<json::Value> heads_{kMostHeads};
  Kept<RowsIndex> rows_{kMostRows};
  Kept<HistogramsReader::Index> histograms_{kMostHistograms};
};

}  // namespace quantlens::server
