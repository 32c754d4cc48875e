// SPDX-License-Identifier: Apache-2.0
#include "server/api/record_table.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

template <class Record>
json::Value schema_of_record(Schemas& schemas) {
  if constexpr (kIsBinary<Record>) {
    return nullptr;
  } else if constexpr (std::is_same_v<Record, Recipe>) {
    return schema_detail::of_type("object");  // in the words of --recipe (docs/recipes.md)
  } else {
    return schemas.of<Record>();
  }
}

struct Described {
  Schemas schemas;
  std::map<std::string_view, json::Value> of_record;  ///< by name; not of binary ones
};

const Described& described() {
  static const Described kAll = [] {
    Described all;
    all.schemas.lists_may_be_long = true;
    boost::mp11::mp_for_each<RecordFiles>([&](auto file) {
      using File = decltype(file);
      const std::string_view name = File::kName.substr(0, File::kName.find('.'));
      json::Value schema = schema_of_record<typename File::Record>(all.schemas);
      if (!schema.is_null()) all.of_record.emplace(name, std::move(schema));
    });
    return all;
  }();
  return kAll;
}

/// What a reference refers to, and of several forms the first.
const json::Value& resolved(const json::Value& schema) {
  const json::Value* at = &schema;
  for (;;) {
    const boost::json::object& object = at->as_object();
    if (const json::Value* reference = object.if_contains("$ref")) {
      const std::string_view name = reference->as_string();
      at = &described().schemas.all().at(name.substr(name.rfind('/') + 1));
    } else if (const json::Value* forms = object.if_contains("anyOf")) {
      at = &forms->as_array().front();
    } else {
      return *at;
    }
  }
}

const json::Value* property(const json::Value& schema, std::string_view name) {
  const auto* properties = resolved(schema).as_object().if_contains("properties");
  return properties != nullptr ? properties->as_object().if_contains(name) : nullptr;
}

void add_scalars(const json::Value& row, const std::string& before,
                 std::vector<std::string>& names) {
  const auto* properties = resolved(row).as_object().if_contains("properties");
  if (properties == nullptr) return;
  for (const auto& member : properties->as_object()) {
    const std::string name = before + std::string(member.key());
    const boost::json::object& schema = resolved(member.value()).as_object();
    const json::Value* type = schema.if_contains("type");
    if (type == nullptr || *type == "array") continue;
    if (*type != "object")
      names.push_back(name);
    else
      add_scalars(member.value(), name + ".", names);
  }
}

}  // namespace

const std::vector<RecordKind>& record_kinds() {
  static const std::vector<RecordKind> kKinds = [] {
    std::vector<RecordKind> kinds;
    boost::mp11::mp_for_each<RecordFiles>([&](auto file) {
      using File = decltype(file);
      kinds.push_back({.name = File::kName.substr(0, File::kName.find('.')),
                       .file = File::kName,
                       .is_binary = kIsBinary<typename File::Record>});
    });
    return kinds;
  }();
  return kKinds;
}

const RecordKind& json_record(std::string_view name) {
  const auto found = std::ranges::find(record_kinds(), name, &RecordKind::name);
  if (found == record_kinds().end()) {
    throw Error(Errc::not_found, fmt::format("There is no kind of record '{}'.", shown(name)));
  }
  if (found->is_binary) {
    throw Error(Errc::not_found,
                fmt::format("{} is binary: its histograms have an address of their own, and the "
                            "file lies in the workload's folder.",
                            found->file));
  }
  return *found;
}

void add_record_schemas(Schemas& schemas) {
  schemas = described().schemas;
  schemas.lists_may_be_long = false;
}

json::Value record_schema(Schemas&) {
  boost::json::array any;
  for (const auto& [name, schema] : described().of_record) any.push_back(schema);
  return boost::json::object{{"anyOf", std::move(any)}};
}

std::vector<std::string> scalar_columns(std::string_view record, std::string_view list) {
  const auto found = described().of_record.find(record);
  if (found == described().of_record.end()) return {};
  const json::Value* at = &found->second;
  while (!list.empty() && at != nullptr) {
    const std::size_t dot = std::min(list.find('.'), list.size());
    at = property(*at, list.substr(0, dot));
    list.remove_prefix(std::min(dot + 1, list.size()));
  }
  if (at == nullptr) return {};
  const json::Value* items = resolved(*at).as_object().if_contains("items");
  std::vector<std::string> names;
  if (items != nullptr) add_scalars(*items, "", names);
  return names;
}

}  // namespace quantlens::server
