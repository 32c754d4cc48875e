// The templates behind json.h: one overload for each kind of type, chosen by its shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "quantlens/base/json.h"
#include "quantlens/base/words.h"

namespace quantlens::json::detail {

/// Where in a document a value stands; links live on the stack of `decode`.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;  ///< of the document, or of an object's member
  std::size_t index = 0;  ///< of an array's element, where `name` is empty
};

/// Throws Errc::bad_input: "plan.json: ops[3].scale: expected a number".
[[noreturn]] void fail(const Place& place, std::string_view problem);
[[noreturn]] void fail_enum(const Place& place, const Value& value,
                            const std::vector<std::string_view>& names);

Value encode_double(double value);
Value encode_float(float value);  ///< a double that prints as the shortest float
double decode_double(const Value& value, const Place& place);
/// The integer with its sign apart, so that both 64-bit ranges fit; throws outside [min, max].
std::int64_t decode_signed(const Value& value, std::int64_t min, std::int64_t max,
                           const Place& place);
std::uint64_t decode_unsigned(const Value& value, std::uint64_t max, const Place& place);
const boost::json::array& decode_array(const Value& value, const Place& place);
const boost::json::object& decode_object(const Value& value, const Place& place);
std::string decode_string(const Value& value, const Place& place);
bool decode_bool(const Value& value, const Place& place);

template <class T>
struct Tag {};

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                         boost::describe::mod_inherited>;

// The overloads are declared first, so that they find each other whatever the nesting.
inline Value encode_as(Tag<Value>, const Value& value) {
  return value;
}
inline Value encode_as(Tag<bool>, bool value) {
  return value;
}
inline Value encode_as(Tag<double>, double value) {
  return encode_double(value);
}
inline Value encode_as(Tag<float>, float value) {
  return encode_float(value);
}
inline Value encode_as(Tag<std::string>, const std::string& value) {
  return Value(value);
}
inline Value encode_as(Tag<std::filesystem::path>, const std::filesystem::path& value) {
  return Value(value.native());
}
template <class T>
requires kIsInteger<T> Value encode_as(Tag<T>, T value);
template <WordEnum T>
Value encode_as(Tag<T>, T value);
template <class T>
Value encode_as(Tag<std::optional<T>>, const std::optional<T>& value);
template <class T>
Value encode_as(Tag<std::vector<T>>, const std::vector<T>& value);
template <class T, std::size_t N>
Value encode_as(Tag<std::array<T, N>>, const std::array<T, N>& value);
template <class T>
Value encode_as(Tag<std::map<std::string, T>>, const std::map<std::string, T>& value);
template <DescribedStruct T>
Value encode_as(Tag<T>, const T& value);

inline void decode_as(Tag<Value>, const Value& value, const Place&, Value& out) {
  out = value;
}
inline void decode_as(Tag<bool>, const Value& value, const Place& place, bool& out) {
  out = decode_bool(value, place);
}
inline void decode_as(Tag<double>, const Value& value, const Place& place, double& out) {
  out = decode_double(value, place);
}
void decode_as(Tag<float>, const Value& value, const Place& place, float& out);
inline void decode_as(Tag<std::string>, const Value& value, const Place& place, std::string& out) {
  out = decode_string(value, place);
}
inline void decode_as(Tag<std::filesystem::path>, const Value& value, const Place& place,
                      std::filesystem::path& out) {
  out = decode_string(value, place);
}
template <class T>
requires kIsInteger<T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out);
template <WordEnum T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out);
template <class T>
void decode_as(Tag<std::optional<T>>, const Value& value, const Place& place,
               std::optional<T>& out);
template <class T>
void decode_as(Tag<std::vector<T>>, const Value& value, const Place& place, std::vector<T>& out);
template <class T, std::size_t N>
void decode_as(Tag<std::array<T, N>>, const Value& value, const Place& place,
               std::array<T, N>& out);
template <class T>
void decode_as(Tag<std::map<std::string, T>>, const Value& value, const Place& place,
               std::map<std::string, T>& out);
template <DescribedStruct T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out);

template <class T>
requires kIsInteger<T> Value encode_as(Tag<T>, T value) {
  if constexpr (std::is_signed_v<T>) {
    return Value(static_cast<std::int64_t>(value));
  } else {
    return Value(static_cast<std::uint64_t>(value));
  }
}

template <class T>
requires kIsInteger<T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    out = static_cast<T>(decode_signed(value, Limits::min(), Limits::max(), place));
  } else {
    out = static_cast<T>(decode_unsigned(value, Limits::max(), place));
  }
}

template <WordEnum T>
Value encode_as(Tag<T>, T value) {
  const std::string_view text = word(value);
  return text.empty() ? Value(nullptr) : Value(text);  // a number without a word stays null
}

template <WordEnum T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out) {
  const std::string_view text =
      value.is_string() ? std::string_view(value.get_string()) : std::string_view();
  const std::optional<T> found = from_word<T>(text);
  if (!found) fail_enum(place, value, words<T>());
  out = *found;
}

template <class T>
Value encode_as(Tag<std::optional<T>>, const std::optional<T>& value) {
  return value ? encode_as(Tag<T>(), *value) : Value(nullptr);
}

template <class T>
void decode_as(Tag<std::optional<T>>, const Value& value, const Place& place,
               std::optional<T>& out) {
  out.reset();
  if (!value.is_null()) decode_as(Tag<T>(), value, place, out.emplace());
}

template <class T>
Value encode_as(Tag<std::vector<T>>, const std::vector<T>& value) {
  boost::json::array out;
  out.reserve(value.size());
  for (const T& element : value) out.push_back(encode_as(Tag<T>(), element));
  return out;
}

template <class T>
void decode_as(Tag<std::vector<T>>, const Value& value, const Place& place, std::vector<T>& out) {
  const boost::json::array& array = decode_array(value, place);
  out.clear();
  out.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    decode_as(Tag<T>(), array[i], Place{&place, {}, i}, out.emplace_back());
  }
}

template <class T, std::size_t N>
Value encode_as(Tag<std::array<T, N>>, const std::array<T, N>& value) {
  boost::json::array out;
  for (const T& element : value) out.push_back(encode_as(Tag<T>(), element));
  return out;
}

template <class T, std::size_t N>
void decode_as(Tag<std::array<T, N>>, const Value& value, const Place& place,
               std::array<T, N>& out) {
  const boost::json::array& array = decode_array(value, place);
  if (array.size() != N) fail(place, "expected an array of " + std::to_string(N) + " elements");
  for (std::size_t i = 0; i < N; ++i) {
    decode_as(Tag<T>(), array[i], Place{&place, {}, i}, out[i]);
  }
}

template <class T>
Value encode_as(Tag<std::map<std::string, T>>, const std::map<std::string, T>& value) {
  boost::json::object out;
  for (const auto& [key, element] : value) out.emplace(key, encode_as(Tag<T>(), element));
  return out;
}

template <class T>
void decode_as(Tag<std::map<std::string, T>>, const Value& value, const Place& place,
               std::map<std::string, T>& out) {
  out.clear();
  for (const auto& member : decode_object(value, place)) {
    T element{};
    decode_as(Tag<T>(), member.value(), Place{&place, member.key()}, element);
    out.emplace(std::string(member.key()), std::move(element));
  }
}

template <DescribedStruct T>
Value encode_as(Tag<T>, const T& value) {
  boost::json::object out;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    using Field = std::remove_cvref_t<decltype(value.*member.pointer)>;
    if constexpr (kLeftOutIfUsual<Field>) {
      if (value.*member.pointer == Field()) return;
    }
    out.emplace(member.name, encode_as(Tag<Field>(), value.*member.pointer));
  });
  return out;
}

template <DescribedStruct T>
void decode_as(Tag<T>, const Value& value, const Place& place, T& out) {
  const boost::json::object& object = decode_object(value, place);
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    const Value* field = object.if_contains(member.name);
    if (field == nullptr) return;
    using Field = std::remove_cvref_t<decltype(out.*member.pointer)>;
    decode_as(Tag<Field>(), *field, Place{&place, member.name}, out.*member.pointer);
  });
}

}  // namespace quantlens::json::detail

namespace quantlens::json {

template <class T>
Value encode(const T& value) {
  return detail::encode_as(detail::Tag<T>(), value);
}

template <class T>
T decode(const Value& value, std::string_view where) {
  T out{};
  detail::decode_as(detail::Tag<T>(), value, detail::Place{nullptr, where}, out);
  return out;
}

}  // namespace quantlens::json
