// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11.hpp>

namespace quantlens::json {

using Value = boost::json::value;

/// Whether fields of this type are left out of documents where they hold what T() does, which
/// reading them gives again. To be specialized.
template <class T>
inline constexpr bool kLeftOutIfUsual = false;

/// Deterministic text: object keys in their order of declaration, two-space indentation, arrays of
/// numbers and small objects of numbers and words on one line, shortest doubles that read back
/// equal, NaN and infinities as the strings "nan", "inf", "-inf", invalid UTF-8 as U+FFFD. Ends in
/// a newline. At most 64 levels deep.
std::string dump(const Value& value);

/// Strict JSON, at most 64 levels deep. Throws Errc::bad_input with `where`, line and column.
Value parse(std::string_view text, std::string_view where);

/// Turns described structs, enums (by their words: words.h), strings, paths, numbers, bool,
/// optional (absent: null), vectors, arrays and string maps into JSON; a Value stays as it is. A
/// struct's fields are declared once, by BOOST_DESCRIBE_STRUCT; those of its described bases come
/// first.
template <class T>
Value encode(const T& value);

/// The reverse. Missing fields keep their defaults, unknown keys are ignored; a wrong type throws
/// Errc::bad_input naming the path, e.g. "plan.json: ops[3].scale: expected a number".
template <class T>
T decode(const Value& value, std::string_view where);

}  // namespace quantlens::json

#include "quantlens/base/json_impl.h"
