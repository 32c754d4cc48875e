// SPDX-License-Identifier: Apache-2.0
#include "server/api/arguments.h"

#include <algorithm>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "server/api/body.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostShown = 80;

std::string word_of(const json::Value& value, std::string_view name) {
  if (const auto* text = value.if_string()) return std::string(*text);
  if (value.is_object() || value.is_array() || value.is_null()) {
    throw Error(Errc::usage, fmt::format("'{}' in the request's body is no text, number or flag "
                                         "and no list of these",
                                         shown(name, kMostShown)));
  }
  return boost::json::serialize(value);
}

Pairs pairs_of_body(const Request& request) {
  json::Value value;
  try {
    value = json_of(request);
  } catch (const Error& error) {
    throw Error(Errc::usage, error.what());
  }
  const auto* object = value.if_object();
  if (object == nullptr) throw Error(Errc::usage, "the request's body is no JSON object");
  Pairs pairs;
  for (const auto& member : *object) {
    const std::string name(member.key());
    if (member.value().is_null()) continue;
    if (const auto* list = member.value().if_array()) {
      for (const json::Value& one : *list) pairs.emplace_back(name, word_of(one, name));
    } else {
      pairs.emplace_back(name, word_of(member.value(), name));
    }
  }
  return pairs;
}

}  // namespace

Arguments::Arguments(const Request& request) : pairs_(request.query) {
  if (request.method != "POST" || request.body.empty()) return;
  Pairs more = pairs_of_body(request);
  pairs_.insert(pairs_.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

std::optional<std::string_view> Arguments::text(std::string_view name) const {
  const auto found = std::ranges::find(pairs_, name, &Pairs::value_type::first);
  return found == pairs_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::string_view Arguments::needed(std::string_view name, const std::string& sentence) const {
  const std::optional<std::string_view> found = text(name);
  if (!found || found->empty()) throw Error(Errc::usage, sentence);
  return *found;
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : pairs_) {
    if (key == name) found.push_back(value);
  }
  return found;
}

std::uint64_t Arguments::number(std::string_view name, std::uint64_t usual, std::uint64_t least,
                                std::uint64_t most) const {
  const std::optional<std::string_view> found = text(name);
  if (!found) return usual;
  std::uint64_t value = 0;
  const char* end = found->data() + found->size();
  const auto [at, error] = std::from_chars(found->data(), end, value);
  if (error != std::errc() || at != end || value < least || value > most) {
    throw Error(Errc::usage, fmt::format("{}='{}' is no whole number from {} to {}", name,
                                         shown(*found, kMostShown), least, most));
  }
  return value;
}

std::string Arguments::canonical() const {
  // Of one name the order counts: the first of several is taken.
  std::vector<const Pairs::value_type*> sorted;
  for (const auto& pair : pairs_) sorted.push_back(&pair);
  std::ranges::stable_sort(sorted, {}, [](const auto* pair) { return pair->first; });
  std::string text;
  for (const auto* pair : sorted) {
    text += fmt::format("{}:{}{}:{}", pair->first.size(), pair->first, pair->second.size(),
                        pair->second);
  }
  return text;
}

}  // namespace quantlens::server
