// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/inspect.h"

#include "quantlens/diagnosis/view/on_codes.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/runtime/constants.h"

namespace quantlens::flow {
namespace {

Ranges imagined_ranges(const Draft& draft) {
  Ranges ranges;
  for (const std::string& value : draft.values_to_calibrate()) {
    ranges.values.push_back(
        {.value = value, .min = -1, .max = 1, .algorithm = RangeAlgorithm::minmax});
  }
  return ranges;
}

/// What a planned op of a model that is quantized computes on already.
std::optional<Precision> on_codes(const GraphIndex& index, const Capabilities& able,
                                  const OpPlan& op) {
  const auto first = index.producer(op.op.id);
  const auto last = op.members.empty() ? first : index.producer(op.members.back());
  if (!first || !last) return std::nullopt;
  const std::vector<Node>& nodes = index.graph().nodes;
  return precision_on_codes(index, able, nodes[*first], nodes[*last]);
}

void add_weight(const Tensor& weight, Inspection& result) {
  result.weight_bytes += weight.bytes().size();
  result.parameters += static_cast<std::uint64_t>(weight.size());
}

}  // namespace

Inspection inspect(const fs::path& path, const Formats& formats) {
  const Model model = formats.read(path);
  Inspection result{.path = path.string(),
                    .format = model.format,
                    .file_bytes = model.file.bytes().size(),
                    .opsets = model.opsets};
  for (const auto& [name, weight] : model.graph.weights) add_weight(weight, result);
  const GraphIndex index(model.graph);
  for (const Node& node : model.graph.nodes) {
    if (node.kind != Kind::constant) continue;
    if (const Tensor* weight = index.constant(op_id(node))) add_weight(*weight, result);
  }
  for (const ValueInfo& input : model.graph.inputs) result.inputs.push_back(outline(input));
  for (const ValueInfo& output : model.graph.outputs) result.outputs.push_back(outline(output));
  for (const Node& node : model.graph.nodes) ++result.op_counts[node.type];
  for (const auto& [key, value] : model.metadata) result.metadata[key] = value.substr(0, 200);
  const Indexed looked_up = indexed(model);
  const Analyzed analyzed(looked_up);
  const Draft draft(analyzed, Recipe());
  result.ops = make_plan(draft, imagined_ranges(draft), {}).plan.ops;
  for (OpPlan& op : result.ops) {
    if (const auto precision = on_codes(index, *analyzed.prepared.able, op)) {
      op.precision = *precision;
      op.quantized = true;
      op.form = OpForm::static_;
      op.reason.clear();
      ++result.on_codes;
    } else if (op.quantized) {
      ++result.would_quantize;
    } else {
      ++result.stay_float[op.reason];
    }
  }
  return result;
}

}  // namespace quantlens::flow
