// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/tails.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "quantlens/diagnosis/match/compare_ops.h"
#include "quantlens/graph/extents.h"
#include "quantlens/quantizer/edit/fold_chains.h"

namespace quantlens {
namespace {

/// Relative errors of a root mean square: of what fits at all, and how much worse another one may
/// be that fits as well.
struct Tolerance {
  double most = 0;
  double room = 0;
};
constexpr Tolerance kOfWeight{.most = 0.25, .room = 0.01};  // 4 bits have 0.1, 8 bits 0.01
constexpr Tolerance kOfBias{.most = 0.3, .room = 0.03};     // corrected biases
constexpr double kTimes = 3;

double squares(const std::vector<double>& numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
}

/// 0 for equal vectors, 1 for such as have nothing to do with each other.
double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += (a[i] - b[i]) * (a[i] - b[i]);
  const double size = std::max(squares(a), squares(b));
  return size > 0 ? std::sqrt(error / size) : 0;
}

/// Of `candidates` those whose errors are about as small as the least; all where that is too great,
/// or none if `only_sure`.
std::vector<std::size_t> best(const std::vector<std::size_t>& candidates,
                              const std::vector<double>& errors, const Tolerance& tolerance,
                              bool only_sure) {
  if (candidates.empty()) return {};
  const double least = *std::ranges::min_element(errors);
  if (!(least <= tolerance.most)) return only_sure ? std::vector<std::size_t>() : candidates;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (errors[i] <= kTimes * least + tolerance.room) chosen.push_back(candidates[i]);
  }
  return chosen;
}

/// The steps of an integer op's bias: those of its products.
std::vector<double> product_steps(const FloatView& view, const FloatView::Op& op) {
  const Node& node = view.node(op);
  if (!op.operands[0].value || node.inputs.empty()) return {};
  for (const CodeSide& side : view.values()[*op.operands[0].value].sides) {
    if (side.tensor != node.inputs[0] || !side.codes || side.codes->params.size() != 1) continue;
    const FloatView::Constant* weight = view.constant_weight(op);
    if (weight == nullptr || !weight->codes) return {};
    std::vector<double> steps;
    for (const QParams& one : weight->codes->params)
      steps.push_back(double{side.codes->params[0].scale} * one.scale);
    return steps;
  }
  return {};
}

}  // namespace

std::optional<std::vector<double>> numbers_of_channels(const FloatView::Constant& constant,
                                                       std::size_t count,
                                                       const std::vector<double>& step) {
  if (constant.stored == nullptr || constant.blocks || count == 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(constant.stored->size());
  if (size != 1 && size != count) return std::nullopt;
  const bool is_floats = is_float(constant.stored->dtype());
  if (!is_floats && !constant.codes && step.empty()) return std::nullopt;
  const Tensor values = to_float32(*constant.stored);
  const auto all = values.data<float>();
  std::vector<double> numbers;
  for (std::size_t c = 0; c < count; ++c) {
    double number = all[size == 1 ? 0 : c];
    if (constant.codes && !constant.is_computed) {
      const std::vector<QParams>& params = constant.codes->params;
      if (params.size() != 1 && params.size() != count) return std::nullopt;
      const QParams& one = params[params.size() == 1 ? 0 : c];
      number = (number - one.zero_point) * one.scale;
    } else if (!is_floats) {
      if (step.size() != 1 && step.size() != count) return std::nullopt;
      number *= step[step.size() == 1 ? 0 : c];
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::optional<std::vector<double>> bias_of(const FloatView& view, const FloatView::Op& op,
                                           std::size_t count) {
  const std::size_t at = op.at.bias.value_or(op.operands.size());
  const bool is_given =
      at < op.operands.size() && (op.operands[at].constant || op.operands[at].value);
  if (!is_given) return std::vector<double>(count, 0);
  const FloatView::Constant* bias = view.constant_bias(op);
  if (bias == nullptr || view.constant_weight(op) == nullptr) return std::nullopt;
  return numbers_of_channels(*bias, count, product_steps(view, op));
}

Tails::Tails(const FloatView& view)
    : view_(view), sketches_(view), tails_(view.ops().size()), owners_(view.ops().size()) {
  const GraphIndex& index = view.index();
  const Extents known = extents(index);
  std::map<std::size_t, std::size_t> ops;  // by node
  for (std::size_t op = 0; op < view.ops().size(); ++op) ops.emplace(view.ops()[op].node, op);
  for (std::size_t op = 0; op < view.ops().size(); ++op) {
    const FloatView::Op& anchor = view.ops()[op];
    const Node& node = view.node(anchor);
    const auto channels = output_channels(index, known, node);
    if (!channels || anchor.outputs.size() != 1 || !anchor.outputs[0]) continue;
    Tail tail{.channels = *channels, .links = {}, .values = {*anchor.outputs[0]}, .sums = {}};
    std::vector<Affine> affines;
    for (ChainLink& link : chain_behind(index, known, anchor.node, *channels, {})) {
      const auto number = ops.find(link.node);
      if (number == ops.end()) break;
      const auto& outputs = view.ops()[number->second].outputs;
      if (outputs.empty() || !outputs[0]) break;
      tail.links.push_back(number->second);
      tail.values.push_back(*outputs[0]);
      affines.push_back(std::move(link.affine));
      owners_[number->second] = op;
    }
    if (!affines.empty()) {
      Affine sum = identity(channels->count);
      const auto bias = bias_of(view, anchor, channels->count);
      const bool is_plain = can_get_bias(node);  // a Gemm multiplies by nothing else
      tail.knows_shifts = bias.has_value() && is_plain;
      if (bias) sum.shift = *bias;
      tail.sums.push_back(sum);
      for (const Affine& affine : affines) {
        append(affine, sum);
        tail.sums.push_back(sum);
      }
    }
    tails_[op] = std::move(tail);
  }
}

const Tail* Tails::of(std::size_t op) const {
  return tails_[op] ? &*tails_[op] : nullptr;
}

std::optional<std::size_t> Tails::owner(std::size_t op) const {
  return owners_[op];
}

const FloatView::Constant* Tails::weight_of(std::size_t op) const {
  const std::size_t input = tails_[op]->channels.weight;
  const FloatView::Op& anchor = view_.ops()[op];
  if (input >= anchor.operands.size() || !anchor.operands[input].constant) return nullptr;
  return &view_.constants()[*anchor.operands[input].constant];
}

std::vector<std::size_t> Tails::channels_of_places(std::size_t op) const {
  const FloatView::Constant& constant = *weight_of(op);
  const OutputChannels& channels = tails_[op]->channels;
  const auto size = static_cast<std::size_t>(constant.stored->size());
  const bool is_swapped = OpComparer::is_swapped(view_, view_.ops()[op], channels.weight);
  std::vector<std::size_t> places = sketched_places(constant, is_swapped);
  for (std::size_t& place : places) place = channels.of(place, size);
  return places;
}

const Sketch* Tails::weight(std::size_t op, std::size_t links) {
  const FloatView::Constant* constant = weight_of(op);
  if (constant == nullptr || constant->stored == nullptr || constant->codes || constant->transposed)
    return nullptr;
  const std::size_t input = tails_[op]->channels.weight;
  const Sketch* plain = sketches_.of(*view_.ops()[op].operands[input].constant,
                                     OpComparer::is_swapped(view_, view_.ops()[op], input));
  if (plain == nullptr || links == 0 || tails_[op]->sums[links].only_shifts()) return plain;
  const auto [found, is_new] = folded_.try_emplace({op, links}, *plain);
  if (is_new) {
    const std::vector<std::size_t> channels = channels_of_places(op);
    std::vector<float>& values = found->second.values;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] *= static_cast<float>(tails_[op]->sums[links].factor[channels[i]]);
  }
  return &found->second;
}

double Tails::weight_error(std::size_t op, std::size_t links, const WeightAndBias& of) {
  const Sketch* folded = weight(op, links);
  if (folded == nullptr || folded->count != of.weight->count)
    return std::numeric_limits<double>::infinity();
  std::vector<double> before(folded->values.begin(), folded->values.end());
  std::vector<double> after(of.weight->values.begin(), of.weight->values.end());
  if (!of.factor.empty()) {
    const std::vector<std::size_t> channels = channels_of_places(op);
    for (std::size_t i = 0; i < after.size(); ++i) after[i] *= of.factor[channels[i]];
  }
  return relative_error(before, after);
}

std::vector<std::size_t> Tails::chosen(std::size_t op, const WeightAndBias& of, bool only_sure) {
  const Tail& tail = *tails_[op];
  std::vector<std::size_t> left(tail.values.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  if (tail.links.empty()) return left;
  std::vector<double> errors;
  if (of.weight != nullptr && !of.weight->is_unscaled) {
    for (const std::size_t links : left) errors.push_back(weight_error(op, links, of));
    left = best(left, errors, kOfWeight, only_sure);
  } else if (only_sure) {
    return {};
  }
  if (!of.bias || !tail.knows_shifts || squares(*of.bias) == 0) return left;
  errors.clear();
  for (const std::size_t links : left)
    errors.push_back(relative_error(tail.sums[links].shift, *of.bias));
  return best(left, errors, kOfBias, only_sure);
}

std::vector<std::size_t> Tails::fitting(std::size_t op, const WeightAndBias& of) {
  return chosen(op, of, false);
}

std::vector<std::size_t> Tails::surely_fitting(std::size_t op, const WeightAndBias& of) {
  return chosen(op, of, true);
}

}  // namespace quantlens
