// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/hyper_parameters.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/json_line.h"
#include "quantlens/record/files.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostText = 200;

std::string cut(std::string text) {
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

void flatten(const std::string& path, const json::Value& value, HyperParameters& to) {
  if (const auto* members = value.if_object()) {
    if (path.ends_with("_dict")) {
      to[path] = cut(json::line(value));
      to[path + ".count"] = static_cast<double>(members->size());
      return;
    }
    for (const auto& member : *members) {
      const std::string key(member.key());
      flatten(path.empty() ? key : fmt::format("{}.{}", path, key), member.value(), to);
    }
  } else if (value.is_bool()) {
    to[path] = value.get_bool();
  } else if (value.is_number()) {
    to[path] = value.to_number<double>();
  } else if (const auto* text = value.if_string()) {
    to[path] = cut(std::string(*text));
  } else {
    to[path] = value.is_null() ? "not said" : cut(json::line(value));
  }
}

}  // namespace

HyperParameters hyper_parameters(const Recipe& recipe) {
  HyperParameters parameters;
  flatten("", to_value(recipe), parameters);
  return parameters;
}

std::map<std::string, std::vector<HyperParameter>> differing(
    const std::vector<HyperParameters>& trials) {
  std::map<std::string, std::vector<HyperParameter>> values;
  for (const HyperParameters& trial : trials) {
    for (const auto& [key, value] : trial) values[key];
  }
  for (auto& [key, seen] : values) {
    for (const HyperParameters& trial : trials) {
      const auto found = trial.find(key);
      const HyperParameter value =
          found == trial.end() ? HyperParameter(std::string("not said")) : found->second;
      if (std::ranges::find(seen, value) == seen.end()) seen.push_back(value);
    }
  }
  std::erase_if(values, [](const auto& entry) { return entry.second.size() < 2; });
  return values;
}

}  // namespace quantlens
