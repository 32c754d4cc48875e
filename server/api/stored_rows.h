// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/json.h"
#include "server/api/context.h"

namespace quantlens::server {

/// A list of a record, of which rows are found by a text in a column, and read one by one.
class StoredRows {
 public:
  /// Throws as TableReader::open does.
  StoredRows(Context& context, const fs::path& record, std::string_view list);

  std::vector<json::Value> find(std::string_view column, std::string_view text,
                                std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  /// By its number in the list.
  std::optional<json::Value> at(std::uint64_t number) const;

 private:
  Context& context_;
  TableReader table_;
  std::string state_;
};

}  // namespace quantlens::server
