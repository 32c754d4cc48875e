// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/prepare.h"

#include <cmath>
#include <set>
#include <span>

#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/quantizer/before_logarithm.h"
#include "quantlens/quantizer/capability.h"
#include "quantlens/quantizer/float_regions.h"

namespace quantlens {
namespace {

// The node that alone reads this node's first output, which is no graph output.
std::optional<std::size_t> only_reader(const GraphIndex& index, std::size_t number) {
  const std::string& value = op_id(index.graph().nodes[number]);
  const std::vector<Use>& uses = index.uses(value);
  if (uses.size() != 1 || index.is_output(value) || uses[0].input != 0) return std::nullopt;
  return uses[0].node;
}

// y = factor * x + shift, one pair a channel; batch normalization with fixed statistics.
struct ChannelAffine {
  std::vector<double> factor, shift;
};

std::optional<ChannelAffine> batch_norm_affine(const GraphIndex& index, const Node& node) {
  if (node.inputs.size() < 5 || attribute_int(node, "training_mode", 0) != 0) return std::nullopt;
  std::array<Tensor, 4> parts;  // scale, shift, mean, variance
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor* tensor = index.constant(node.inputs[i + 1]);
    if (!tensor || tensor->dtype() != DType::float32) return std::nullopt;
    parts[i] = aligned(*tensor);
    if (parts[i].size() != parts[0].size()) return std::nullopt;
  }
  const double epsilon = attribute_float(node, "epsilon", 1e-5F);
  ChannelAffine affine;
  for (std::size_t c = 0; c < static_cast<std::size_t>(parts[0].size()); ++c) {
    const double variance = parts[3].data<float>()[c];
    const double factor = parts[0].data<float>()[c] / std::sqrt(variance + epsilon);
    const double shift = parts[1].data<float>()[c] - factor * parts[2].data<float>()[c];
    if (!std::isfinite(factor) || !std::isfinite(shift)) return std::nullopt;
    affine.factor.push_back(factor);
    affine.shift.push_back(shift);
  }
  return affine;
}

Tensor scaled_weight(const Tensor& weight, const std::vector<double>& factor) {
  const auto values = weight.data<float>();
  const std::size_t inner = values.size() / factor.size();
  std::vector<float> folded(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    folded[i] = static_cast<float>(values[i] * factor[i / inner]);
  }
  return Tensor::from<float>(weight.shape(), std::move(folded));
}

Tensor shifted_bias(std::span<const float> bias, const ChannelAffine& affine) {
  std::vector<float> folded(affine.factor.size());
  for (std::size_t c = 0; c < folded.size(); ++c) {
    const double before = bias.empty() ? 0.0 : bias[c];
    folded[c] = static_cast<float>(before * affine.factor[c] + affine.shift[c]);
  }
  const auto channels = static_cast<std::int64_t>(folded.size());
  return Tensor::from<float>({channels}, std::move(folded));
}

// Folds the batch norm into the Conv before it; false where something stands in the way.
bool fold_batch_norm(const GraphIndex& index, const Node& conv, const Node& norm,
                     Prepared& prepared) {
  const Tensor* weight = conv.inputs.size() > 1 ? index.constant(conv.inputs[1]) : nullptr;
  if (!weight || weight->dtype() != DType::float32 || weight->shape().empty()) return false;
  const bool has_bias = conv.inputs.size() > 2 && !conv.inputs[2].empty();
  const Tensor* bias = has_bias ? index.constant(conv.inputs[2]) : nullptr;
  if (has_bias && (!bias || bias->dtype() != DType::float32)) return false;
  const auto affine = batch_norm_affine(index, norm);
  if (!affine) return false;
  const auto channels = static_cast<std::int64_t>(affine->factor.size());
  if (channels == 0 || weight->shape()[0] != channels || (bias && bias->size() != channels))
    return false;

  const std::string& op = op_id(conv);
  const std::string weight_name = conv.inputs[1] + "/folded/" + op;
  const std::string bias_name = (has_bias ? conv.inputs[2] : op + "/bias") + "/folded/" + op;
  const Tensor bias_values = bias ? aligned(*bias) : Tensor();
  prepared.weights[weight_name] = scaled_weight(aligned(*weight), affine->factor);
  prepared.weights[bias_name] =
      shifted_bias(bias ? bias_values.data<float>() : std::span<const float>(), *affine);
  prepared.folds.push_back({.op = op_id(norm), .into = op});
  prepared.input_edits.push_back(
      {.use = {op, 1}, .weight = weight_name, .original = conv.inputs[1]});
  prepared.input_edits.push_back(
      {.use = {op, 2}, .weight = bias_name, .original = has_bias ? conv.inputs[2] : ""});
  return true;
}

// Clip and Relu end a pattern: the quantizer's saturation does their work.
bool is_saturating(const GraphIndex& index, const Node& node) {
  return node.kind == Kind::relu || clip_bounds(index, node);
}

// The Add of a constant vector that alone reads a MatMul's result, on either side.
std::optional<std::size_t> bias_add_behind(const GraphIndex& index, std::size_t number) {
  const std::string& value = op_id(index.graph().nodes[number]);
  const std::vector<Use>& uses = index.uses(value);
  if (uses.size() != 1 || index.is_output(value)) return std::nullopt;
  const std::optional<std::size_t> bias = bias_input(index, index.graph().nodes[uses[0].node]);
  return bias && *bias != uses[0].input ? std::optional(uses[0].node) : std::nullopt;
}

bool is_added_to(const GraphIndex& index, const std::string& value) {
  const std::vector<Use>& uses = index.uses(value);
  return uses.size() == 1 && !index.is_output(value) &&
         index.graph().nodes[uses[0].node].kind == Kind::add;
}

// What follows the anchor inside one kernel: a batch norm, a constant bias after MatMul, a Relu or
// Clip.
Pattern pattern_at(const GraphIndex& index, std::size_t anchor, Prepared& prepared) {
  const std::vector<Node>& nodes = index.graph().nodes;
  Pattern pattern{.anchor = anchor, .members = {anchor}};
  const Kind kind = nodes[anchor].kind;
  const auto next = [&] { return only_reader(index, pattern.members.back()); };
  auto reader = next();
  if (kind == Kind::conv && reader && nodes[*reader].kind == Kind::batch_norm &&
      fold_batch_norm(index, nodes[anchor], nodes[*reader], prepared)) {
    pattern.members.push_back(*reader);
    reader = next();
  }
  if (kind == Kind::matmul) {
    if (const auto add = bias_add_behind(index, anchor)) pattern.members.push_back(*add);
    reader = next();
  }
  const bool fuses =
      kind == Kind::conv || kind == Kind::matmul || kind == Kind::gemm || kind == Kind::add;
  if (fuses && reader && is_saturating(index, nodes[*reader])) pattern.members.push_back(*reader);
  return pattern;
}

}  // namespace

Prepared prepare(const Graph& graph, TensorMap constants) {
  const GraphIndex index(graph, constants);
  Prepared prepared;
  prepared.constants = std::move(constants);
  prepared.kept_float = find_float_regions(index);
  prepared.kept_float.merge(find_before_logarithms(index));
  const std::unordered_map<std::string, std::size_t> known_ranks = ranks(index);
  std::set<std::size_t> taken;
  for (std::size_t number = 0; number < graph.nodes.size(); ++number) {
    if (taken.contains(number)) continue;
    const bool plain =
        prepared.kept_float.contains(number) || !capability(graph.nodes[number].kind);
    Pattern pattern = plain ? Pattern{.anchor = number, .members = {number}}
                            : pattern_at(index, number, prepared);
    // a pattern never reaches into a region that stays float
    while (pattern.members.size() > 1 && prepared.kept_float.contains(pattern.members.back())) {
      pattern.members.pop_back();
    }
    const Node& node = graph.nodes[number];
    const auto rank = known_ranks.find(node.inputs.empty() ? "" : node.inputs[0]);
    if (node.kind == Kind::matmul && pattern.members.size() == 1 &&
        is_added_to(index, op_id(node)) && rank != known_ranks.end() && rank->second == 2) {
      prepared.ends_in_codes.insert(number);
    }
    taken.insert(pattern.members.begin(), pattern.members.end());
    prepared.patterns.push_back(std::move(pattern));
  }
  return prepared;
}

std::optional<std::size_t> bias_input(const GraphIndex& index, const Node& add) {
  if (add.kind != Kind::add || add.inputs.size() != 2) return std::nullopt;
  for (const std::size_t input : {std::size_t{1}, std::size_t{0}}) {
    const Tensor* bias = index.constant(add.inputs[input]);
    if (bias == nullptr) continue;
    const Shape& shape = bias->shape();
    const std::int64_t columns = shape.empty() ? 1 : shape.back();
    if (shape.size() <= 2 && bias->size() == columns) return input;
  }
  return std::nullopt;
}

const Tensor* constant_input(const Prepared& prepared, const GraphIndex& index, const Node& node,
                             std::size_t input) {
  if (const InputEdit* edit = prepared.input_edits.find(op_id(node), input)) {
    return &prepared.weights.at(edit->weight);
  }
  return input < node.inputs.size() ? index.constant(node.inputs[input]) : nullptr;
}

}  // namespace quantlens
