// SPDX-License-Identifier: Apache-2.0
#include "server/api/op_rows.h"

#include <algorithm>
#include <optional>

#include "quantlens/base/error.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::server {
namespace {

/// Absent: a run need not have it, and what is damaged is told where it is asked for itself.
std::optional<TableReader> table_of(const Context& context, const fs::path& record,
                                    std::string_view list) {
  try {
    return TableReader::open(context.store, record, list);
  } catch (const Error&) {
    return std::nullopt;
  }
}

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

std::vector<json::Value> OpRows::find(const fs::path& record, std::string_view list,
                                      std::string_view id, std::string_view name) const {
  std::vector<json::Value> found;
  const std::optional<TableReader> table = table_of(context_, record, list);
  if (!table) return found;
  const std::string state = state_of(TableReader::files(record, list));
  std::vector<std::uint64_t> rows = context_.rows.find(*table, state, id, op_);
  if (rows.empty()) rows = context_.rows.find(*table, state, name, op_);
  rows.resize(std::min(rows.size(), kMost));
  for (const std::uint64_t row : rows) {
    for (json::Value& one : table->rows(row, 1)) found.push_back(std::move(one));
  }
  return found;
}

std::vector<json::Value> OpRows::find_naming(const fs::path& record, std::string_view list) const {
  std::vector<json::Value> found;
  const std::optional<TableReader> table = table_of(context_, record, list);
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
  const auto add = [&](std::string_view record, std::initializer_list<std::string_view> lists) {
    for (const std::string_view list : lists)
      state += state_of(TableReader::files(run.folder / record, list));
  };
  add(FileOf<Diagnosis>::kName, {"activations", "weights", "findings"});
  add(FileOf<Plan>::kName, {"ops"});
  add(FileOf<Pairing>::kName, {"pairs", "weights"});
  add(FileOf<ProfileRecord>::kName, {"reference.nodes", "quantized.nodes", "ops"});
  add(FileOf<GraphOutline>::kName, {"ops"});
  return state;
}

}  // namespace quantlens::server
