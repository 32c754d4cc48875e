// SPDX-License-Identifier: Apache-2.0
#include "server/api/op_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "server/api/op_rows.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

/// Rows are as the records have them.
struct OpDetails {
  std::string op;                                   ///< as it was asked for
  std::vector<json::Value> activations, weights;    ///< of diagnosis.json
  std::vector<json::Value> plan;                    ///< of plan.json
  std::vector<json::Value> pairs, weight_pairs;     ///< of pairing.json
  std::vector<json::Value> nodes, quantized_nodes;  ///< of profile.json
  std::vector<json::Value> times;                   ///< of profile.json, of two models
  std::vector<json::Value> findings;                ///< of diagnosis.json, that name it
  std::vector<json::Value> graph;                   ///< of graph.json
};
BOOST_DESCRIBE_STRUCT(OpDetails, (),
                      (op, activations, weights, plan, pairs, weight_pairs, nodes, quantized_nodes,
                       times, findings, graph))

OpDetails details(Context& context, const Run& run, const std::string& op) {
  const OpRows rows(context, run, op);
  OpDetails made{.op = op};
  made.activations = rows.of<Diagnosis>("activations");
  made.weights = rows.of<Diagnosis>("weights");
  made.findings = rows.naming<Diagnosis>("findings");
  made.plan = rows.of<Plan>("ops");
  made.pairs = rows.of<Pairing>("pairs");
  made.weight_pairs = rows.of<Pairing>("weights");
  made.nodes = rows.naming<ProfileRecord>("reference.nodes");
  made.quantized_nodes = rows.naming<ProfileRecord>("quantized.nodes");
  made.times = rows.naming<ProfileRecord>("ops");
  made.graph = rows.at<GraphOutline>("ops", "op", "name");
  const bool is_known = !made.activations.empty() || !made.weights.empty() || !made.plan.empty() ||
                        !made.pairs.empty() || !made.nodes.empty() || !made.graph.empty();
  if (!is_known) {
    throw Error(Errc::not_found, fmt::format("Nothing is stored of an op '{}'.", shown(op)));
  }
  return made;
}

}  // namespace

Answer show_op(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const std::string op(call.arguments.needed("op", "Say which with op=, its id or its name."));
  Answer answer;
  answer.state = OpRows::state(*run);
  answer.make = [=, &context] { return compact(json::encode(details(context, *run, op))); };
  return answer;
}

json::Value op_schema(Schemas& schemas) {
  return schemas.of<OpDetails>();
}

}  // namespace quantlens::server
