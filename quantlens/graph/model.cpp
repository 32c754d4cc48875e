// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/model.h"

#include <algorithm>

namespace quantlens {
namespace {

template <class T>
T attribute(const Node& node, const std::string& key, T otherwise) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value != nullptr ? *value : otherwise;
}

}  // namespace

Attribute::Attribute() = default;
Attribute::Attribute(const Attribute& other) = default;
Attribute::Attribute(Attribute&& other) noexcept = default;
Attribute& Attribute::operator=(const Attribute& other) = default;
Attribute& Attribute::operator=(Attribute&& other) noexcept = default;
Attribute::~Attribute() = default;

bool uses_codes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return uses_codes(node.kind); });
}

const std::string& op_id(const Node& node) {
  static const std::string kNone;
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return output;
  }
  return kNone;
}

const std::string& input_of(const Node& node, std::size_t number) {
  static const std::string kNone;
  return number < node.inputs.size() ? node.inputs[number] : kNone;
}

std::string op_name(const Node& node) {
  return node.name.empty() ? node.type + ":" + op_id(node) : node.name;
}

std::string full_type(const Node& node) {
  return node.domain.empty() ? node.type : node.domain + "." + node.type;
}

bool speaks_within(const Model& model, const Model& other) {
  return std::ranges::all_of(model.opsets, [&](const auto& set) {
    const auto found = other.opsets.find(set.first);
    return found != other.opsets.end() && found->second == set.second;
  });
}

bool are_of_one_version(const Model& a, const Model& b) {
  return a.opsets == b.opsets;
}

std::int64_t attribute_int(const Node& node, const std::string& key, std::int64_t otherwise) {
  return attribute<std::int64_t>(node, key, otherwise);
}

float attribute_float(const Node& node, const std::string& key, float otherwise) {
  return attribute<float>(node, key, otherwise);
}

std::string attribute_string(const Node& node, const std::string& key,
                             const std::string& otherwise) {
  return attribute<std::string>(node, key, otherwise);
}

std::vector<std::int64_t> attribute_ints(const Node& node, const std::string& key) {
  return attribute<std::vector<std::int64_t>>(node, key, {});
}

}  // namespace quantlens
