// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/guard_float.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {
namespace {

std::int64_t output_channels(const Node& node, const Tensor& weight) {
  const std::optional<int> axis = output_channel_axis(node, weight.shape());
  const std::int64_t groups = node.kind == Kind::conv_transpose ? groups_of(node) : 1;
  return axis ? weight.shape()[static_cast<std::size_t>(*axis)] * groups : 0;
}

/// A scale that leaves room for the largest value; nothing where a value is not finite.
std::optional<float> fine_scale(const Tensor& bias) {
  const Tensor values = aligned(bias);
  double largest = 0;
  for (const float value : values.data<float>()) {
    if (!std::isfinite(value)) return std::nullopt;
    largest = std::max(largest, std::abs(double{value}));
  }
  const auto scale = static_cast<float>(std::ldexp(largest, -30));
  return std::isnormal(scale) ? scale : 1.0F;
}

/// An input of an op.
std::string key(const std::string& op, std::size_t input) {
  return op + '\n' + std::to_string(input);
}

/// Past which ops the runtime moves a DequantizeLinear forwards or a QuantizeLinear backwards, or
/// which it drops.
bool is_passed(Kind kind) {
  return moves_elements(kind) || kind == Kind::max_pool || kind == Kind::slice ||
         kind == Kind::dropout;
}

class Guard {
 public:
  Guard(const GraphIndex& index, Plan& plan) : index_(index), plan_(plan) {
    for (const ActivationPlan& activation : plan.activations) {
      links_.insert(activation.value);
      if (activation.all_uses) all_read_codes_.insert(activation.value);
      for (const ValueUse& use : activation.uses) read_codes_.insert(key(use.op, use.input));
    }
    for (const InputEdit& edit : plan.input_edits) {
      edits_[key(edit.use.op, edit.use.input)] = edit.weight;
    }
    for (const WeightPlan& weight : plan.weights_quantized) {
      for (const ValueUse& use : weight.uses) dequantized_.insert(key(use.op, use.input));
    }
    for (const Fold& fold : plan.folds) folded_.insert(fold.op);
  }

  /// Whether the runtime may find the op between a DequantizeLinear and a QuantizeLinear.
  bool stands_between_codes(const Node& node) {
    return !node.inputs.empty() && reads_codes(node) && leads_to_codes(op_id(node));
  }

  /// False where that changes nothing.
  bool guard(const Node& node) {
    const roles::Operands* operands = operands_of(node);
    const Tensor* weight = operands ? constant(node, operands->weight) : nullptr;
    if (weight == nullptr || weight->dtype() != DType::float32) return false;
    if (!operands->bias) return guard_matmul(node);
    const std::size_t place = *operands->bias;
    if (name_of(node, place).empty()) return add_zeros(node, *weight, place);
    const Tensor* bias = constant(node, place);
    return bias != nullptr && bias->shape().size() == 1 && dequantize(node, place);
  }

 private:
  const Node& node(std::size_t number) const { return index_.graph().nodes[number]; }

  /// What the op reads after preparation; empty: nothing.
  std::string name_of(const Node& node, std::size_t input) const {
    const auto edit = edits_.find(key(op_id(node), input));
    if (edit != edits_.end()) return edit->second;
    return input < node.inputs.size() ? node.inputs[input] : std::string();
  }

  const Tensor* constant(const Node& node, std::size_t input) const {
    const std::string name = name_of(node, input);
    const auto own = plan_.weights.find(name);
    return own != plan_.weights.end() ? &own->second : index_.constant(name);
  }

  bool reads_codes(const Node& reader) {
    const Node* at = &reader;
    std::vector<std::string> passed;
    bool result = false;
    while (true) {
      const std::string& value = at->inputs[0];
      if (all_read_codes_.contains(value) || read_codes_.contains(key(op_id(*at), 0))) {
        result = true;
        break;
      }
      const auto known = from_codes_.find(value);
      if (known != from_codes_.end()) {
        result = known->second;
        break;
      }
      passed.push_back(value);
      const std::optional<std::size_t> producer = index_.producer(value);
      if (!producer || node(*producer).inputs.empty()) break;
      at = &node(*producer);
      if (!is_passed(at->kind) && at->kind != Kind::pad) break;
    }
    for (const std::string& value : passed) from_codes_[value] = result;
    return result;
  }

  /// Through what the runtime folds into the op, moves the link past, or lets stand between both.
  bool leads_to_codes(const std::string& first) {
    std::string value = first;
    std::vector<std::string> passed;
    bool result = false;
    while (true) {
      const auto known = to_codes_.find(value);
      if (links_.contains(value) || known != to_codes_.end()) {
        result = known == to_codes_.end() || known->second;
        break;
      }
      passed.push_back(value);
      const std::optional<std::size_t> reader = only_reader(value);
      if (!reader || !is_seen_through(node(*reader))) break;
      value = op_id(node(*reader));
    }
    for (const std::string& each : passed) to_codes_[each] = result;
    return result;
  }

  std::optional<std::size_t> only_reader(const std::string& value) const {
    const std::vector<Use>& uses = index_.uses(value);
    if (uses.size() != 1 || index_.is_output(value)) return std::nullopt;
    return uses[0].node;
  }

  bool is_seen_through(const Node& node) const {
    switch (node.kind) {
      case Kind::relu:
      case Kind::clip:
      case Kind::batch_norm:
        return true;
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div:
        return node.inputs.size() == 2 &&
               (constant(node, 0) != nullptr || constant(node, 1) != nullptr);
      default:
        return is_passed(node.kind) || role<roles::Sum>(node) != nullptr;
    }
  }

  // A MatMul by itself is left alone: what makes a Gemm of it is a bias.
  bool guard_matmul(const Node& matmul) {
    std::string value = op_id(matmul);
    while (const std::optional<std::size_t> reader = only_reader(value)) {
      const Node& next = node(*reader);
      const bool is_gone = folded_.contains(op_id(next));
      if (next.kind == Kind::batch_norm && !is_gone)
        return dequantize(next, role<roles::Normalization>(next)->operands.shift);
      if (next.kind == Kind::add && next.inputs.size() == 2 && !is_gone) {
        return dequantize(next, next.inputs[0] == value ? 1 : 0);
      }
      if (!is_gone && !is_passed(next.kind)) return false;
      value = op_id(next);
    }
    return false;
  }

  bool add_zeros(const Node& node, const Tensor& weight, std::size_t place) {
    const std::int64_t channels = output_channels(node, weight);
    if (channels <= 0) return false;
    const std::string name = op_id(node) + "/bias";
    plan_.weights[name] =
        Tensor::from<float>({channels}, std::vector<float>(static_cast<std::size_t>(channels)));
    const ValueUse use{op_id(node), place};
    plan_.input_edits.push_back({.use = use, .weight = name, .original = ""});
    edits_[key(use.op, place)] = name;
    return dequantize(node, place);
  }

  /// Has the op read this constant as an int32 that is dequantized.
  bool dequantize(const Node& node, std::size_t input) {
    const Tensor* values = constant(node, input);
    if (values == nullptr || values->dtype() != DType::float32) return false;
    const std::optional<float> scale = fine_scale(*values);
    if (!scale || !dequantized_.insert(key(op_id(node), input)).second) return false;
    plan_.weights_quantized.push_back(
        {.weight = name_of(node, input),
         .scheme = {.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32},
         .params = {{.scale = *scale, .zero_point = 0}},
         .uses = {{op_id(node), input}}});
    return true;
  }

  const GraphIndex& index_;
  Plan& plan_;
  std::unordered_set<std::string> links_;  // values that are quantized
  std::unordered_set<std::string> all_read_codes_, read_codes_;
  std::unordered_map<std::string, std::string> edits_;
  std::unordered_set<std::string> dequantized_;
  std::unordered_set<std::string> folded_;
  std::unordered_map<std::string, bool> from_codes_, to_codes_;  // values that were followed
};

bool has_weight(const Node& node) {
  return node.kind == Kind::conv || node.kind == Kind::gemm || node.kind == Kind::conv_transpose ||
         node.kind == Kind::matmul;
}

}  // namespace

void guard_float(const GraphIndex& index, const Prepared& prepared, const Selection& selection,
                 Plan& plan) {
  Guard guard(index, plan);
  for (std::size_t p = 0; p < prepared.patterns.size(); ++p) {
    const Node& node = index.graph().nodes[prepared.patterns[p].anchor];
    if (selection.quantized[p] || !has_weight(node)) continue;
    if (guard.stands_between_codes(node)) guard.guard(node);
  }
}

std::set<std::string> guard_ops(const GraphIndex& index, const std::set<std::string>& ops,
                                Plan& plan) {
  Guard guard(index, plan);
  std::set<std::string> guarded;
  for (const Node& node : index.graph().nodes) {
    if (ops.contains(op_id(node)) && has_weight(node) && guard.guard(node)) {
      guarded.insert(op_id(node));
    }
  }
  return guarded;
}

}  // namespace quantlens
