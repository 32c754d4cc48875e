// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/fold_chains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace quantlens {
namespace {

/// Where the output channels of an op are: in its weight and in its result.
struct Channels {
  std::size_t count = 0;
  std::size_t rank = 0;      ///< of the result; the least that is certain
  std::size_t from_end = 1;  ///< the result's channel axis, counted from its last one, which is 1
  std::size_t inner = 1;     ///< neighbouring elements of the weight that belong to one channel
  std::size_t groups = 1;    ///< of a ConvTranspose, whose channels count within each group

  /// The channel of an element of the weight; `size`: all elements.
  std::size_t of(std::size_t element, std::size_t size) const {
    const std::size_t within = count / groups;
    return element / (size / groups) * within + element / inner % within;
  }
};

std::size_t extent(const Shape& shape, std::size_t axis) {
  return static_cast<std::size_t>(shape[axis]);
}

std::size_t product(std::span<const std::int64_t> extents) {
  std::size_t size = 1;
  for (const std::int64_t one : extents) size *= static_cast<std::size_t>(one);
  return size;
}

/// Nothing where the op is no multiplication by a constant weight that has such channels.
std::optional<Channels> channels_of(const Node& node, const Shape& weight, const Ranks& ranks) {
  const std::span<const std::int64_t> shape(weight);
  switch (node.kind) {
    case Kind::conv:
      if (weight.size() < 3) return std::nullopt;
      return Channels{.count = extent(weight, 0),
                      .rank = weight.size(),
                      .from_end = weight.size() - 1,
                      .inner = product(shape.subspan(1))};
    case Kind::conv_transpose: {
      const std::int64_t groups = attribute_int(node, "group", 1);
      if (weight.size() < 3 || groups < 1 || weight[0] % groups != 0) return std::nullopt;
      return Channels{.count = extent(weight, 1) * static_cast<std::size_t>(groups),
                      .rank = weight.size(),
                      .from_end = weight.size() - 1,
                      .inner = product(shape.subspan(2)),
                      .groups = static_cast<std::size_t>(groups)};
    }
    case Kind::gemm: {
      if (weight.size() != 2) return std::nullopt;
      const bool by_rows = attribute_int(node, "transB", 0) != 0;
      return Channels{.count = extent(weight, by_rows ? 0 : 1),
                      .rank = 2,
                      .inner = by_rows ? extent(weight, 1) : 1};
    }
    case Kind::matmul: {
      if (weight.size() < 2) return std::nullopt;
      const auto rank = ranks.find(op_id(node));
      return Channels{.count = extent(weight, weight.size() - 1),
                      .rank = rank == ranks.end() ? 1 : rank->second};
    }
    default:
      return std::nullopt;
  }
}

/// y = factor * x + shift for each channel.
struct Affine {
  std::vector<double> factor, shift;

  bool only_scales() const {
    return std::ranges::all_of(shift, [](double one) { return one == 0; });
  }
  bool only_shifts() const {
    return std::ranges::all_of(factor, [](double one) { return one == 1; });
  }
};

Affine identity(std::size_t count) {
  return {.factor = std::vector<double>(count, 1), .shift = std::vector<double>(count, 0)};
}

/// First `before`, then `after`.
void append(const Affine& after, Affine& before) {
  for (std::size_t c = 0; c < before.factor.size(); ++c) {
    before.factor[c] *= after.factor[c];
    before.shift[c] = before.shift[c] * after.factor[c] + after.shift[c];
  }
}

/// A constant's number for each channel; nothing where it has others, or would widen the result.
std::optional<std::vector<double>> numbers_of(const Tensor* constant, const Channels& channels) {
  if (constant == nullptr || constant->dtype() != DType::float32) return std::nullopt;
  const Shape& shape = constant->shape();
  if (shape.size() > channels.rank) return std::nullopt;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool of_channels =
        shape.size() - axis == channels.from_end && extent(shape, axis) == channels.count;
    if (shape[axis] != 1 && !of_channels) return std::nullopt;
  }
  const Tensor values = aligned(*constant);
  const std::span<const float> data = values.data<float>();
  if (data.size() == 1) return std::vector<double>(channels.count, data[0]);
  return std::vector<double>(data.begin(), data.end());
}

std::optional<Affine> batch_norm_affine(const GraphIndex& index, const Node& node,
                                        const Channels& channels) {
  const bool by_second_axis = channels.rank == channels.from_end + 1;
  if (node.inputs.size() < 5 || !by_second_axis || attribute_int(node, "training_mode", 0) != 0)
    return std::nullopt;
  std::vector<std::vector<double>> parts;  // scale, shift, mean, variance
  for (std::size_t i = 1; i < 5; ++i) {
    const Tensor* tensor = index.constant(node.inputs[i]);
    if (tensor == nullptr || tensor->dtype() != DType::float32 ||
        static_cast<std::size_t>(tensor->size()) != channels.count) {
      return std::nullopt;
    }
    const Tensor values = aligned(*tensor);
    parts.emplace_back(values.data<float>().begin(), values.data<float>().end());
  }
  const double epsilon = attribute_float(node, "epsilon", 1e-5F);
  Affine affine = identity(channels.count);
  for (std::size_t c = 0; c < channels.count; ++c) {
    affine.factor[c] = parts[0][c] / std::sqrt(parts[3][c] + epsilon);
    affine.shift[c] = parts[1][c] - affine.factor[c] * parts[2][c];
  }
  return affine;
}

/// What `node` makes of each channel of its input number `input`; nothing where it does more.
std::optional<Affine> affine_of(const GraphIndex& index, const Node& node, std::size_t input,
                                const Channels& channels) {
  const auto has_more = [](const std::string& output) { return !output.empty(); };
  if (std::ranges::count_if(node.outputs, has_more) != 1) return std::nullopt;
  if (node.kind == Kind::batch_norm) {
    return input == 0 ? batch_norm_affine(index, node, channels) : std::nullopt;
  }
  if (node.inputs.size() != 2 || input > 1) return std::nullopt;
  const auto numbers = numbers_of(index.constant(node.inputs[1 - input]), channels);
  if (!numbers) return std::nullopt;
  Affine affine = identity(channels.count);
  for (std::size_t c = 0; c < channels.count; ++c) {
    const double number = (*numbers)[c];
    switch (node.kind) {
      case Kind::mul:
        affine.factor[c] = number;
        break;
      case Kind::add:
        affine.shift[c] = number;
        break;
      case Kind::sub:
        affine.factor[c] = input == 0 ? 1 : -1;
        affine.shift[c] = input == 0 ? -number : number;
        break;
      case Kind::div:
        if (input != 0) return std::nullopt;
        affine.factor[c] = 1 / number;
        break;
      default:
        return std::nullopt;
    }
  }
  return affine;
}

/// An op of a chain.
struct Link {
  std::size_t node = 0;
  std::size_t input = 0;  ///< that reads the op before
  Affine affine;
};

std::vector<Link> chain_behind(const GraphIndex& index, std::size_t anchor,
                               const Channels& channels, const Prepared& prepared) {
  std::vector<Link> links;
  const std::vector<Node>& nodes = index.graph().nodes;
  for (std::size_t last = anchor;;) {
    const std::string& value = op_id(nodes[last]);
    const std::vector<Use>& uses = index.uses(value);
    if (uses.size() != 1 || index.is_output(value)) return links;
    const Use& use = uses[0];
    if (prepared.kept_float.contains(use.node)) return links;
    auto affine = affine_of(index, nodes[use.node], use.input, channels);
    if (!affine) return links;
    links.push_back({.node = use.node, .input = use.input, .affine = std::move(*affine)});
    last = use.node;
  }
}

/// Nothing where an element is not finite.
std::optional<Tensor> finite_tensor(const Shape& shape, std::vector<float> values) {
  if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); }))
    return std::nullopt;
  return Tensor::from<float>(shape, std::move(values));
}

std::optional<Tensor> scaled(const Tensor& weight, const Channels& channels,
                             const std::vector<double>& factor) {
  const Tensor before = aligned(weight);
  const std::span<const float> data = before.data<float>();
  std::vector<float> values(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    values[i] = static_cast<float>(data[i] * factor[channels.of(i, data.size())]);
  }
  return finite_tensor(weight.shape(), std::move(values));
}

/// What is added to each channel, as a tensor that is added `times`.
std::optional<Tensor> shifted(const std::vector<double>& before, const Affine& affine,
                              double times) {
  std::vector<float> values(affine.factor.size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    values[c] = static_cast<float>(before[c] * affine.factor[c] + affine.shift[c] / times);
  }
  const auto count = static_cast<std::int64_t>(values.size());
  return finite_tensor({count}, std::move(values));
}

class Folding {
 public:
  Folding(const GraphIndex& index, std::size_t anchor, const Channels& channels, Prepared& prepared)
      : index_(index),
        node_(index.graph().nodes[anchor]),
        channels_(channels),
        prepared_(prepared) {}

  std::vector<std::size_t> run(std::vector<Link> links) {
    while (!links.empty()) {
      const bool done = node_.kind == Kind::matmul ? fold_matmul(links) : fold_biased(links);
      if (done) break;
      links.pop_back();
    }
    std::vector<std::size_t> members;
    for (const Link& link : links) members.push_back(link.node);
    return members;
  }

 private:
  struct Edited {
    std::size_t input = 0;
    Tensor tensor;
  };

  /// Of an op that has a bias itself; false where the chain is too long.
  bool fold_biased(const std::vector<Link>& links) {
    const Affine all = total(links);
    const Tensor* weight = index_.constant(node_.inputs[1]);
    const std::optional<Tensor> after = scaled(*weight, channels_, all.factor);
    if (!after) return false;
    const bool has_bias = node_.inputs.size() > 2 && !node_.inputs[2].empty();
    std::optional<Tensor> bias;
    if (has_bias || !all.only_scales()) {
      const double times = node_.kind == Kind::gemm ? attribute_float(node_, "beta", 1) : 1;
      const auto before = has_bias ? bias_numbers() : std::vector<double>(channels_.count, 0);
      if (!before || times == 0) return false;
      bias = shifted(*before, all, times);
      if (!bias) return false;
    }
    if (!all.only_shifts()) edit(node_, 1, *after);
    if (bias) edit(node_, 2, *bias);
    for (const Link& link : links) fold(link, node_);
    return true;
  }

  std::optional<std::vector<double>> bias_numbers() const {
    return numbers_of(index_.constant(node_.inputs[2]),
                      {.count = channels_.count, .rank = node_.kind == Kind::gemm ? 2U : 1U});
  }

  /// Of a MatMul: what scales goes into its weight, the first Add stays and takes the rest.
  bool fold_matmul(const std::vector<Link>& links) {
    const std::vector<Node>& nodes = index_.graph().nodes;
    const auto add = std::ranges::find_if(links, [&](const Link& link) {
      const std::optional<std::size_t> bias = bias_input(index_, nodes[link.node]);
      return bias && *bias != link.input;
    });
    const std::span<const Link> before(links.begin(), add);
    if (!total(before).only_scales()) return false;
    const Affine all = total(links);
    const std::optional<Tensor> weight =
        scaled(*index_.constant(node_.inputs[1]), channels_, all.factor);
    if (!weight) return false;
    std::optional<Edited> bias;
    if (add != links.end() && add + 1 != links.end()) {
      const Affine behind = total(std::span<const Link>(add + 1, links.end()));
      const auto tensor = shifted(add->affine.shift, behind, 1);
      if (!tensor) return false;
      bias = Edited{.input = 1 - add->input, .tensor = *tensor};
    }
    if (!all.only_shifts()) edit(node_, 1, *weight);
    if (bias) edit(nodes[add->node], bias->input, bias->tensor);
    for (const Link& link : before) fold(link, node_);
    for (auto link = add; link != links.end(); ++link) {
      if (link != add) fold(*link, nodes[add->node]);
    }
    return true;
  }

  Affine total(std::span<const Link> links) const {
    Affine all = identity(channels_.count);
    for (const Link& link : links) append(link.affine, all);
    return all;
  }

  void edit(const Node& node, std::size_t input, Tensor tensor) {
    const std::string& op = op_id(node);
    const bool is_new = input >= node.inputs.size() || node.inputs[input].empty();
    const std::string original = is_new ? "" : node.inputs[input];
    const std::string name = (is_new ? op + "/bias" : original) + "/folded/" + op;
    prepared_.weights[name] = std::move(tensor);
    prepared_.input_edits.push_back({.use = {op, input}, .weight = name, .original = original});
  }

  void fold(const Link& link, const Node& into) {
    prepared_.folds.push_back({.op = op_id(index_.graph().nodes[link.node]), .into = op_id(into)});
  }

  const GraphIndex& index_;
  const Node& node_;
  const Channels channels_;
  Prepared& prepared_;
};

}  // namespace

std::vector<std::size_t> fold_chain(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                    Prepared& prepared) {
  const Node& node = index.graph().nodes[anchor];
  const Tensor* weight = node.inputs.size() > 1 ? index.constant(node.inputs[1]) : nullptr;
  if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0) return {};
  const std::optional<Channels> channels = channels_of(node, weight->shape(), ranks);
  if (!channels) return {};
  return Folding(index, anchor, *channels, prepared)
      .run(chain_behind(index, anchor, *channels, prepared));
}

}  // namespace quantlens
