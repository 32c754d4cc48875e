// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/bypass.h"

#include <algorithm>
#include <map>

namespace quantlens {

bool can_be_replaced(const GraphIndex& index, const std::string& value) {
  return !index.is_output(value) && std::ranges::all_of(index.uses(value), [&](const Use& use) {
    return use.input < index.graph().nodes[use.node].inputs.size();
  });
}

void bypass(const GraphIndex& index, const std::vector<Use>& gone, Plan& plan) {
  const std::vector<Node>& nodes = index.graph().nodes;
  std::map<std::string, std::string> instead;
  for (const Use& one : gone) {
    const Node& node = nodes[one.node];
    instead[op_id(node)] = node.inputs[one.input];
    plan.removed.push_back(op_id(node));
  }
  for (const Use& one : gone) {
    const std::string& value = op_id(nodes[one.node]);
    std::string source = value;
    for (auto at = instead.find(source); at != instead.end(); at = instead.find(source))
      source = at->second;
    for (const Use& use : index.uses(value)) {
      const std::string& reader = op_id(nodes[use.node]);
      if (!instead.contains(reader))
        plan.value_edits.push_back({.use = {reader, use.input}, .value = source});
    }
  }
}

}  // namespace quantlens
