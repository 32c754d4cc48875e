// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/fold_before.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/ranks.h"
#include "quantlens/quantizer/affine.h"
#include "quantlens/quantizer/before_logarithm.h"
#include "quantlens/quantizer/bypass.h"
#include "quantlens/quantizer/capability.h"
#include "quantlens/quantizer/float_regions.h"
#include "quantlens/quantizer/fold_chains.h"
#include "quantlens/quantizer/moved_channels.h"

namespace quantlens {
namespace {

/// How a weight's elements join input channels to output channels.
struct Inputs : ChannelAxis {
  std::size_t outputs = 0;
  bool may_shift = false;  ///< what is added before can be added behind

  struct Ends {
    std::size_t in = 0, out = 0;
  };
  Kind kind = Kind::other;
  std::size_t groups = 1;
  std::size_t taps = 1;
  bool by_rows = false;  ///< of a Gemm: the weight is [outputs, inputs]

  /// The channels that an element of the weight joins.
  Ends of(std::size_t element) const {
    const std::size_t ins = count / groups, outs = outputs / groups;
    if (kind == Kind::conv) {
      const std::size_t out = element / (ins * taps);
      return {.in = out / outs * ins + element / taps % ins, .out = out};
    }
    if (kind == Kind::conv_transpose) {
      const std::size_t in = element / (outs * taps);
      return {.in = in, .out = in / ins * outs + element / taps % outs};
    }
    if (by_rows) return {.in = element % count, .out = element / count};
    return {.in = element / outputs % count, .out = element % outputs};
  }
};

bool is_padded(const Node& node) {
  const std::vector<std::int64_t> pads = attribute_ints(node, "pads");
  const std::string automatic = attribute_string(node, "auto_pad", "NOTSET");
  return (automatic != "NOTSET" && automatic != "VALID") ||
         std::ranges::any_of(pads, [](std::int64_t one) { return one != 0; });
}

std::optional<Inputs> inputs_of(const Node& node, const Shape& weight, const Ranks& ranks) {
  Inputs inputs;
  inputs.kind = node.kind;
  const bool is_conv = node.kind == Kind::conv || node.kind == Kind::conv_transpose;
  if (is_conv) {
    const std::int64_t groups = attribute_int(node, "group", 1);
    if (weight.size() < 3 || groups < 1 || weight[0] % groups != 0) return std::nullopt;
    inputs.groups = static_cast<std::size_t>(groups);
    const bool transposed = node.kind == Kind::conv_transpose;
    inputs.count = transposed ? extent(weight, 0) : extent(weight, 1) * inputs.groups;
    inputs.outputs = transposed ? extent(weight, 1) * inputs.groups : extent(weight, 0);
    inputs.rank = weight.size();
    inputs.from_end = weight.size() - 1;
    for (std::size_t axis = 2; axis < weight.size(); ++axis) inputs.taps *= extent(weight, axis);
    inputs.may_shift = !transposed && !is_padded(node);
    return inputs;
  }
  if (weight.size() != 2) return std::nullopt;
  if (node.kind == Kind::gemm) {
    if (attribute_int(node, "transA", 0) != 0 || attribute_float(node, "alpha", 1) != 1 ||
        attribute_float(node, "beta", 1) != 1) {
      return std::nullopt;
    }
    inputs.by_rows = attribute_int(node, "transB", 0) != 0;
    inputs.rank = 2;
    inputs.may_shift = true;
  } else if (node.kind == Kind::matmul) {
    const auto rank = ranks.find(node.inputs[0]);
    inputs.rank = rank == ranks.end() ? 1 : rank->second;
  } else {
    return std::nullopt;
  }
  inputs.count = extent(weight, inputs.by_rows ? 1 : 0);
  inputs.outputs = extent(weight, inputs.by_rows ? 0 : 1);
  return inputs;
}

class Folder {
 public:
  Folder(const Graph& graph, const TensorMap& constants)
      : graph_(graph), index_(graph, constants), ranks_(ranks(index_)) {
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

  void fold_before(std::size_t number) {
    const Node& node = graph_.nodes[number];
    if (in_float_.contains(number) || node.inputs.size() < 2) return;
    const Tensor* weight = index_.constant(node.inputs[1]);
    if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0) return;
    const std::optional<Inputs> inputs = inputs_of(node, weight->shape(), ranks_);
    if (!inputs) return;
    std::vector<Link> links = chain_before(node.inputs[0], *inputs);  // the nearest first
    while (!links.empty() && !may_begin(links.back())) links.pop_back();
    if (!links.empty()) fold(node, *weight, *inputs, links);
  }

  /// Ops that only move elements may stand between its links.
  std::vector<Link> chain_before(std::string value, const Inputs& inputs) const {
    std::vector<Link> links;
    auto channels = static_cast<const ChannelAxis&>(inputs);
    while (true) {
      const std::optional<std::size_t> number = index_.producer(value);
      if (!number || index_.uses(value).size() != 1 || index_.is_output(value) ||
          in_float_.contains(*number)) {
        return links;
      }
      const Node& node = graph_.nodes[*number];
      if (only_moves(node.kind)) {
        const auto before = moved_back(index_, ranks_, node, channels);
        if (!before) return links;
        channels = *before;
        value = node.inputs[0];
        continue;
      }
      const std::size_t data =
          node.inputs.size() == 2 && index_.constant(node.inputs[0]) != nullptr ? 1 : 0;
      if (node.inputs.size() <= data) return links;
      auto affine = affine_of(index_, node, data, channels);
      if (!affine || (!inputs.may_shift && !affine->only_scales())) return links;
      links.push_back({*number, data, std::move(*affine), channels});
      value = node.inputs[data];
    }
  }

  /// Whether a chain may begin with this op.
  bool may_begin(const Link& link) const {
    const Node& node = graph_.nodes[link.node];
    return link.channels.has_axis() && is_of_codes(node, link.input) &&
           has_channels(node.inputs[link.input], link.channels);
  }

  static bool is_arithmetic(const Node& node) {
    const bool is_one = node.kind == Kind::add || node.kind == Kind::sub ||
                        node.kind == Kind::mul || node.kind == Kind::div;
    return is_one && node.inputs.size() == 2;
  }

  /// Whether a constant has all these dimensions itself.
  static bool is_of(const Tensor* constant, const ChannelAxis& channels) {
    if (constant == nullptr || constant->shape().size() != channels.rank) return false;
    return extent(constant->shape(), channels.rank - channels.from_end) == channels.count;
  }

  static bool keeps_channels(const Node& node, const ChannelAxis& channels) {
    const bool pools = node.kind == Kind::max_pool || node.kind == Kind::average_pool ||
                       node.kind == Kind::global_average_pool;
    return node.kind == Kind::relu || node.kind == Kind::clip || node.kind == Kind::leaky_relu ||
           node.kind == Kind::sigmoid || node.kind == Kind::batch_norm ||
           (pools && channels.rank >= 3);
  }

  /// Whether the value surely has these channels, so that no constant widens it: followed back to
  /// the op that makes them.
  bool has_channels(const std::string& value, const ChannelAxis& channels) const {
    std::string name = value;
    while (const std::optional<std::size_t> producer = index_.producer(name)) {
      const Node& node = graph_.nodes[*producer];
      if (is_arithmetic(node)) {  // broadcasting only ever widens: one operand is enough
        if (channels.count == 1) return false;
        const std::size_t constant = index_.constant(node.inputs[0]) != nullptr ? 0 : 1;
        if (is_of(index_.constant(node.inputs[constant]), channels)) return true;
        name = node.inputs[1 - constant];
        continue;
      }
      if (keeps_channels(node, channels)) {
        name = node.inputs[0];
        continue;
      }
      const Tensor* weight = node.inputs.size() > 1 ? index_.constant(node.inputs[1]) : nullptr;
      if (weight == nullptr || weight->size() == 0) return false;
      const auto made = channels_of(node, weight->shape(), ranks_);
      return made && made->count == channels.count && made->rank == channels.rank &&
             made->from_end == channels.from_end;
    }
    return false;
  }

  /// Whether what the op reads would be codes anyway: an op made it that has integer kernels, and
  /// is none into which the chain folds from behind.
  bool is_of_codes(const Node& node, std::size_t input) const {
    const std::string& value = node.inputs[input];
    const std::optional<std::size_t> producer = index_.producer(value);
    if (!producer || in_float_.contains(*producer)) return false;
    const Node& maker = graph_.nodes[*producer];
    const bool has_weight = (maker.kind == Kind::conv || maker.kind == Kind::conv_transpose ||
                             maker.kind == Kind::gemm || maker.kind == Kind::matmul) &&
                            maker.inputs.size() > 1 && index_.constant(maker.inputs[1]) != nullptr;
    if (has_weight && index_.uses(value).size() == 1 && !index_.is_output(value)) return false;
    return capability(maker.kind) != nullptr;
  }

  void fold(const Node& node, const Tensor& stored, const Inputs& inputs,
            const std::vector<Link>& links) {
    Affine all = identity(inputs.count);
    for (auto link = links.rbegin(); link != links.rend(); ++link) append(link->affine, all);
    const Tensor weight = aligned(stored);
    const std::span<const float> before = weight.data<float>();
    std::vector<float> values(before.size());
    std::vector<double> added(inputs.outputs, 0);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto [in, out] = inputs.of(i);
      values[i] = static_cast<float>(before[i] * all.factor[in]);
      added[out] += before[i] * all.shift[in];
    }
    auto scaled = finite_tensor(stored.shape(), std::move(values));
    std::optional<Tensor> bias;
    if (!all.only_scales()) {
      bias = with_bias(node, added);
      if (!bias) return;
    }
    if (!scaled) return;
    edit(node, 1, *std::move(scaled));
    if (bias) edit(node, 2, *std::move(bias));
    std::vector<Use> gone;
    gone.reserve(links.size());
    for (const Link& link : links) gone.push_back({link.node, link.input});
    bypass(index_, gone, plan_);
  }

  std::optional<Tensor> with_bias(const Node& node, const std::vector<double>& added) const {
    std::vector<double> before(added.size(), 0);
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
      const auto numbers = numbers_of(index_.constant(node.inputs[2]),
                                      {added.size(), node.kind == Kind::gemm ? 2U : 1U, 1});
      if (!numbers) return std::nullopt;
      before = *numbers;
    }
    std::vector<float> values(added.size());
    for (std::size_t o = 0; o < added.size(); ++o)
      values[o] = static_cast<float>(before[o] + added[o]);
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
  GraphIndex index_;
  Ranks ranks_;
  std::set<std::size_t> in_float_;
  Plan plan_;
};

}  // namespace

Plan fold_before(const Graph& graph, const TensorMap& constants) {
  return Folder(graph, constants).run();
}

}  // namespace quantlens
