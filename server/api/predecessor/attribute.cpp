// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/attribute.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include <boost/json/array.hpp>

#include "quantlens/base/json.h"

namespace quantlens::server {
namespace {

/// Attributes that are reals in ONNX, which a text such as "1" does not tell.
constexpr std::array kReals = {std::string_view("activation_alpha"),
                               std::string_view("activation_beta"),
                               std::string_view("alpha"),
                               std::string_view("beta"),
                               std::string_view("bias"),
                               std::string_view("clip"),
                               std::string_view("cubic_coeff_a"),
                               std::string_view("epsilon"),
                               std::string_view("extrapolation_value"),
                               std::string_view("gamma"),
                               std::string_view("high"),
                               std::string_view("lambd"),
                               std::string_view("low"),
                               std::string_view("max"),
                               std::string_view("mean"),
                               std::string_view("min"),
                               std::string_view("momentum"),
                               std::string_view("ratio"),
                               std::string_view("sample_size"),
                               std::string_view("scale"),
                               std::string_view("scales"),
                               std::string_view("seed"),
                               std::string_view("spatial_scale"),
                               std::string_view("threshold"),
                               std::string_view("value_float"),
                               std::string_view("value_floats")};

/// Attributes that are texts whatever they look like.
constexpr std::array kTexts = {std::string_view("equation"), std::string_view("value_string"),
                               std::string_view("value_strings")};

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

struct Typed {
  std::string_view type;
  json::Value value;
};

Typed typed(std::string_view name, std::string_view text) {
  Typed as_text{"string", json::Value(text)};
  if (std::ranges::find(kTexts, name) != kTexts.end()) return as_text;
  if (std::ranges::find(kReals, name) == kReals.end()) {
    if (const auto whole = number<std::int64_t>(text)) return {"int64", *whole};
  }
  const auto real = number<double>(text);
  if (real && std::isfinite(*real)) return {"float32", *real};
  return as_text;
}

/// Nothing where it is no list of one type; one that was cut is none.
std::optional<Typed> typed_list(std::string_view name, std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Typed list{"int64", boost::json::array()};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    Typed item = typed(name, text.substr(0, end));
    boost::json::array& items = list.value.as_array();
    if (item.type == "string") return std::nullopt;
    // "[0.5,1]" are reals, all of them
    if (item.type == "float32") list.type = item.type;
    items.push_back(std::move(item.value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

}  // namespace

boost::json::object attribute_of(std::string_view name, std::string_view text) {
  std::optional<Typed> made = typed_list(name, text);
  if (!made) made = typed(name, text);
  return {{"attribute_type", made->type}, {"name", name}, {"value", std::move(made->value)}};
}

}  // namespace quantlens::server
