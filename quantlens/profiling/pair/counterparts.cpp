// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/counterparts.h"

#include <string>
#include <unordered_map>

#include "quantlens/graph/order.h"
#include "quantlens/profiling/attribute.h"

namespace quantlens {
namespace {

using MaybeNumbers = std::vector<std::optional<std::size_t>>;

bool is_link(const Node& node) {
  return node.kind == Kind::quantize || node.kind == Kind::dequantize;
}

/// The op behind a value: not its quantizer but what that reads.
std::optional<std::size_t> op_behind(const GraphIndex& index, const std::string& value) {
  std::optional<std::size_t> node = index.producer(value);
  while (node && is_link(index.graph().nodes[*node])) {
    const std::vector<std::string>& inputs = index.graph().nodes[*node].inputs;
    node = inputs.empty() ? std::nullopt : index.producer(inputs.front());
  }
  return node;
}

/// Names that one node alone has.
std::unordered_map<std::string, std::optional<std::size_t>> unique_names(const Graph& graph) {
  std::unordered_map<std::string, std::optional<std::size_t>> names;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto [entry, is_new] = names.emplace(graph.nodes[i].name, i);
    if (!is_new) entry->second.reset();
  }
  names.erase("");
  return names;
}

}  // namespace

MaybeNumbers counterparts(const Graph& reference, const Graph& quantized, const Pairing& pairing) {
  const GraphIndex index(quantized);
  const GraphIndex floats(reference);
  const auto names = unique_names(reference);
  MaybeNumbers found(quantized.nodes.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& node = quantized.nodes[i];
    const auto same = floats.producer(op_id(node));
    if (same && !is_link(node)) found[i] = same;
  }
  for (const ValuePair& pair : pairing.pairs) {
    const auto node = op_behind(index, pair.quantized);
    if (node && !found[*node]) found[*node] = floats.producer(pair.reference);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto named = names.find(quantized.nodes[i].name);
    if (!found[i] && named != names.end() && !is_link(quantized.nodes[i])) found[i] = named->second;
  }
  std::vector<bool> anchored(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) anchored[i] = found[i].has_value();
  const MaybeNumbers owners = absorb(quantized, anchored);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] && owners[i]) found[i] = found[*owners[i]];
  }
  return found;
}

}  // namespace quantlens
