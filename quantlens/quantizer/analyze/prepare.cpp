// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/prepare.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/extents.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/before_logarithm.h"
#include "quantlens/quantizer/analyze/float_regions.h"
#include "quantlens/quantizer/edit/fold_chains.h"

namespace quantlens {
namespace {

// The node that alone reads this node's first output, which is no graph output.
std::optional<std::size_t> only_reader(const GraphIndex& index, std::size_t number) {
  const std::string& value = op_id(index.graph().nodes[number]);
  const std::vector<Use>& uses = index.uses(value);
  if (uses.size() != 1 || index.is_output(value) || uses[0].input != 0) return std::nullopt;
  return uses[0].node;
}

// Clip and Relu end a pattern: the quantizer's saturation does their work. Without zero points
// codes end at 0 or lie around it, so a Clip has to begin there.
bool is_saturating(const GraphIndex& index, const Node& node, const Capabilities& able) {
  const auto bounds = clip_bounds(index, node);
  return node.kind == Kind::relu || (bounds && (able.rules().zero_points || bounds->low == 0));
}

bool is_added_to(const GraphIndex& index, const std::string& value) {
  const std::vector<Use>& uses = index.uses(value);
  return uses.size() == 1 && !index.is_output(value) &&
         index.graph().nodes[uses[0].node].kind == Kind::add;
}

// What follows the anchor inside one kernel: what is folded into it, a constant bias after MatMul,
// a Relu or Clip.
Pattern pattern_at(const GraphIndex& index, const Extents& extents, std::size_t anchor,
                   Prepared& prepared, const std::set<std::string>* like) {
  const std::vector<Node>& nodes = index.graph().nodes;
  Pattern pattern{.anchor = anchor, .members = {anchor}, .sum = {}};
  const std::vector<std::size_t> chain = fold_chain(index, extents, anchor, prepared, like);
  pattern.members.insert(pattern.members.end(), chain.begin(), chain.end());
  for (const std::size_t member : chain) {
    if (!prepared.folds.contains(op_id(nodes[member]))) pattern.sum = member;
  }
  const Kind kind = nodes[anchor].kind;
  const bool fuses =
      kind == Kind::conv || kind == Kind::matmul || kind == Kind::gemm || kind == Kind::add;
  const auto reader = only_reader(index, pattern.members.back());
  if (fuses && reader && is_saturating(index, nodes[*reader], *prepared.able))
    pattern.members.push_back(*reader);
  return pattern;
}

// Whether a pattern ends in the MatMul itself: in no bias and no Relu.
bool ends_in_matmul(const Graph& graph, const Pattern& pattern, const Prepared& prepared) {
  if (graph.nodes[pattern.anchor].kind != Kind::matmul) return false;
  if (pattern.members.size() == 1) return true;
  return !prepared.folds.empty() &&
         prepared.folds.back() == Fold{.op = op_id(graph.nodes[pattern.members.back()]),
                                       .into = op_id(graph.nodes[pattern.anchor])};
}

// The op that alone reads what a pattern makes, past those that the runtime drops.
std::optional<std::size_t> reader_of_pattern(const GraphIndex& index, const Pattern& pattern) {
  auto reader = only_reader(index, pattern.members.back());
  while (reader) {
    const Kind kind = index.graph().nodes[*reader].kind;
    if (kind != Kind::identity && kind != Kind::dropout) break;
    reader = only_reader(index, *reader);
  }
  return reader;
}

// Activations that become part of a Gemm which gives floats; it is computed in float then.
bool is_fused_into_gemm(const Node& node) {
  switch (node.kind) {
    case Kind::elu:
    case Kind::hard_sigmoid:
    case Kind::leaky_relu:
    case Kind::relu:
    case Kind::sigmoid:
    case Kind::tanh:
      return true;
    default:
      return role<roles::Activation>(node) != nullptr;
  }
}

// ONNX Runtime looks for the QuantizeLinear behind the Relu or Clip of a Gemm or MatMul, and leaves
// the op in float where there is none; so it does with a Gemm before any activation. Of a MatMul of
// matrices and its bias it makes a Gemm first.
bool needs_codes_before_activation(const GraphIndex& index, const Pattern& pattern, bool is_matrix,
                                   const Capabilities& able) {
  if (!able.rules().finds_kernels) return false;
  const std::vector<Node>& nodes = index.graph().nodes;
  const Kind kind = nodes[pattern.anchor].kind;
  if (kind != Kind::gemm && kind != Kind::matmul) return false;
  const Node& last = nodes[pattern.members.back()];
  const bool has_bias = bias_add(index, pattern).has_value();
  const auto reader = reader_of_pattern(index, pattern);
  if ((pattern.members.size() > 1 && is_saturating(index, last, able)) ||
      (reader && is_saturating(index, nodes[*reader], able))) {
    return kind == Kind::gemm || is_matrix || !has_bias;
  }
  const bool is_gemm = kind == Kind::gemm || (is_matrix && has_bias);
  return is_gemm && reader && is_fused_into_gemm(nodes[*reader]);
}

/// `like`: null, or the ops that may be folded, wherever they are.
Prepared prepared_by(const GraphIndex& index, TensorMap constants, const Capabilities& able,
                     const std::set<std::string>* like) {
  const Graph& graph = index.graph();
  Prepared prepared;
  prepared.able = &able;
  prepared.constants = std::move(constants);
  prepared.kept_float = find_float_regions(index);
  prepared.kept_float.merge(find_before_logarithms(index));
  const Extents known = extents(index);
  std::set<std::size_t> taken;
  for (std::size_t number = 0; number < graph.nodes.size(); ++number) {
    if (taken.contains(number)) continue;
    const Node& node = graph.nodes[number];
    const bool folds = able.has(node.kind) || node.kind == Kind::conv_transpose;
    const bool is_kept = like == nullptr && prepared.kept_float.contains(number);
    Pattern pattern = is_kept || !folds ? Pattern{.anchor = number, .members = {number}, .sum = {}}
                                        : pattern_at(index, known, number, prepared, like);
    // a pattern never reaches into a region that stays float
    while (like == nullptr && pattern.members.size() > 1 &&
           prepared.kept_float.contains(pattern.members.back())) {
      pattern.members.pop_back();
    }
    const auto data = known.find(node.inputs.empty() ? "" : node.inputs[0]);
    const bool is_matrix = data != known.end() && data->second.size() == 2;
    const bool is_added = able.rules().finds_kernels && ends_in_matmul(graph, pattern, prepared) &&
                          is_added_to(index, op_id(graph.nodes[pattern.members.back()]));
    if ((is_added && is_matrix) || needs_codes_before_activation(index, pattern, is_matrix, able)) {
      prepared.ends_in_codes.insert(number);
    }
    taken.insert(pattern.members.begin(), pattern.members.end());
    prepared.patterns.push_back(std::move(pattern));
  }
  return prepared;
}

}  // namespace

Prepared prepare(const GraphIndex& index, TensorMap constants, const Capabilities& able) {
  return prepared_by(index, std::move(constants), able, nullptr);
}

Prepared prepare_like(const GraphIndex& index, TensorMap constants, const Capabilities& able,
                      const std::set<std::string>& folded) {
  return prepared_by(index, std::move(constants), able, &folded);
}

std::optional<std::size_t> bias_input(const GraphIndex& index, const Node& add) {
  if (add.kind != Kind::add || add.inputs.size() != 2) return std::nullopt;
  for (const std::size_t input : {std::size_t{1}, std::size_t{0}}) {
    const Tensor* bias = index.constant(add.inputs[input]);
    if (bias == nullptr) continue;
    const Shape& shape = bias->shape();
    const std::int64_t columns = shape.empty() ? 1 : shape.back();
    if (bias->size() == columns) return input;
  }
  return std::nullopt;
}

std::optional<std::size_t> bias_add(const GraphIndex& index, const Pattern& pattern) {
  const std::vector<Node>& nodes = index.graph().nodes;
  if (!pattern.sum || !std::ranges::count(pattern.members, *pattern.sum)) return std::nullopt;
  return bias_input(index, nodes[*pattern.sum]) ? pattern.sum : std::nullopt;
}

const Tensor* constant_input(const Prepared& prepared, const GraphIndex& index, const Node& node,
                             std::size_t input) {
  if (const InputEdit* edit = prepared.input_edits.find(op_id(node), input)) {
    return &prepared.weights.at(edit->weight);
  }
  return input < node.inputs.size() ? index.constant(node.inputs[input]) : nullptr;
}

const Tensor* constant_weight(const Prepared& prepared, const GraphIndex& index, const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return operands != nullptr ? constant_input(prepared, index, node, operands->weight) : nullptr;
}

const std::string& name_of_input(const Prepared& prepared, const Node& node, std::size_t input) {
  const InputEdit* edit = prepared.input_edits.find(op_id(node), input);
  return edit != nullptr ? edit->weight : node.inputs[input];
}

}  // namespace quantlens
