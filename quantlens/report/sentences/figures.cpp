// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

/// `otherwise` where it is missing or of another kind.
template <class T>
T read(const json::Value* value, T otherwise) {
  if (value == nullptr) return otherwise;
  try {
    return json::decode<T>(*value, "");
  } catch (const Error&) {
    return otherwise;
  }
}

/// A text, or the name of an op.
std::string name_in(const json::Value* value) {
  if (value != nullptr && value->is_object()) return read(value, OpRef{.id = {}, .name = "?"}).name;
  return read(value, std::string("?"));
}

}  // namespace

const json::Value* Figures::find(const std::string& name) const {
  const auto found = statement_.figures.find(name);
  return found == statement_.figures.end() ? nullptr : &found->second.value;
}

double Figures::number(const std::string& name) const {
  return read(find(name), std::numeric_limits<double>::quiet_NaN());
}

std::array<double, 2> Figures::ends(const std::string& name) const {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  return read(find(name), std::array{kMissing, kMissing});
}

std::uint64_t Figures::count(const std::string& name) const {
  return read(find(name), std::uint64_t{0});
}

std::vector<std::pair<std::string, std::uint64_t>> Figures::counts(const std::string& name) const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  const json::Value* value = find(name);
  if (value == nullptr || !value->is_object()) return all;
  for (const auto& one : value->get_object()) {
    all.emplace_back(one.key(), read(&one.value(), std::uint64_t{0}));
  }
  return all;
}

std::int64_t Figures::whole(const std::string& name) const {
  return read(find(name), std::int64_t{0});
}

std::vector<std::int64_t> Figures::wholes(const std::string& name) const {
  return read(find(name), std::vector<std::int64_t>());
}

bool Figures::is_list(const std::string& name) const {
  const json::Value* value = find(name);
  return value != nullptr && value->is_array();
}

bool Figures::is_text(const std::string& name) const {
  const json::Value* value = find(name);
  return value != nullptr && value->is_string();
}

std::string Figures::text(const std::string& name) const {
  return name_in(find(name));
}

std::string Figures::shown(const std::string& name) const {
  return printable(text(name));
}

std::vector<std::string> Figures::texts(const std::string& name) const {
  std::vector<std::string> all;
  for (const json::Value& value : read(find(name), std::vector<json::Value>())) {
    all.push_back(name_in(&value));
  }
  return all;
}

FirstNames first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(kMost, names.size());
  FirstNames first{.text = {}, .left_out = names.size() - shown};
  for (std::size_t i = 0; i < shown; ++i) first.text += (i == 0 ? "" : ", ") + printable(names[i]);
  return first;
}

}  // namespace quantlens
