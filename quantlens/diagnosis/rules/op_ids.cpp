// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/op_ids.h"

#include <map>
#include <string>

namespace quantlens {

void add_op_ids(const Graph& reference, std::vector<Finding>& findings) {
  std::map<std::string, std::string> ids;
  const auto add = [&](const std::string& name, const std::string& id) {
    const auto [found, is_new] = ids.emplace(name, id);
    if (!is_new) found->second.clear();
  };
  for (const Node& node : reference.nodes) add(op_name(node), op_id(node));
  for (const ValueInfo& input : reference.inputs) ids.emplace(input.name, input.name);
  for (Finding& finding : findings) {
    finding.op_ids.clear();
    for (const std::string& op : finding.ops) {
      const auto found = ids.find(op);
      finding.op_ids.push_back(found == ids.end() ? std::string() : found->second);
    }
  }
}

}  // namespace quantlens
