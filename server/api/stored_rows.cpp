// SPDX-License-Identifier: Apache-2.0
#include "server/api/stored_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "server/api/answer.h"

namespace quantlens::server {

StoredRows::StoredRows(Context& context, const fs::path& record, std::string_view list)
    : context_(context),
      table_(TableReader::open(context.store, context.indexes, record, list)),
      // Lists that are short stand in one file: the list's name tells which it is.
      state_(fmt::format("{}:{}", list, state_of(TableReader::files(record, list)))) {}

std::vector<json::Value> StoredRows::find(std::string_view column, std::string_view text,
                                          std::size_t most) const {
  std::vector<std::uint64_t> numbers = context_.rows.find(table_, state_, column, text);
  numbers.resize(std::min(numbers.size(), most));
  std::vector<json::Value> rows;
  for (const std::uint64_t number : numbers) {
    if (auto row = at(number)) rows.push_back(*std::move(row));
  }
  return rows;
}

std::optional<json::Value> StoredRows::at(std::uint64_t number) const {
  if (number >= table_.size()) return std::nullopt;
  boost::json::array rows = table_.rows(number, 1);
  return rows.empty() ? std::nullopt : std::optional<json::Value>(std::move(rows.front()));
}

}  // namespace quantlens::server
