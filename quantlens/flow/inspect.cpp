// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/inspect.h"

#include <optional>

#include "quantlens/diagnosis/view/on_codes.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/record/op_counts.h"
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

/// What the file does not say, as far as the ops make it known.
ValueOutline outline_of(const ValueInfo& value, const Graph& graph,
                        std::optional<Describer>& describe) {
  if (value.dtype && value.shape) return outline(value);
  if (!describe) describe.emplace(graph);
  const ValueInfo known = (*describe)(value.name);
  return outline({.name = value.name,
                  .dtype = value.dtype ? value.dtype : known.dtype,
                  .shape = value.shape ? value.shape : known.shape});
}

void add_values(const Graph& graph, Inspection& result) {
  std::optional<Describer> describe;  // goes through all ops: made where the file does not say all
  for (const ValueInfo& input : graph.inputs)
    result.inputs.push_back(outline_of(input, graph, describe));
  for (const ValueInfo& output : graph.outputs)
    result.outputs.push_back(outline_of(output, graph, describe));
}

void add_weights(const GraphIndex& index, Inspection& result) {
  for (const auto& [name, weight] : index.graph().weights) add_weight(weight, result);
  for (const Node& node : index.graph().nodes) {
    if (node.kind != Kind::constant) continue;
    if (const Tensor* weight = index.constant(op_id(node))) add_weight(*weight, result);
  }
}

/// The ops that would be quantized by the default recipe.
void add_plan(const Model& model, const GraphIndex& index, Inspection& result) {
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
    } else if (is_counted(op.kind)) {
      ++result.stay_float[op.reason];
    }
  }
}

}  // namespace

Inspection inspect(const fs::path& path, const Ends& ends, const Formats& formats) {
  Model model = formats.read(path);
  if (!ends.is_whole()) model.graph = cut(model.graph, ends);
  Inspection result{.path = path.string(),
                    .format = model.format,
                    .file_bytes = model.file.bytes().size(),
                    .opsets = model.opsets,
                    .version = model.vocabulary.version,
                    .notes = formats.notes_on(model)};
  const GraphIndex index(model.graph);
  add_weights(index, result);
  add_values(model.graph, result);
  for (const Node& node : model.graph.nodes) ++result.op_counts[node.type];
  for (const auto& [key, value] : model.metadata) result.metadata[key] = value.substr(0, 200);
  add_plan(model, index, result);
  return result;
}

}  // namespace quantlens::flow
