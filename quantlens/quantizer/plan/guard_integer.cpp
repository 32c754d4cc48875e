// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/guard_integer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/quantizer/plan/input_edits.h"

namespace quantlens {
namespace {

/// What a plan says of inputs of ops, found without a search: there are as many as ops.
class PlanIndex {
 public:
  explicit PlanIndex(const Plan& plan) : plan_(plan) {
    for (std::size_t at = 0; at < plan.weights_quantized.size(); ++at) {
      for (const ValueUse& use : plan.weights_quantized[at].uses) weights_.emplace(key(use), at);
    }
    for (std::size_t at = 0; at < plan.activations.size(); ++at) {
      codes_[plan.activations[at].value].push_back(at);
    }
    for (const InputEdit& edit : plan.input_edits) edits_.push_back(edit);
    for (const Fold& fold : plan.folds) folded_.insert(fold.op);
  }

  /// Whether an op (id) disappears into one before it.
  bool is_folded(const std::string& op) const { return folded_.contains(op); }

  /// The weight that was quantized for this use when the index was made; null where none was. Valid
  /// until the plan grows.
  const WeightPlan* weight(const ValueUse& use) const {
    const auto found = weights_.find(key(use));
    return found == weights_.end() ? nullptr : &plan_.weights_quantized[found->second];
  }

  /// The codes that an op reads as its first input; null where it reads floats.
  const ActivationPlan* codes_read_by(const Node& node) const {
    const auto found = codes_.find(node.inputs[0]);
    if (found == codes_.end()) return nullptr;
    const ValueUse use{op_id(node), 0};
    for (const std::size_t at : found->second) {
      const ActivationPlan& codes = plan_.activations[at];
      if (codes.all_uses || std::ranges::find(codes.uses, use) != codes.uses.end()) return &codes;
    }
    return nullptr;
  }

  /// The float tensor that an op reads after preparation.
  const std::string& name_at(const Node& node, std::size_t input) const {
    const InputEdit* edit = edits_.find(op_id(node), input);
    return edit == nullptr ? node.inputs[input] : edit->weight;
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  static Key key(const ValueUse& use) { return {use.op, use.input}; }

  const Plan& plan_;
  std::map<Key, std::size_t> weights_;  // positions in the plan
  std::unordered_map<std::string, std::vector<std::size_t>> codes_;
  InputEdits edits_;
  std::unordered_set<std::string> folded_;
};

/// The only reader of what a MatMul gives, past ops that are folded into it; null where there is
/// none.
const Node* only_reader(const GraphIndex& index, const Node& matmul, const PlanIndex& planned) {
  const Node* node = &matmul;
  do {
    const std::vector<Use>& uses = index.uses(op_id(*node));
    if (uses.size() != 1 || index.is_output(op_id(*node))) return nullptr;
    node = &index.graph().nodes[uses[0].node];
  } while (planned.is_folded(op_id(*node)));
  return node;
}

/// Scales of products, one or one a column; nothing where a bias passes half of int32, of which the
/// other half is left for the products.
std::optional<std::vector<QParams>> bias_params(std::span<const float> bias, float input_scale,
                                                const std::vector<QParams>& weight) {
  constexpr double kLargestCode = 1 << 30;
  std::vector<QParams> params;
  params.reserve(weight.size());
  for (const QParams& each : weight)
    params.push_back({.scale = each.scale * input_scale, .zero_point = 0});
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const float scale = params[params.size() == 1 ? 0 : c].scale;
    const bool fits = std::abs(double{bias[c]}) <= kLargestCode * double{scale};
    if (!std::isnormal(scale) || !fits) return std::nullopt;
  }
  return params;
}

bool store_bias(const GraphIndex& index, const Node& matmul, const PlanIndex& planned, Plan& plan) {
  const Node* reader = only_reader(index, matmul, planned);
  if (reader == nullptr) return false;
  const Node& add = *reader;
  const std::optional<std::size_t> input = bias_input(index, add);
  if (!input || planned.weight({op_id(add), *input}) != nullptr) return false;
  const std::string& name = planned.name_at(add, *input);
  const auto own = plan.weights.find(name);
  const Tensor* stored = own != plan.weights.end() ? &own->second : index.constant(name);
  const WeightPlan* weight = planned.weight({op_id(matmul), 1});
  const ActivationPlan* codes = planned.codes_read_by(matmul);
  if (stored == nullptr || stored->dtype() != DType::float32 || stored->shape().size() != 1 ||
      weight == nullptr || codes == nullptr) {
    return false;
  }
  const Tensor bias = aligned(*stored);
  const std::size_t scales = weight->params.size();
  if (scales != 1 && scales != static_cast<std::size_t>(bias.size())) return false;
  auto params = bias_params(bias.data<float>(), codes->params.scale, weight->params);
  if (!params) return false;
  Scheme scheme{.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32};
  if (scales != 1) scheme.axis = 0;
  plan.weights_quantized.push_back({.weight = name,
                                    .scheme = scheme,
                                    .params = std::move(*params),
                                    .uses = {{op_id(add), *input}}});
  return true;
}

}  // namespace

std::set<std::string> guard_integer(const GraphIndex& index, const std::set<std::string>& ops,
                                    Plan& plan) {
  std::set<std::string> changed;
  const PlanIndex planned(plan);
  for (const Node& node : index.graph().nodes) {
    if (node.kind != Kind::matmul || !ops.contains(op_id(node))) continue;
    if (store_bias(index, node, planned, plan)) changed.insert(op_id(node));
  }
  return changed;
}

}  // namespace quantlens
