// JSON Schemas of described structs, as OpenAPI 3.1 has them: what json::encode writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <variant>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/mp11.hpp>

#include "quantlens/base/json.h"
#include "quantlens/base/words.h"
#include "quantlens/quant/params.h"

namespace quantlens::server {

/// Schemas by name: each struct once, others refer to it.
class Schemas {
 public:
  /// Of what json::encode makes of a T. A list of structs may also be {"rows", "stamp"} while
  /// `lists_may_be_long` is set: a record's long lists have files of their own.
  template <class T>
  json::Value of();

  bool lists_may_be_long = false;
  /// All that was asked for so far, as components/schemas has them.
  const boost::json::object& all() const { return all_; }

 private:
  json::Value list_of(json::Value items) const;
  /// Its own: of two structs of one name, in two files, the second has a number behind.
  std::string name_of(const std::type_info& type);
  template <class T>
  json::Value of_struct();

  boost::json::object all_;
  std::map<std::string, std::type_index> types_;  // by name
};

namespace schema_detail {

json::Value reference_to(std::string_view name);
json::Value or_null(json::Value schema);
json::Value real();
json::Value whole(bool is_signed);
json::Value text();
json::Value of_type(std::string_view type);
json::Value one_of(const std::vector<std::string_view>& words);
json::Value map_of(json::Value values);
json::Value array_of(json::Value items, std::size_t length);
/// A list of these is in columns where it has two or more.
json::Value parameters(json::Value list);

template <class T>
struct Shape {};
template <class T>
struct Shape<std::optional<T>> {
  using Optional = T;
};
template <class T>
struct Shape<std::vector<T>> {
  using List = T;
};
template <class T, std::size_t N>
struct Shape<std::array<T, N>> {
  using Array = T;
  static constexpr std::size_t kLength = N;
};
template <class T>
struct Shape<std::map<std::string, T>> {
  using Map = T;
};
template <class... T>
struct Shape<std::variant<T...>> {
  using Variant = void;
};

}  // namespace schema_detail

template <class T>
json::Value Schemas::of() {
  namespace detail = schema_detail;
  using Shape = detail::Shape<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return detail::of_type("boolean");
  } else if constexpr (std::is_floating_point_v<T>) {
    return detail::real();
  } else if constexpr (std::is_integral_v<T>) {
    return detail::whole(std::is_signed_v<T>);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return detail::text();
  } else if constexpr (std::is_same_v<T, json::Value>) {
    return boost::json::object();
  } else if constexpr (WordEnum<T>) {
    return detail::one_of(words<T>());
  } else if constexpr (requires { typename Shape::Optional; }) {
    return detail::or_null(of<typename Shape::Optional>());
  } else if constexpr (requires { typename Shape::List; }) {
    using Item = typename Shape::List;
    json::Value list = boost::json::object{{"type", "array"}, {"items", of<Item>()}};
    if constexpr (std::is_same_v<Item, QParams>) return detail::parameters(std::move(list));
    if constexpr (boost::describe::has_describe_members<Item>::value)
      return list_of(std::move(list));
    return list;
  } else if constexpr (requires { typename Shape::Array; }) {
    return detail::array_of(of<typename Shape::Array>(), Shape::kLength);
  } else if constexpr (requires { typename Shape::Map; }) {
    return detail::map_of(of<typename Shape::Map>());
  } else if constexpr (requires { typename Shape::Variant; }) {
    return detail::or_null(detail::of_type("object"));
  } else {
    return of_struct<T>();
  }
}

template <class T>
json::Value Schemas::of_struct() {
  const std::string name = name_of(typeid(T));
  if (all_.contains(name)) return schema_detail::reference_to(name);
  all_[name] = nullptr;  // it may hold itself
  boost::json::object properties;
  boost::json::array needed;
  using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto member) {
    using Field = std::remove_cvref_t<decltype(std::declval<T>().*member.pointer)>;
    properties[member.name] = of<Field>();
    needed.emplace_back(member.name);
  });
  all_[name] = boost::json::object{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(needed)}};
  return schema_detail::reference_to(name);
}

}  // namespace quantlens::server
