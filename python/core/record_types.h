// The Python source of the records' classes, made of the descriptions that JSON is made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include <fmt/format.h>

#include "python/core/to_python.h"

namespace quantlens::python {

/// Writes one class for each record that it is asked for, and for all that those hold.
class RecordTypes {
 public:
  template <DescribedRecord T>
  void add() {
    const std::string name = class_name<T>();
    if (!known_.insert(name).second) return;
    std::string fields;
    boost::mp11::mp_for_each<RecordMembers<T>>([&](auto member) {
      using Field = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
      fields += fmt::format("    {}: {}\n", field_name(member.name), type_of(TypeTag<Field>()));
    });
    text_ += fmt::format("\n\n@dataclass\nclass {}(Record):\n{}", name,
                         fields.empty() ? "    pass\n" : fields);
  }

  /// Those of a class stand before it.
  const std::string& text() const { return text_; }

 private:
  /// A word that Python keeps for itself ends in '_'.
  static std::string field_name(std::string name) {
    for (const char* kept :
         {"is", "from", "in", "class", "pass", "not", "or", "and", "None", "lambda"})
      if (name == kept) return name + "_";
    return name;
  }

  std::string type_of(TypeTag<json::Value>) { return "Any"; }
  std::string type_of(TypeTag<std::string>) { return "str"; }
  std::string type_of(TypeTag<std::filesystem::path>) { return "str"; }
  template <class T>
  requires std::is_arithmetic_v<T> std::string type_of(TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    return std::is_floating_point_v<T> ? "float" : "int";
  }
  template <WordEnum T>
  std::string type_of(TypeTag<T>) {
    std::string all;
    for (const std::string_view one : words<T>())
      all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", one);
    return "Literal[" + all + "]";
  }
  template <class T>
  std::string type_of(TypeTag<std::optional<T>>) {
    return type_of(TypeTag<T>()) + " | None";
  }
  template <class T>
  std::string type_of(TypeTag<std::vector<T>>) {
    return "list[" + type_of(TypeTag<T>()) + "]";
  }
  template <class T, std::size_t N>
  std::string type_of(TypeTag<std::array<T, N>>) {
    std::string all = type_of(TypeTag<T>());
    for (std::size_t i = 1; i < N; ++i) all += ", " + type_of(TypeTag<T>());
    return "tuple[" + all + "]";
  }
  template <class T>
  std::string type_of(TypeTag<std::map<std::string, T>>) {
    return "dict[str, " + type_of(TypeTag<T>()) + "]";
  }
  template <DescribedRecord T>
  std::string type_of(TypeTag<T>) {
    add<T>();
    return class_name<T>();
  }

  std::set<std::string> known_;
  std::string text_;
};

}  // namespace quantlens::python
