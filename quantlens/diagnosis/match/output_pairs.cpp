// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/output_pairs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace quantlens {
namespace {

using Numbers = std::unordered_map<std::string_view, std::size_t>;

/// Of outputs of one name the first.
Numbers numbers_of_outputs(const Graph& graph) {
  Numbers numbers;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) numbers.emplace(graph.outputs[i].name, i);
  return numbers;
}

}  // namespace

std::vector<OutputPair> output_pairs(const Graph& reference, const Graph& quantized) {
  const Numbers numbers = numbers_of_outputs(quantized);
  std::vector<std::optional<std::size_t>> counterparts;
  for (const ValueInfo& output : reference.outputs) {
    const auto found = numbers.find(output.name);
    counterparts.push_back(found == numbers.end() ? std::nullopt : std::optional(found->second));
  }
  const bool by_name = std::ranges::any_of(counterparts, [](const auto& q) { return bool(q); });
  const bool by_place = !by_name && reference.outputs.size() == quantized.outputs.size();
  std::vector<OutputPair> pairs;
  for (std::size_t r = 0; r < counterparts.size(); ++r) {
    const std::optional<std::size_t> q = by_place ? r : counterparts[r];
    if (!q || !reference.outputs[r].dtype || !quantized.outputs[*q].dtype) continue;
    pairs.push_back({.reference = r, .quantized = *q, .by_name = by_name});
  }
  return pairs;
}

}  // namespace quantlens
