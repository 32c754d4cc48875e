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

/// What an answer has. Its rows are as the records have them, and are not read as these here.
struct OpDetails {
  std::string op;                                ///< as it was asked for
  std::vector<ActivationRow> activations;        ///< of diagnosis.json
  std::vector<WeightRow> weights;                ///< likewise
  std::vector<OpPlan> plan;                      ///< of plan.json
  std::vector<ValuePair> pairs;                  ///< of pairing.json
  std::vector<WeightPair> weight_pairs;          ///< likewise
  std::vector<NodeTime> nodes, quantized_nodes;  ///< of profile.json
  std::vector<OpTime> times;                     ///< of profile.json, of two models
  std::vector<Finding> findings;                 ///< of diagnosis.json, that name it
  std::vector<OpOutline> graph;                  ///< of graph.json
};
BOOST_DESCRIBE_STRUCT(OpDetails, (),
                      (op, activations, weights, plan, pairs, weight_pairs, nodes, quantized_nodes,
                       times, findings, graph))

boost::json::object details(Context& context, const Run& run, const std::string& op) {
  const OpRows rows(context, run, op);
  boost::json::object made{{"op", op}};
  bool is_known = false;
  for (const OpList& list : op_lists()) {
    const std::vector<json::Value> found = rows.of(list);
    made[list.member] = boost::json::array(found.begin(), found.end());
    is_known |= list.makes_known && !found.empty();
  }
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
  answer.make = [=, &context] { return compact(details(context, *run, op)); };
  return answer;
}

json::Value op_schema(Schemas& schemas) {
  return schemas.of<OpDetails>();
}

}  // namespace quantlens::server
