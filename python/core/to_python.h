// What records become in Python: instances of the classes in quantlens/records.py, which are made
// of the same descriptions (record_types.h). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <boost/core/demangle.hpp>
#include <nanobind/nanobind.h>

#include "quantlens/base/json.h"
#include "quantlens/base/words.h"
#include "quantlens/report/all_tables.h"

namespace quantlens::python {

namespace nb = nanobind;

template <class T>
struct TypeTag {};

template <class T>
concept DescribedRecord = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

template <class T>
using RecordMembers = boost::describe::describe_members<T, boost::describe::mod_public |
                                                               boost::describe::mod_inherited>;

/// "ActivationRow": record names are unique without their namespaces.
template <class T>
std::string class_name() {
  const std::string whole = boost::core::demangle(typeid(T).name());
  const std::size_t at = whole.rfind(':');
  return at == std::string::npos ? whole : whole.substr(at + 1);
}

/// A class of quantlens.records.
nb::object record_class(const std::string& name);

nb::object json_to_python(const json::Value& value);

/// Columns as lists, by their titles.
nb::dict columns_of(const Table& table);

/// The same of each, by its file without the ending.
nb::dict tables_to_python(const std::vector<NamedTable>& tables);

// The overloads are declared first, so that they find each other whatever the nesting.
inline nb::object to_python(const json::Value& value) {
  return json_to_python(value);
}
inline nb::object to_python(const std::string& value) {
  return nb::str(value.data(), value.size());
}
inline nb::object to_python(const std::filesystem::path& value) {
  return to_python(value.native());
}
template <class T>
requires std::is_arithmetic_v<T> nb::object to_python(T value);
template <WordEnum T>
nb::object to_python(T value);
template <class T>
nb::object to_python(const std::optional<T>& value);
template <class T>
nb::object to_python(const std::vector<T>& value);
template <class T, std::size_t N>
nb::object to_python(const std::array<T, N>& value);
template <class T>
nb::object to_python(const std::map<std::string, T>& value);
template <DescribedRecord T>
nb::object to_python(const T& value);

template <class T>
requires std::is_arithmetic_v<T> nb::object to_python(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return nb::bool_(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return nb::float_(static_cast<double>(value));
  } else {
    return nb::int_(value);
  }
}

template <WordEnum T>
nb::object to_python(T value) {
  const std::string_view text = word(value);
  return text.empty() ? nb::object(nb::none()) : nb::object(nb::str(text.data(), text.size()));
}

template <class T>
nb::object to_python(const std::optional<T>& value) {
  return value ? to_python(*value) : nb::object(nb::none());
}

template <class T>
nb::object to_python(const std::vector<T>& value) {
  nb::list list;
  for (const T& one : value) list.append(to_python(one));
  return list;
}

template <class T, std::size_t N>
nb::object to_python(const std::array<T, N>& value) {
  nb::list list;
  for (const T& one : value) list.append(to_python(one));
  return nb::tuple(list);
}

template <class T>
nb::object to_python(const std::map<std::string, T>& value) {
  nb::dict dict;
  for (const auto& [key, one] : value) dict[to_python(key)] = to_python(one);
  return dict;
}

template <DescribedRecord T>
nb::object to_python(const T& value) {
  static PyObject* const type =
      record_class(class_name<T>()).release().ptr();  // lives as long as the module
  nb::list fields;
  boost::mp11::mp_for_each<RecordMembers<T>>(
      [&](auto member) { fields.append(to_python(value.*member.pointer)); });
  return nb::handle(type)(*nb::tuple(fields));
}

}  // namespace quantlens::python
