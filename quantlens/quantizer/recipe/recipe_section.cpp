// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/recipe_section.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {

const json::Value* first_of(const json::Value* value) {
  if (value != nullptr && value->is_array()) {
    value = value->get_array().empty() ? nullptr : &value->get_array()[0];
  }
  return value == nullptr || value->is_null() ? nullptr : value;
}

void fail_word(const std::string& where, const std::string& text,
               const std::vector<std::string_view>& may_be) {
  const std::vector<std::string> names(may_be.begin(), may_be.end());
  const std::string near = did_you_mean(text, names);
  throw Error(Errc::usage, fmt::format("{} cannot be '{}'; {}it may be {}", where, printable(text),
                                       near.empty() ? "" : near + " ", fmt::join(may_be, ", ")));
}

Section::Section(const json::Value& value, std::string where, const std::vector<std::string>& keys)
    : where_(std::move(where)) {
  if (!value.is_object()) throw Error(Errc::usage, where_ + ": expected a mapping of options");
  object_ = &value.get_object();
  for (const auto& entry : *object_) {
    const std::string key(entry.key());
    if (std::ranges::find(keys, key) != keys.end()) continue;
    const std::string near = did_you_mean(key, keys);
    throw Error(Errc::usage,
                fmt::format("{}: unknown option '{}'; {}", where_, printable(key),
                            near.empty() ? fmt::format("known: {}", fmt::join(keys, ", ")) : near));
  }
}

const json::Value* Section::find(std::string_view key) const {
  return object_->if_contains(key);
}

std::string Section::where(std::string_view key) const {
  return fmt::format("{}.{}", where_, key);
}

std::optional<std::string> Section::text(std::string_view key) const {
  const json::Value* value = first_of(find(key));
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return std::string(value->get_string());
  if (value->is_bool()) return value->get_bool() ? "true" : "false";
  throw Error(Errc::usage, where(key) + ": expected a word");
}

std::optional<bool> Section::flag(std::string_view key) const {
  const json::Value* value = first_of(find(key));
  if (value == nullptr) return std::nullopt;
  if (!value->is_bool()) throw Error(Errc::usage, where(key) + ": expected true or false");
  return value->get_bool();
}

std::optional<std::uint64_t> Section::count(std::string_view key) const {
  const json::Value* value = first_of(find(key));
  if (value == nullptr) return std::nullopt;
  std::int64_t number = value->is_int64() ? value->get_int64() : 0;
  if (value->is_string()) {  // "50, 100", as YAML files of the predecessors have it
    std::string_view list = value->get_string();
    list = list.substr(0, list.find(','));
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
    if (error != std::errc() || end != list.data() + list.size()) number = 0;
  }
  if (number < 1) throw Error(Errc::usage, where(key) + ": expected a whole number of at least 1");
  return static_cast<std::uint64_t>(number);
}

std::optional<double> Section::number(std::string_view key) const {
  const json::Value* value = first_of(find(key));
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) throw Error(Errc::usage, where(key) + ": expected a number");
  return value->to_number<double>();
}

std::vector<std::string> Section::words(std::string_view key) const {
  const json::Value* value = find(key);
  std::vector<std::string> words;
  if (value == nullptr || value->is_null()) return words;
  const bool is_list = value->is_array();
  const std::size_t count = is_list ? value->get_array().size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const json::Value& word = is_list ? value->get_array()[i] : *value;
    if (!word.is_string()) throw Error(Errc::usage, where(key) + ": expected a list of words");
    words.emplace_back(word.get_string());
  }
  return words;
}

}  // namespace quantlens
