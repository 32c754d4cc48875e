// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/describe_ops.h"

namespace quantlens {
namespace {

OpPlan described(const Node& node, const std::string& id, const PatternVerdict& verdict) {
  return {.op = {.id = id, .name = op_name(node)},
          .type = node.type,
          .kind = node.kind,
          .pattern = {},
          .members = {},
          .quantized = verdict.reason.empty(),
          .precision = verdict.precision,
          .reason = verdict.reason,
          .form = verdict.form};
}

// What lies in the bodies of an op stays as it is. They are nested as deep as their reader
// allows.
void add_body_ops(const Node& holder, const std::string& scope, std::vector<OpPlan>& ops) {
  for (const auto& [key, body] : holder.subgraphs) {
    for (const Node& node : body->nodes) {
      const std::string id = scope + "/" + op_id(node);
      ops.push_back(described(node, id, {.reason = "it lies in a body of " + holder.type}));
      add_body_ops(node, id, ops);
    }
  }
}

}  // namespace

std::vector<OpPlan> describe_ops(const Graph& graph, const std::vector<Pattern>& patterns,
                                 const std::vector<PatternVerdict>& verdicts) {
  std::vector<OpPlan> ops(graph.nodes.size());
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    for (const std::size_t member : patterns[p].members) {
      const Node& node = graph.nodes[member];
      ops[member] = described(node, op_id(node), verdicts[p]);
    }
    OpPlan& anchor = ops[patterns[p].anchor];
    for (const std::size_t member : patterns[p].members) {
      anchor.pattern.push_back(graph.nodes[member].type);
      anchor.members.push_back(op_id(graph.nodes[member]));
    }
  }
  for (const Node& node : graph.nodes) add_body_ops(node, op_id(node), ops);
  return ops;
}

}  // namespace quantlens
