// SPDX-License-Identifier: Apache-2.0
#include "server/api/row_index.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/record/rows.h"
#include "quantlens/workspace/read_record.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

fs::path own_file(const fs::path& record, std::string_view list) {
  return record.parent_path() / rows_file(record.filename().string(), list);
}

/// What stands at "reference.nodes" or, in a row, at "op.id"; null where nothing does.
const json::Value* member_at(const json::Value& value, std::string_view path) {
  const json::Value* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const auto* object = at->if_object();
    at = object != nullptr ? object->if_contains(path.substr(0, dot)) : nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

/// Names of its members, those of objects inside behind theirs.
void add_columns(const boost::json::object& row, const std::string& before,
                 std::vector<std::string>& names) {
  for (const auto& member : row) {
    const std::string name = before + std::string(member.key());
    if (const auto* inside = member.value().if_object())
      add_columns(*inside, name + ".", names);
    else
      names.push_back(name);
  }
}

std::uint64_t hash_of(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

}  // namespace

struct TableReader::Long {
  Long(MappedFile mapped, KeptIndexes& kept, const fs::path& path, std::string_view where)
      : file(std::move(mapped)), reader(kept.rows(file.text(), path, where)) {}
  MappedFile file;
  RowsReader reader;
};

std::vector<fs::path> TableReader::files(const fs::path& record, std::string_view list) {
  return {record, own_file(record, list)};
}

TableReader TableReader::open(const Store& store, const fs::path& record, std::string_view list) {
  KeptIndexes once(store);
  return open(store, once, record, list);
}

TableReader TableReader::open(const Store& store, KeptIndexes& kept, const fs::path& record,
                              std::string_view list) {
  const std::string where = printable(record.filename().string());
  const std::shared_ptr<const json::Value> head = kept.head(record);
  if (!head) throw Error(Errc::not_found, fmt::format("The workload has no {}.", where));
  const json::Value* found = member_at(*head, list);
  TableReader table;
  if (found != nullptr && found->is_array()) {
    table.held_ = {head, &found->get_array()};
    return table;
  }
  const fs::path path = own_file(record, list);
  std::optional<MappedFile> file;
  if (found != nullptr) file = find_file(store, path);
  if (!file) {
    throw Error(Errc::not_found, fmt::format("{} has no list '{}'.", where, shown(list)));
  }
  table.long_ = std::make_shared<const Long>(*std::move(file), kept, path, where);
  return table;
}

std::uint64_t TableReader::size() const {
  return long_ ? long_->reader.size() : held_->size();
}

std::vector<std::string> TableReader::columns() const {
  if (long_) return long_->reader.columns();
  std::vector<std::string> names;
  if (held_->empty()) return names;
  const auto* row = held_->front().if_object();
  if (row != nullptr) add_columns(*row, "", names);
  return names;
}

bool TableReader::has(std::string_view column) const {
  const std::vector<std::string> all = columns();
  return std::ranges::find(all, column) != all.end();
}

boost::json::array TableReader::rows(std::uint64_t first, std::uint64_t count) const {
  if (long_) return long_->reader.rows(first, count);
  const std::uint64_t begin = std::min<std::uint64_t>(first, held_->size());
  const std::uint64_t rows = std::min<std::uint64_t>(count, held_->size() - begin);
  const auto* const from = held_->begin() + begin;
  return boost::json::array(from, from + rows);
}

boost::json::array TableReader::column(std::string_view name, std::uint64_t first,
                                       std::uint64_t count) const {
  if (long_) return long_->reader.column(name, first, count);
  boost::json::array cells;
  const std::uint64_t begin = std::min<std::uint64_t>(first, held_->size());
  const std::uint64_t end = begin + std::min<std::uint64_t>(count, held_->size() - begin);
  for (std::uint64_t i = begin; i < end; ++i) {
    const json::Value* cell = member_at((*held_)[i], name);
    cells.push_back(cell != nullptr ? *cell : json::Value());
  }
  return cells;
}

std::vector<std::uint64_t> RowIndexes::find(const TableReader& table, const std::string& state,
                                            std::string_view column, std::string_view text) {
  if (!table.has(column)) return {};
  const auto index = kept_.get(fmt::format("{}/{}", column, state), [&] {
    Index made;
    std::uint32_t row = 0;
    for (const json::Value& cell : table.column(column, 0, table.size())) {
      if (const auto* found = cell.if_string()) made.emplace(hash_of(*found), row);
      ++row;
    }
    return made;
  });
  std::vector<std::uint64_t> rows;
  const auto [begin, end] = index->equal_range(hash_of(text));
  for (auto at = begin; at != end; ++at) {
    // Two texts may have one hash, and a file may have been replaced since.
    const boost::json::array cell = table.column(column, at->second, 1);
    const auto* found = cell.empty() ? nullptr : cell.front().if_string();
    if (found != nullptr && std::string_view(*found) == text) rows.push_back(at->second);
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace quantlens::server
