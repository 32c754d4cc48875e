// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/hyper_parameters.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/json_line.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostText = 200;

std::string cut(std::string text) {
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

HyperParameter parameter_of(const json::Value& value) {
  if (value.is_bool()) return value.get_bool();
  if (value.is_number()) return value.to_number<double>();
  const auto* text = value.if_string();
  return cut(text != nullptr ? std::string(*text) : json::line(value));
}

}  // namespace

HyperParameters hyper_parameters(const Recipe& recipe) {
  HyperParameters parameters;
  for (const auto& [path, value] : recipe_options(recipe)) {
    const bool names_ops = path.starts_with("op_name_dict") || path.starts_with("op_type_dict");
    if (!names_ops) parameters[path] = parameter_of(value);
  }
  const json::Value document = recipe_document(recipe);
  for (const char* dictionary : {"op_name_dict", "op_type_dict"}) {
    const boost::json::object& entries = document.at(dictionary).as_object();
    parameters[dictionary] = cut(json::line(entries));
    parameters[fmt::format("{}.count", dictionary)] = static_cast<double>(entries.size());
  }
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
