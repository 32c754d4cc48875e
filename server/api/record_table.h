// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/api/schema.h"

namespace quantlens::server {

/// A kind of record, as addresses name it.
struct RecordKind {
  std::string_view name;  ///< "diagnosis"
  std::string_view file;  ///< "diagnosis.json"
  bool is_binary = false;
};

const std::vector<RecordKind>& record_kinds();
/// Throws Errc::not_found for another word, and for binary ones, which have routes of their own or
/// none.
const RecordKind& json_record(std::string_view name);

/// Of all records, lists of theirs in files of their own included.
void add_record_schemas(Schemas& schemas);
/// Of any record.
json::Value record_schema(Schemas& schemas);

/// Columns of a list whose cells are numbers, texts or flags, "op.id" being a column, as the
/// structs have them; empty where the record has no such list.
std::vector<std::string> scalar_columns(std::string_view record, std::string_view list);

}  // namespace quantlens::server
