// SPDX-License-Identifier: Apache-2.0
#include "server/api/op_rows.h"

#include <algorithm>
#include <optional>

#include "quantlens/base/error.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/stored_rows.h"

namespace quantlens::server {
namespace {

/// Absent: a run need not have it, and what is damaged is told where it is asked for itself.
template <class Open>
auto if_there(const Open& open) -> std::optional<decltype(open())> {
  try {
    return open();
  } catch (const Error&) {
    return std::nullopt;
  }
}

constexpr OpList kLists[] = {
    {"activations", FileOf<Diagnosis>::kName, "activations", "op.id", "op.name"},
    {"weights", FileOf<Diagnosis>::kName, "weights", "op.id", "op.name"},
    {"plan", FileOf<Plan>::kName, "ops", "op.id", "op.name"},
    {"pairs", FileOf<Pairing>::kName, "pairs", "op.id", "op.name"},
    {"weight_pairs", FileOf<Pairing>::kName, "weights", "op.id", "op.name", false},
    {"nodes", FileOf<ProfileRecord>::kName, "reference.nodes", "", ""},
    {"quantized_nodes", FileOf<ProfileRecord>::kName, "quantized.nodes", "", "", false},
    {"times", FileOf<ProfileRecord>::kName, "ops", "", "", false},
    {"findings", FileOf<Diagnosis>::kName, "findings", "", "", false},
    {"graph", FileOf<GraphOutline>::kName, "ops", "op", "name"},
};

bool is_op(const json::Value& op, std::string_view wanted) {
  const auto* object = op.if_object();
  if (object == nullptr) return false;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"id", "name"}, [&](const char* key) {
        const json::Value* value = object->if_contains(key);
        return value != nullptr && value->is_string() && value->get_string() == wanted;
      });
}

bool names_op(const json::Value& ops, std::string_view wanted) {
  const auto* list = ops.if_array();
  return list != nullptr &&
         std::ranges::any_of(*list, [&](const json::Value& op) { return is_op(op, wanted); });
}

}  // namespace

std::span<const OpList> op_lists() {
  return kLists;
}

std::vector<json::Value> OpRows::of(const OpList& list) const {
  const fs::path record = run_.folder / list.record;
  return list.id.empty() ? find_naming(record, list.list)
                         : find(record, list.list, list.id, list.name);
}

std::vector<json::Value> OpRows::find(const fs::path& record, std::string_view list,
                                      std::string_view id, std::string_view name) const {
  const auto rows = if_there([&] { return StoredRows(context_, record, list); });
  if (!rows) return {};
  std::vector<json::Value> found = rows->find(id, op_, kMost);
  return found.empty() ? rows->find(name, op_, kMost) : found;
}

std::vector<json::Value> OpRows::find_naming(const fs::path& record, std::string_view list) const {
  std::vector<json::Value> found;
  const auto table =
      if_there([&] { return TableReader::open(context_.store, context_.indexes, record, list); });
  if (!table || !table->has("ops")) return found;
  const boost::json::array all = table->column("ops", 0, table->size());
  const bool has_op = table->has("op.id");
  boost::json::array single;
  if (has_op) single = table->column("op", 0, table->size());
  for (std::size_t i = 0; i < all.size() && found.size() < kMost; ++i) {
    const bool is_named = names_op(all[i], op_) || (has_op && is_op(single[i], op_));
    if (!is_named) continue;
    for (json::Value& one : table->rows(i, 1)) found.push_back(std::move(one));
  }
  return found;
}

std::string OpRows::state(const Run& run) {
  std::string state;
  for (const OpList& list : kLists)
    state += state_of(TableReader::files(run.folder / list.record, list.list));
  return state;
}

}  // namespace quantlens::server
