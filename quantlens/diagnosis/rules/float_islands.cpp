// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/graph/integer_ops.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

bool is_made_by(const GraphIndex& index, const std::string& value, Kind kind) {
  const std::optional<std::size_t> producer = index.producer(value);
  return producer && index.graph().nodes[*producer].kind == kind && !index.constant(value);
}

/// Whether a float op dequantizes what it reads and has its result quantized again.
bool is_island(const Evidence& evidence, const Node& node) {
  const GraphIndex& index = evidence.quantized();
  if (uses_codes(node.kind) || node.kind == Kind::constant || evidence.able().has_kernel(node.kind))
    return false;
  const bool reads = std::ranges::any_of(node.inputs, [&](const std::string& input) {
    return is_made_by(index, input, Kind::dequantize);
  });
  return reads && std::ranges::any_of(node.outputs, [&](const std::string& output) {
           return std::ranges::any_of(index.uses(output), [&](const Use& use) {
             return index.graph().nodes[use.node].kind == Kind::quantize;
           });
         });
}

}  // namespace

/// Float ops alone between integer ones cost a conversion on both sides: of speed, not of accuracy.
std::vector<Finding> float_islands(const Evidence& evidence) {
  std::map<std::string, std::uint64_t> types;
  std::vector<OpRef> ops;
  for (const Node& node : evidence.quantized().graph().nodes) {
    if (!is_island(evidence, node)) continue;
    ++types[node.type];
    ops.push_back(ref_of(node));
  }
  if (ops.empty()) return {};
  return {
      {.rule = "float_islands",
       .op = ops.front(),
       .ops = ops,
       .reasons = {{"float_islands", {{"types", figure::counts({types.begin(), types.end()})}}}},
       .remedy = {},
       .severity = Severity::note}};
}

}  // namespace quantlens
