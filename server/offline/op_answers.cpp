// SPDX-License-Identifier: Apache-2.0
#include "server/offline/op_answers.h"

#include <algorithm>

#include "quantlens/base/error.h"
#include "server/api/row_index.h"

namespace quantlens::server {
namespace {

/// Text at a path of members, as "op.id"; null: there is none.
const boost::json::string* text_at(const json::Value& row, std::string_view column) {
  const json::Value* value = &row;
  while (value != nullptr && !column.empty()) {
    const std::size_t end = std::min(column.find('.'), column.size());
    const auto* object = value->if_object();
    value = object == nullptr ? nullptr : object->if_contains(column.substr(0, end));
    column.remove_prefix(std::min(end + 1, column.size()));
  }
  return value == nullptr ? nullptr : value->if_string();
}

/// A row is named once, however often it says the op.
template <class Places>
void note(Places& places, const boost::json::string* text, std::size_t row) {
  if (text == nullptr) return;
  auto& rows = places[std::string(*text)];
  if (rows.empty() || rows.back() != row) rows.push_back(static_cast<std::uint32_t>(row));
}

}  // namespace

OpAnswers::OpAnswers(const Store& store, const fs::path& folder) {
  for (const OpList& list : op_lists()) {
    Rows& rows = lists_.emplace_back(Rows{.list = list, .all = {}, .by_id = {}, .by_name = {}});
    try {
      read(store, folder, rows);
    } catch (const Error&) {
      rows.all.clear();
      rows.by_id.clear();
      rows.by_name.clear();
    }
  }
}

void OpAnswers::read(const Store& store, const fs::path& folder, Rows& rows) {
  const OpList& list = rows.list;
  const TableReader table = TableReader::open(store, folder / list.record, list.list);
  rows.all = table.rows(0, table.size());
  for (std::size_t i = 0; i < rows.all.size(); ++i) {
    const json::Value& row = rows.all[i];
    if (!list.id.empty()) {
      const auto* id = text_at(row, list.id);
      if (id != nullptr && list.makes_known) know(std::string(*id));
      note(rows.by_id, id, i);
      note(rows.by_name, text_at(row, list.name), i);
      continue;
    }
    const auto* ops = row.is_object() ? row.get_object().if_contains("ops") : nullptr;
    if (ops == nullptr || !ops->is_array()) continue;
    for (const json::Value& op : ops->get_array()) {
      for (const char* key : {"id", "name"}) note(rows.by_id, text_at(op, key), i);
    }
    for (const char* column : {"op.id", "op.name"}) note(rows.by_id, text_at(row, column), i);
  }
}

void OpAnswers::know(const std::string& id) {
  if (known_.insert(id).second) ids_.push_back(id);
}

json::Value OpAnswers::of(const std::string& op) const {
  boost::json::object made{{"op", op}};
  for (const Rows& rows : lists_) {
    boost::json::array found;
    const bool has_id = rows.by_id.contains(op);
    const Places& places = has_id ? rows.by_id : rows.by_name;
    if (const auto at = places.find(op); at != places.end()) {
      const std::size_t count = std::min(at->second.size(), OpRows::kMost);
      for (std::size_t i = 0; i < count; ++i) found.push_back(rows.all[at->second[i]]);
    }
    made[rows.list.member] = std::move(found);
  }
  return made;
}

}  // namespace quantlens::server
