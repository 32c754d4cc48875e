// SPDX-License-Identifier: Apache-2.0
#include "server/api/openapi.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "server/api/record_table.h"
#include "server/api/route.h"

namespace quantlens::server {
namespace {

using boost::json::array;
using boost::json::object;

object sentence(std::string_view meaning) {
  return {{"description", meaning},
          {"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}};
}

object parameter(std::string_view in, const Parameter& one) {
  return {{"name", one.name},
          {"in", in},
          {"required", in == "path" || one.is_needed},
          {"description", one.meaning},
          {"schema", {{"type", one.type}}}};
}

object json_body(json::Value schema) {
  return {{std::string(kJson), {{"schema", std::move(schema)}}}};
}

/// What a POST has in its body: the predecessors' clients send lists and texts alike.
json::Value body_of(const Route& route) {
  object properties;
  array needed;
  for (const Parameter& one : route.parameters) {
    const object single{{"type", one.type}};
    properties[one.name] =
        object{{"description", one.meaning},
               {"anyOf", {single, object{{"type", "array"}, {"items", single}}}}};
    if (one.is_needed) needed.emplace_back(one.name);
  }
  object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!needed.empty()) schema["required"] = std::move(needed);
  return schema;
}

object content_of(const Route& route, Schemas& schemas) {
  if (route.schema != nullptr) return json_body(route.schema(schemas));
  return {{route.type, {{"schema", {{"type", "string"}}}}}};
}

object operation(const Route& route, std::string_view method, Schemas& schemas) {
  array parameters;
  for (const std::string_view name : names_in(route.path)) {
    parameters.push_back(parameter("path", {.name = name, .type = "string", .meaning = ""}));
  }
  object made{{"summary", route.summary}};
  if (method == "POST") {
    if (!route.parameters.empty()) made["requestBody"] = {{"content", json_body(body_of(route))}};
  } else {
    for (const Parameter& one : route.parameters) parameters.push_back(parameter("query", one));
  }
  if (route.body != nullptr) {
    made["requestBody"] = {{"required", true},
                           {"content", {{route.body_type, {{"schema", route.body(schemas)}}}}}};
  }
  made["parameters"] = std::move(parameters);
  made["responses"] = {{std::to_string(route.status),
                        {{"description", route.summary}, {"content", content_of(route, schemas)}}},
                       {"default", sentence("What is wrong, in one sentence.")}};
  return made;
}

}  // namespace

boost::json::object openapi() {
  Schemas schemas;
  add_record_schemas(schemas);
  object paths;
  for (const Route& route : routes()) {
    const json::Value empty = object();
    object& path = paths.emplace(route.path, empty).first->value().as_object();
    for (const std::string_view method : {"GET", "POST", "PUT", "DELETE"}) {
      if (!has_method(route, method)) continue;
      std::string key(method);
      std::ranges::transform(key, key.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      path[key] = operation(route, method, schemas);
    }
  }
  object all = schemas.all();
  all["LongList"] = {
      {"type", "object"},
      {"description", "A long list of a record, which the table routes have."},
      {"properties",
       {{"rows", {{"type", "integer"}, {"minimum", 0}}}, {"stamp", {{"type", "string"}}}}},
      {"required", {"rows", "stamp"}}};
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "quantlens"},
            {"version", "1"},
            {"description", "Stored runs, their records, tables and histograms."}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(all)}}}};
}

}  // namespace quantlens::server
