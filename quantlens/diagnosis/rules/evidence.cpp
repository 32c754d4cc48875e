// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/evidence.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/rules/room.h"
#include "quantlens/diagnosis/verdict/find.h"
#include "quantlens/diagnosis/view/code_reach.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/before_logarithm.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

Evidence::Outputs outputs_of(const Graph& reference, const Diagnosis& diagnosis) {
  std::unordered_set<std::string> names;
  for (const ValueInfo& output : reference.outputs) names.insert(output.name);
  Evidence::Outputs outputs;
  double lowest = std::numeric_limits<double>::infinity();
  double of_all = lowest;
  for (const ActivationRow& row : diagnosis.activations) {
    of_all = std::min(of_all, row.sqnr_db);
    if (!names.contains(row.value)) continue;
    outputs.compared = true;
    lowest = std::min(lowest, row.sqnr_db);
    const auto pairs = static_cast<double>(row.elements + row.nonfinite);
    if (row.became_nonfinite > 0) {
      outputs.became_nonfinite =
          std::max(outputs.became_nonfinite, static_cast<double>(row.became_nonfinite) / pairs);
    }
  }
  outputs.sqnr_db = outputs.compared ? lowest : of_all;
  return outputs;
}

/// Ops that have an integer kernel that computes, each once, in order. One value may have as many
/// readers as the model has ops.
class Computing {
 public:
  explicit Computing(const Capabilities& able) : able_(able) {}
  void add(const Node& node) {
    if (!able_.has(node.kind) || able_.has(node.kind, Role::pass_through)) return;
    if (seen_.insert(op_id(node)).second) ops_.push_back(ref_of(node));
  }
  std::vector<OpRef> take() { return std::move(ops_); }

 private:
  const Capabilities& able_;
  std::unordered_set<std::string> seen_;  // ids
  std::vector<OpRef> ops_;
};

/// As the recipe in the file has it. One that cannot be read says nothing here.
std::optional<RangeAlgorithm> range_algorithm_of(const Model& quantized) {
  const std::optional<Recipe> recipe = readable_recipe(quantized);
  if (!recipe) return std::nullopt;
  return recipe->activation.algorithm.value_or(usual_range_algorithm(*recipe));
}

}  // namespace

Evidence::Evidence(const PairedModels& models, const Diagnosis& diagnosis)
    : models_(models),
      diagnosis_(diagnosis),
      before_logarithms_(find_before_logarithms(reference())),
      outputs_(outputs_of(reference().graph(), diagnosis)) {
  for (const WeightRow& row : diagnosis.weights) weights_.emplace(row.op.id, &row);
  for (const WeightPair& pair : pairing().weights) weight_pairs_.emplace(pair.op.id, &pair);
  for (const ValuePair& pair : pairing().pairs) {
    pairs_.emplace(pair.quantized, &pair);
    pairs_of_reference_.emplace(pair.reference, &pair);
  }
  usual_room_ = quantlens::usual_room(*this);
  range_algorithm_ = range_algorithm_of(models.quantized.model);
}

std::optional<std::array<double, 2>> Evidence::reach(const ActivationRow& row) const {
  const auto found = pairs_.find(row.quantized);
  if (found == pairs_.end() || !found->second->scheme || !found->second->params) return {};
  if (!found->second->channel_params.empty()) return {};
  return reach_of(found->second->scheme->dtype, *found->second->params);
}

std::int64_t Evidence::steps(const ActivationRow& row) const {
  const auto found = pairs_.find(row.quantized);
  const bool has_codes = found != pairs_.end() && found->second->scheme;
  const CodeRange codes = code_limits(has_codes ? found->second->scheme->dtype : DType::uint8);
  return codes.max - codes.min;
}

const Node* Evidence::node(const std::string& op) const {
  const std::optional<std::size_t> number = reference().producer(op);
  return number ? &reference().graph().nodes[*number] : nullptr;
}

const WeightRow* Evidence::weight(const std::string& op) const {
  const auto found = weights_.find(op);
  return found == weights_.end() ? nullptr : found->second;
}

const WeightPair* Evidence::weight_pair(const std::string& op) const {
  const auto found = weight_pairs_.find(op);
  return found == weight_pairs_.end() ? nullptr : found->second;
}

const Tensor* Evidence::constant_input(const Node& node, std::size_t input) const {
  if (input >= node.inputs.size()) return nullptr;
  return quantlens::constant_input(prepared(), reference(), node, input);
}

const Tensor* Evidence::constant_weight(const Node& node) const {
  const roles::Operands* operands = operands_of(node);
  return operands != nullptr ? constant_input(node, operands->weight) : nullptr;
}

std::vector<Use> Evidence::readers(const std::string& value) const {
  std::vector<Use> readers;
  std::vector<std::string> waiting{value};
  std::unordered_set<std::string> seen{value};
  while (!waiting.empty()) {
    const std::string at = waiting.back();
    waiting.pop_back();
    for (const Use& use : reference().uses(at)) {
      const Node& node = reference().graph().nodes[use.node];
      if (!moves_elements(node.kind) || use.input != 0) {
        readers.push_back(use);
      } else if (seen.insert(node.outputs.front()).second) {
        waiting.push_back(node.outputs.front());
      }
    }
  }
  return readers;
}

std::vector<OpRef> Evidence::ops_at(const ActivationRow& row) const {
  Computing ops(able());
  if (const Node* own = node(row.op.id)) ops.add(*own);
  std::vector<std::string> waiting{row.value};
  std::unordered_set<std::string> seen{row.value};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    for (const Use& use : reference().uses(waiting[i])) {
      const Node& reader = reference().graph().nodes[use.node];
      ops.add(reader);
      if (use.input != 0 || !able().passes_elements(reader.kind)) continue;
      for (const std::string& output : reader.outputs) {
        if (seen.insert(output).second) waiting.push_back(output);
      }
    }
  }
  return ops.take();
}

bool Evidence::inherits_scale(const ActivationRow& row) const {
  const auto own = pairs_.find(row.quantized);
  const std::optional<std::size_t> maker = reference().producer(row.value);
  if (own == pairs_.end() || !own->second->params || !maker) return false;
  const Node& node = reference().graph().nodes[*maker];
  if (!able().passes_elements(node.kind) || node.inputs.empty()) return false;
  const auto source = pairs_of_reference_.find(node.inputs.front());
  return source != pairs_of_reference_.end() && source->second->params == own->second->params;
}

std::vector<OpRef> Evidence::ops_before_logarithm(const ActivationRow& row) const {
  const std::optional<std::size_t> own = reference().producer(row.op.id);
  const auto found = own ? before_logarithms_.find(*own) : before_logarithms_.end();
  if (found == before_logarithms_.end()) return {};
  Computing ops(able());
  for (const auto& [number, words] : before_logarithms_) {
    if (words == found->second) ops.add(reference().graph().nodes[number]);
  }
  return ops.take();
}

}  // namespace quantlens
