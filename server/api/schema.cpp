// SPDX-License-Identifier: Apache-2.0
#include "server/api/schema.h"

#include <boost/core/demangle.hpp>
#include <fmt/format.h>

namespace quantlens::server {

json::Value Schemas::list_of(json::Value items) const {
  if (!lists_may_be_long) return items;
  return boost::json::object{
      {"anyOf", {std::move(items), schema_detail::reference_to("LongList")}}};
}

std::string Schemas::name_of(const std::type_info& type) {
  const std::string whole = boost::core::demangle(type.name());  // "quantlens::server::RunList"
  const std::string name = whole.substr(whole.rfind(':') + 1);
  for (int number = 1;; ++number) {
    std::string own = number == 1 ? name : name + std::to_string(number);
    if (types_.try_emplace(own, type).first->second == type) return own;
  }
}

namespace schema_detail {

json::Value reference_to(std::string_view name) {
  return boost::json::object{{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

json::Value or_null(json::Value schema) {
  return boost::json::object{{"anyOf", {std::move(schema), of_type("null")}}};
}

json::Value of_type(std::string_view type) {
  return boost::json::object{{"type", type}};
}

json::Value text() {
  return of_type("string");
}

json::Value real() {
  return boost::json::object{
      {"anyOf", {of_type("number"), boost::json::object{{"enum", {"nan", "inf", "-inf"}}}}}};
}

json::Value whole(bool is_signed) {
  boost::json::object schema{{"type", "integer"}};
  if (!is_signed) schema["minimum"] = 0;
  return schema;
}

json::Value one_of(const std::vector<std::string_view>& words) {
  boost::json::array all(words.begin(), words.end());
  return boost::json::object{{"type", "string"}, {"enum", std::move(all)}};
}

json::Value map_of(json::Value values) {
  return boost::json::object{{"type", "object"}, {"additionalProperties", std::move(values)}};
}

json::Value array_of(json::Value items, std::size_t length) {
  return boost::json::object{
      {"type", "array"}, {"items", std::move(items)}, {"minItems", length}, {"maxItems", length}};
}

json::Value parameters(json::Value list) {
  return boost::json::object{{"anyOf", {std::move(list), of_type("object")}}};
}

}  // namespace schema_detail
}  // namespace quantlens::server
