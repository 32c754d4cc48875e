// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

/// Ids and values may hold any character but this.
std::string in_scope(std::string_view scope, std::string_view value) {
  std::string key(scope);
  key += '\0';
  key += value;
  return key;
}

}  // namespace

ValueMakers::ValueMakers(const GraphOutline& graph) : graph_(graph) {
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const OpOutline& op = graph.ops[i];
    scopes_.emplace(op.op, op.scope);
    for (std::size_t output = 0; output < op.outputs.size(); ++output) {
      if (!op.outputs[output].empty())
        makers_.emplace(in_scope(op.scope, op.outputs[output]), Maker{i, output});
    }
  }
}

std::optional<ValueMakers::Maker> ValueMakers::find(std::string_view scope,
                                                    std::string_view value) const {
  // Each step leads out of one body, so that there are no more than ops, whatever a file says.
  for (std::size_t step = 0; step <= scopes_.size(); ++step) {
    if (const auto found = makers_.find(in_scope(scope, value)); found != makers_.end())
      return found->second;
    const auto holder = scopes_.find(std::string(scope));
    if (holder == scopes_.end()) break;
    scope = holder->second;
  }
  return std::nullopt;
}

const OpOutline* ValueMakers::op(std::string_view scope, std::string_view value) const {
  const std::optional<Maker> maker = find(scope, value);
  return maker ? &graph_.ops[maker->op] : nullptr;
}

}  // namespace quantlens
