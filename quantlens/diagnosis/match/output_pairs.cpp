// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/output_pairs.h"

#include <algorithm>
#include <optional>
#include <string>

namespace quantlens {
namespace {

std::optional<std::size_t> named(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.outputs, name, &ValueInfo::name);
  if (found == graph.outputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - graph.outputs.begin());
}

}  // namespace

std::vector<OutputPair> output_pairs(const Graph& reference, const Graph& quantized) {
  std::vector<std::optional<std::size_t>> counterparts;
  for (const ValueInfo& output : reference.outputs)
    counterparts.push_back(named(quantized, output.name));
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
