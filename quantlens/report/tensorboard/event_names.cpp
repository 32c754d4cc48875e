// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_names.h"

#include <optional>

#include <fmt/format.h>

#include "quantlens/base/code_points.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr std::string_view kNotInPaths = ":^ \"'\\<>&";

/// What controls, and marks that would reorder or break a tag, become.
std::string without_controls(std::string_view name) {
  std::string path;
  while (!name.empty()) {
    const std::string_view before = name;
    const std::optional<char32_t> c = take_code_point(name);
    if (c && is_unprintable(*c))
      path += '_';
    else
      path += before.substr(0, before.size() - name.size());
  }
  return path;
}

std::string found_or(const std::unordered_map<std::string, std::string>& paths,
                     const std::string& key) {
  const auto found = paths.find(key);
  return found != paths.end() ? found->second : event_path(key);
}

}  // namespace

std::string event_path(std::string_view name) {
  std::string path;
  for (const char c : without_controls(valid_utf8(name))) {
    const bool is_empty_part = c == '/' && (path.empty() || path.back() == '/');
    if (!is_empty_part) path += kNotInPaths.find(c) != std::string_view::npos ? '_' : c;
  }
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path.empty() ? "_" : path;
}

std::string claimed(std::string text, std::set<std::string, std::less<>>& taken) {
  std::string free = text;
  for (std::size_t number = 2; !taken.insert(free).second; ++number)
    free = fmt::format("{}_{}", text, number);
  return free;
}

EventNames::EventNames(const GraphOutline& graph) {
  for (const ValueOutline& value : graph.inputs) inputs_[value.name] = claim(value.name);
  for (const OpOutline& op : graph.ops) {
    const auto holder = ops_.find(op.scope);  // of an op in a body
    const std::string path =
        claim(holder == ops_.end() ? op.name : fmt::format("{}/{}", holder->second, op.name));
    ops_.emplace(op.op, path);
    named_.emplace(op.name, path);
  }
  for (const ValueOutline& value : graph.weights) weights_[value.name] = claim(value.name);
}

std::string EventNames::claim(const std::string& name) {
  return claimed(event_path(name), taken_);
}

std::string EventNames::op(const OpRef& op) const {
  if (const auto found = ops_.find(op.id); found != ops_.end()) return found->second;
  if (const auto found = inputs_.find(op.id); found != inputs_.end()) return found->second;
  return found_or(named_, op.name);
}

std::string EventNames::input(const std::string& value) const {
  return found_or(inputs_, value);
}

std::string EventNames::weight(const std::string& value) const {
  return found_or(weights_, value);
}

}  // namespace quantlens
