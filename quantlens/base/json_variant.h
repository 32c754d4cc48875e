// JSON of variants, beside what json.h knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "quantlens/base/json.h"

namespace quantlens::json {

/// What documents call a struct that is one of a variant's; to be specialized for each.
template <class T>
inline constexpr std::string_view kVariantName{};

}  // namespace quantlens::json

// Where `encode` and `decode` look for the forms of types.
namespace quantlens::json::detail {

/// The member of a variant's object that says which struct it is.
inline constexpr const char* kIs = "is";

/// A variant of std::monostate and described structs with a kVariantName: null, or the struct's
/// object with this name as the member "is" in front.
template <class... T>
Value encode_as(Tag<std::variant<std::monostate, T...>>,
                const std::variant<std::monostate, T...>& value) {
  return std::visit(
      [](const auto& one) -> Value {
        using One = std::remove_cvref_t<decltype(one)>;
        if constexpr (std::is_same_v<One, std::monostate>) {
          return nullptr;
        } else {
          static_assert(!kVariantName<One>.empty(), "a struct in a variant needs a name");
          boost::json::object out{{kIs, kVariantName<One>}};
          const Value fields = encode_as(Tag<One>(), one);
          for (const auto& field : fields.get_object()) out.insert(field);
          return out;
        }
      },
      value);
}

/// The reverse. A name that is none of these is nothing: a newer quantlens may know more.
template <class... T>
void decode_as(Tag<std::variant<std::monostate, T...>>, const Value& value, const Place& place,
               std::variant<std::monostate, T...>& out) {
  out = std::monostate();
  if (value.is_null()) return;
  const Value* is = decode_object(value, place).if_contains(kIs);
  if (is == nullptr) fail(place, "expected a member 'is'");
  const std::string name = decode_string(*is, Place{&place, kIs});
  const auto decode_if = [&](auto tag) {
    using One = typename decltype(tag)::type;
    if (name == kVariantName<One>) decode_as(Tag<One>(), value, place, out.template emplace<One>());
  };
  (decode_if(boost::mp11::mp_identity<T>()), ...);
}

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<std::monostate, T...>> : std::true_type {};

}  // namespace quantlens::json::detail

// Those of json.h see no form that is declared after them.
namespace quantlens::json {

template <class T>
requires detail::IsVariant<T>::value Value encode(const T& value) {
  return detail::encode_as(detail::Tag<T>(), value);
}

template <class T>
requires detail::IsVariant<T>::value T decode(const Value& value, std::string_view where) {
  T out{};
  detail::decode_as(detail::Tag<T>(), value, detail::Place{nullptr, where}, out);
  return out;
}

}  // namespace quantlens::json
