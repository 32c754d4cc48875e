// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

namespace quantlens {

/// The words of an enum that is too long to be described: specialized with `get()`, which gives
/// them in the order of its enumerators, which count from 0.
template <class E>
struct EnumWords;

template <class E>
concept TabledEnum = requires {
  EnumWords<E>::get();
};

template <class E>
concept DescribedEnum = boost::describe::has_describe_enumerators<E>::value;

/// An enum whose enumerators have words, in records, recipes, tables and on the command line.
template <class E>
concept WordEnum = DescribedEnum<E> || TabledEnum<E>;

namespace detail {

/// The enumerator `float_` is the word "float": a last '_' is for words that C++ keeps for itself.
constexpr std::string_view word_of_name(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

}  // namespace detail

/// "per_channel"; empty for a number that is no enumerator.
template <WordEnum E>
constexpr std::string_view word(E value) {
  std::string_view found;
  if constexpr (TabledEnum<E>) {
    const std::span<const std::string_view> words = EnumWords<E>::get();
    const auto number = static_cast<std::size_t>(value);
    if (number < words.size()) found = words[number];
  } else {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
      if (enumerator.value == value) found = detail::word_of_name(enumerator.name);
    });
  }
  return found;
}

/// All words, in the order of the enumerators.
template <WordEnum E>
std::vector<std::string_view> words() {
  std::vector<std::string_view> all;
  if constexpr (TabledEnum<E>) {
    const std::span<const std::string_view> table = EnumWords<E>::get();
    all.assign(table.begin(), table.end());
  } else {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
        [&](auto enumerator) { all.push_back(detail::word_of_name(enumerator.name)); });
  }
  return all;
}

/// The reverse of `word`; nothing: it is no word of the enum.
template <WordEnum E>
constexpr std::optional<E> from_word(std::string_view text) {
  std::optional<E> found;
  if constexpr (TabledEnum<E>) {
    const std::span<const std::string_view> table = EnumWords<E>::get();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i] == text) found = static_cast<E>(i);
    }
  } else {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
      if (detail::word_of_name(enumerator.name) == text) found = enumerator.value;
    });
  }
  return found;
}

}  // namespace quantlens
