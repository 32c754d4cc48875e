// SPDX-License-Identifier: Apache-2.0
#include "server/offline/op_answers.h"

#include <algorithm>

#include "quantlens/base/error.h"
#include "server/api/row_index.h"

namespace quantlens::server {
namespace {

/// A row is named once, however often it says the op.
template <class Places>
void note(Places& places, const json::Value* text, std::size_t row) {
  if (text == nullptr || !text->is_string()) return;
  auto& rows = places[std::string(text->get_string())];
  if (rows.empty() || rows.back() != row) rows.push_back(static_cast<std::uint32_t>(row));
}

/// By its id and by its name.
template <class Places>
void note_op(Places& places, const json::Value& op, std::size_t row) {
  const auto* object = op.if_object();
  if (object == nullptr) return;
  for (const char* key : {"id", "name"}) note(places, object->if_contains(key), row);
}

}  // namespace

OpAnswers::OpAnswers(const Store& store, const fs::path& folder, RecordFaults& faults) {
  for (const OpList& list : op_lists()) {
    Rows& rows = lists_.emplace_back(Rows{.list = list, .all = {}, .by_id = {}, .by_name = {}});
    if (!faults.is_sound(list.record)) continue;
    try {
      read(store, folder, rows);
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) faults.add(list.record, error);
      rows.all.clear();
      rows.by_id.clear();
      rows.by_name.clear();
    }
  }
}

void OpAnswers::read(const Store& store, const fs::path& folder, Rows& rows) {
  const OpList& list = rows.list;
  const TableReader table = TableReader::open(store, folder / list.record, list.list);
  const auto column = [&](std::string_view name) { return table.column(name, 0, table.size()); };
  rows.all = table.rows(0, table.size());
  if (list.id.empty()) {
    const boost::json::array several = column("ops"), single = column("op");
    for (std::size_t i = 0; i < rows.all.size(); ++i) {
      if (!several[i].is_array()) continue;
      for (const json::Value& op : several[i].get_array()) note_op(rows.by_id, op, i);
      note_op(rows.by_id, single[i], i);
    }
    return;
  }
  const boost::json::array ids = column(list.id), names = column(list.name);
  for (std::size_t i = 0; i < rows.all.size(); ++i) {
    if (list.makes_known && ids[i].is_string()) know(std::string(ids[i].get_string()));
    note(rows.by_id, &ids[i], i);
    note(rows.by_name, &names[i], i);
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
