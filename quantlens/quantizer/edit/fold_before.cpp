// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_before.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/extents.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/affine.h"
#include "quantlens/quantizer/analyze/before_logarithm.h"
#include "quantlens/quantizer/analyze/bypass.h"
#include "quantlens/quantizer/analyze/constant_operand.h"
#include "quantlens/quantizer/analyze/float_regions.h"
#include "quantlens/quantizer/analyze/moved_channels.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

/// How a weight's elements join input channels to output channels.
struct Inputs : ChannelAxis {
  std::size_t outputs = 0;
  std::size_t weight = 1;  ///< input of the op that is its weight
  std::size_t data = 0;    ///< the other one

  struct Ends {
    std::size_t in = 0, out = 0;
  };
  std::size_t groups = 1;
  std::size_t input_stride = 1, output_stride = 1;  ///< of the weight's elements
  bool counts_outputs_within = false;               ///< a group; else inputs

  /// The channels that an element of the weight joins.
  Ends of(std::size_t element) const {
    const std::size_t ins = count / groups, outs = outputs / groups;
    if (counts_outputs_within) {
      const std::size_t in = element / input_stride % count;
      return {.in = in, .out = in / ins * outs + element / output_stride % outs};
    }
    const std::size_t out = element / output_stride % outputs;
    return {.in = out / outs * ins + element / input_stride % ins, .out = out};
  }
};

/// REQUIRES: axes of this weight.
Inputs inputs_along(const WeightAxes& axes, const Shape& weight) {
  Inputs inputs;
  inputs.count = extent(weight, axes.input);
  inputs.outputs = extent(weight, axes.output);
  const Strides steps = strides(weight);
  inputs.input_stride = static_cast<std::size_t>(steps[axes.input]);
  inputs.output_stride = static_cast<std::size_t>(steps[axes.output]);
  return inputs;
}

std::optional<Inputs> inputs_of_convolution(const Node& node, const Shape& weight) {
  const auto axes = weight_axes(node, weight.size());
  const std::int64_t groups = groups_of(node);
  if (!axes || groups < 1) return std::nullopt;
  Inputs inputs = inputs_along(*axes, weight);
  inputs.groups = static_cast<std::size_t>(groups);
  inputs.counts_outputs_within = node.kind == Kind::conv_transpose;
  std::size_t& within = inputs.counts_outputs_within ? inputs.outputs : inputs.count;
  const std::size_t all = inputs.counts_outputs_within ? inputs.count : inputs.outputs;
  if (all % inputs.groups != 0) return std::nullopt;
  within *= inputs.groups;
  inputs.rank = weight.size();
  inputs.from_end = weight.size() - role<roles::Convolution>(node)->channel_axis;
  return inputs;
}

/// Of a Gemm or MatMul.
std::optional<Inputs> inputs_of_matrix(const Node& node, const ConstantOperand& operand,
                                       const Extents& extents) {
  const Shape& weight = operand.weight->shape();
  const auto axes = weight_axes(node, weight.size());
  if (!axes) return std::nullopt;
  const bool is_gemm = node.kind == Kind::gemm;
  if (is_gemm && weight.size() != 2) return std::nullopt;
  Inputs inputs = inputs_along(
      operand.is_left ? WeightAxes{.output = axes->input, .input = axes->output} : *axes, weight);
  inputs.from_end = operand.is_left || transposes_a(node) ? 2 : 1;
  const std::string& data = input_of(node, operand.data);
  inputs.rank = is_gemm ? 2 : std::max(extents_of(extents, data).size(), inputs.from_end);
  return inputs;
}

/// Nothing where the op is none that multiplies by a weight of floats.
std::optional<Inputs> inputs_of(const GraphIndex& index, const Node& node, const Extents& extents) {
  const auto operand = constant_operand(index, node);
  if (!operand) return std::nullopt;
  const bool is_convolution = node.kind == Kind::conv || node.kind == Kind::conv_transpose;
  std::optional<Inputs> inputs = is_convolution
                                     ? inputs_of_convolution(node, operand->weight->shape())
                                     : inputs_of_matrix(node, *operand, extents);
  if (!inputs) return std::nullopt;
  inputs->weight = operand->input;
  inputs->data = operand->data;
  return inputs;
}

/// Whether a Pad keeps channels: it does not widen them, and what it adds is zero, or made of what
/// is there.
struct Kept {
  bool keeps_factors = false, keeps_shifts = false;
};

Kept kept_by_pad(const GraphIndex& index, const Node& node, const ChannelAxis& channels) {
  const auto* padding = role<roles::Padding>(node);
  const Tensor* pads = index.constant(pads_of(node));
  const bool has_axes = !axes_input_of(node).empty();
  if (padding == nullptr || pads == nullptr || pads->dtype() != DType::int64 || has_axes ||
      !channels.has_axis() || static_cast<std::size_t>(pads->size()) != 2 * channels.rank) {
    return {};
  }
  const Tensor values = aligned(*pads);
  const auto numbers = values.data<std::int64_t>();
  const std::size_t axis = channels.rank - channels.from_end;
  if (numbers[axis] != 0 || numbers[channels.rank + axis] != 0) return {};
  if (!padding->is_constant) return {.keeps_factors = true, .keeps_shifts = true};
  if (filling_of(node).empty()) return {.keeps_factors = true};
  const auto filling = numbers_of(index.constant(filling_of(node)), {.count = 1, .rank = 1});
  return {.keeps_factors = filling && (*filling)[0] == 0};
}

class Folder {
 public:
  Folder(const GraphIndex& index, const Capabilities& able)
      : graph_(index.graph()), index_(index), able_(able), extents_(extents(index_)) {
    for (const auto& [number, reason] : find_float_regions(index_)) in_float_.insert(number);
    for (const auto& [number, reason] : find_before_logarithms(index_)) in_float_.insert(number);
  }

  Plan run() {
    for (std::size_t number = 0; number < graph_.nodes.size(); ++number) fold_before(number);
    return std::move(plan_);
  }

 private:
  /// An op before: its number, which of its inputs is the data, and what it makes of them.
  struct Link {
    std::size_t node = 0;
    std::size_t input = 0;
    Affine affine;
    ChannelAxis channels;  ///< of its data
  };

  /// A constant that is added to what an op makes, or could be.
  struct Bias {
    const Node* node = nullptr;
    std::size_t input = 0;
    std::vector<double> numbers;
    double times = 1;  ///< that it is added
  };

  void fold_before(std::size_t number) {
    const Node& node = graph_.nodes[number];
    if (in_float_.contains(number)) return;
    const std::optional<Inputs> inputs = inputs_of(index_, node, extents_);
    if (!inputs) return;
    const std::optional<Bias> bias = bias_of(node, *inputs);
    std::vector<Link> links = chain_before(input_of(node, inputs->data), *inputs, bias.has_value());
    while (!links.empty() && !may_begin(links.back())) links.pop_back();
    if (!links.empty()) fold(node, *inputs, links, bias);
  }

  /// Nothing where what is added before cannot be added behind: zeros of padding meet it, the
  /// borders of a ConvTranspose have other sums, and there is no place for it.
  std::optional<Bias> bias_of(const Node& node, const Inputs& inputs) const {
    Bias bias{.node = &node,
              .input = operands_of(node)->bias.value_or(0),
              .numbers = std::vector<double>(inputs.outputs, 0)};
    ChannelAxis channels{.count = inputs.outputs, .rank = 1, .from_end = 1};
    const bool has_bias = !quantlens::bias_of(node).empty();
    switch (node.kind) {
      case Kind::conv:
        if (is_padded(*window_of(node))) return std::nullopt;
        break;
      case Kind::gemm:
        if (!has_bias && !can_get_bias(node)) return std::nullopt;
        bias.times = beta_of(node);
        channels.rank = 2;
        break;
      case Kind::matmul: {  // the Add behind it
        const std::vector<Use>& uses = index_.uses(op_id(node));
        if (inputs.weight != operands_of(node)->weight || uses.size() != 1 ||
            index_.is_output(op_id(node)))
          return std::nullopt;
        bias.node = &graph_.nodes[uses[0].node];
        const auto input = bias_input(index_, *bias.node);
        if (!input || *input == uses[0].input || in_float_.contains(uses[0].node))
          return std::nullopt;
        bias.input = *input;
        channels.rank = extents_of(extents_, op_id(node)).size();
        break;
      }
      default:
        return std::nullopt;
    }
    if (bias.times == 0) return std::nullopt;
    if (bias.node == &node && !has_bias) return bias;
    auto numbers = numbers_of(index_.constant(bias.node->inputs[bias.input]), channels);
    if (!numbers) return std::nullopt;
    bias.numbers = *std::move(numbers);
    return bias;
  }

  /// The nearest first. Ops that only move elements may stand between its links, and a Pad.
  std::vector<Link> chain_before(std::string value, const ChannelAxis& inputs,
                                 bool may_shift) const {
    std::vector<Link> links;
    ChannelAxis channels = inputs;
    while (true) {
      const std::optional<std::size_t> number = index_.producer(value);
      if (!number || index_.uses(value).size() != 1 || index_.is_output(value) ||
          in_float_.contains(*number)) {
        return links;
      }
      const Node& node = graph_.nodes[*number];
      if (only_moves(node.kind) || node.kind == Kind::pad) {
        const auto before = before_moved(node, channels, may_shift);
        if (!before) return links;
        channels = *before;
        value = node.inputs[0];
        continue;
      }
      const std::size_t data =
          node.inputs.size() == 2 && index_.constant(node.inputs[0]) != nullptr ? 1 : 0;
      if (node.inputs.size() <= data) return links;
      auto affine =
          affine_of(index_, node, data, channels, extents_of(extents_, node.inputs[data]));
      if (!affine || (!may_shift && !affine->only_scales())) return links;
      links.push_back({*number, data, std::move(*affine), channels});
      value = node.inputs[data];
    }
  }

  /// The channels in front of what moves elements or pads them.
  std::optional<ChannelAxis> before_moved(const Node& node, const ChannelAxis& channels,
                                          bool& may_shift) const {
    if (only_moves(node.kind)) return moved_back(index_, extents_, node, channels);
    const Kept kept = kept_by_pad(index_, node, channels);
    may_shift = may_shift && kept.keeps_shifts;
    return kept.keeps_factors ? std::optional(channels) : std::nullopt;
  }

  /// Whether a chain may begin with this op: what it reads would be codes, and surely has these
  /// channels, so that no constant widens it.
  bool may_begin(const Link& link) const {
    const Node& node = graph_.nodes[link.node];
    const std::vector<Extent> data = extents_of(extents_, node.inputs[link.input]);
    const std::size_t from_end = link.channels.from_end;
    if (from_end == 0 || from_end > data.size()) return false;
    const Extent& extent = data[data.size() - from_end];
    return extent && static_cast<std::size_t>(*extent) == link.channels.count &&
           is_of_codes(node, link.input);
  }

  /// Whether what the op reads would be codes anyway: an op made it that has integer kernels, and
  /// is none into which the chain folds from behind.
  bool is_of_codes(const Node& node, std::size_t input) const {
    const std::string& value = node.inputs[input];
    const std::optional<std::size_t> producer = index_.producer(value);
    if (!producer || in_float_.contains(*producer)) return false;
    const Node& maker = graph_.nodes[*producer];
    if (inputs_of(index_, maker, extents_) && index_.uses(value).size() == 1 &&
        !index_.is_output(value))
      return false;
    return able_.has(maker.kind);
  }

  void fold(const Node& node, const Inputs& inputs, const std::vector<Link>& links,
            const std::optional<Bias>& bias) {
    Affine all = identity(inputs.count);
    for (auto link = links.rbegin(); link != links.rend(); ++link) append(link->affine, all);
    const Tensor& stored = *index_.constant(node.inputs[inputs.weight]);
    auto weight = scaled(stored, all.factor, [&](std::size_t i) { return inputs.of(i).in; });
    if (!weight) return;
    if (!all.only_scales()) {
      const bool is_stacked = stored.shape().size() > 2 && node.kind == Kind::matmul;
      auto sum = is_stacked ? std::nullopt : with_added(node, aligned(stored), inputs, all, *bias);
      if (!sum) return;
      edit(*bias->node, bias->input, *std::move(sum));
    }
    edit(node, inputs.weight, *std::move(weight));
    std::vector<Use> gone;
    gone.reserve(links.size());
    for (const Link& link : links) gone.push_back({link.node, link.input});
    bypass(index_, gone, plan_);
  }

  /// The bias, with what is added before times the weight.
  static std::optional<Tensor> with_added(const Node& node, const Tensor& weight,
                                          const Inputs& inputs, const Affine& all,
                                          const Bias& bias) {
    const std::span<const float> numbers = weight.data<float>();
    std::vector<double> added(inputs.outputs, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto [in, out] = inputs.of(i);
      added[out] += numbers[i] * all.shift[in];
    }
    const double alpha = alpha_of(node);
    std::vector<float> values(added.size());
    for (std::size_t o = 0; o < added.size(); ++o)
      values[o] = static_cast<float>(bias.numbers[o] + alpha * added[o] / bias.times);
    const auto count = static_cast<std::int64_t>(values.size());
    return finite_tensor({count}, std::move(values));
  }

  void edit(const Node& node, std::size_t input, Tensor tensor) {
    const bool is_new = input >= node.inputs.size() || node.inputs[input].empty();
    const std::string original = is_new ? "" : node.inputs[input];
    const std::string name = (is_new ? op_id(node) + "/bias" : original) + "/with/" + op_id(node);
    plan_.weights[name] = std::move(tensor);
    plan_.input_edits.push_back(
        {.use = {op_id(node), input}, .weight = name, .original = original});
  }

  const Graph& graph_;
  const GraphIndex& index_;
  const Capabilities& able_;
  Extents extents_;
  std::set<std::size_t> in_float_;
  Plan plan_;
};

}  // namespace

Plan fold_before(const GraphIndex& index, const Capabilities& able) {
  return Folder(index, able).run();
}

}  // namespace quantlens
