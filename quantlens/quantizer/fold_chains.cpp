// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/fold_chains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "quantlens/quantizer/affine.h"
#include "quantlens/quantizer/bypass.h"
#include "quantlens/quantizer/moved_channels.h"

namespace quantlens {
namespace {

/// Where the output channels of an op are: in its result, and in its weight.
struct Channels : ChannelAxis {
  std::size_t inner = 1;   ///< neighbouring elements of the weight that belong to one channel
  std::size_t groups = 1;  ///< of a ConvTranspose, whose channels count within each group

  /// The channel of an element of the weight; `size`: all elements.
  std::size_t of(std::size_t element, std::size_t size) const {
    const std::size_t within = count / groups;
    return element / (size / groups) * within + element / inner % within;
  }
};

std::size_t product(std::span<const std::int64_t> extents) {
  std::size_t size = 1;
  for (const std::int64_t one : extents) size *= static_cast<std::size_t>(one);
  return size;
}

/// Nothing where the op is no multiplication by a constant weight that has such channels.
std::optional<Channels> layout_of(const Node& node, const Shape& weight, const Ranks& ranks) {
  const std::span<const std::int64_t> shape(weight);
  switch (node.kind) {
    case Kind::conv:
      if (weight.size() < 3) return std::nullopt;
      return Channels{{extent(weight, 0), weight.size(), weight.size() - 1},
                      product(shape.subspan(1))};
    case Kind::conv_transpose: {
      const std::int64_t groups = attribute_int(node, "group", 1);
      if (weight.size() < 3 || groups < 1 || weight[0] % groups != 0) return std::nullopt;
      const auto count = static_cast<std::size_t>(groups);
      return Channels{{extent(weight, 1) * count, weight.size(), weight.size() - 1},
                      product(shape.subspan(2)),
                      count};
    }
    case Kind::gemm: {
      if (weight.size() != 2) return std::nullopt;
      const bool by_rows = attribute_int(node, "transB", 0) != 0;
      return Channels{{extent(weight, by_rows ? 0 : 1), 2, 1}, by_rows ? extent(weight, 1) : 1};
    }
    case Kind::matmul: {
      if (weight.size() < 2) return std::nullopt;
      const auto rank = ranks.find(op_id(node));
      return Channels{
          {extent(weight, weight.size() - 1), rank == ranks.end() ? 1 : rank->second, 1}};
    }
    default:
      return std::nullopt;
  }
}

/// An op of a chain.
struct Link {
  std::size_t node = 0;
  std::size_t input = 0;  ///< that reads the op before
  Affine affine;
  bool is_behind_move = false;  ///< elements are moved between the anchor and it
};

/// The op that alone reads what a node makes; nothing where there are more, where it is an output,
/// and where it stays float.
std::optional<Use> next_in_chain(const GraphIndex& index, std::size_t node,
                                 const Prepared& prepared) {
  const std::string& value = op_id(index.graph().nodes[node]);
  const std::vector<Use>& uses = index.uses(value);
  if (uses.size() != 1 || index.is_output(value)) return std::nullopt;
  if (prepared.kept_float.contains(uses[0].node)) return std::nullopt;
  return uses[0];
}

std::vector<Link> chain_behind(const GraphIndex& index, std::size_t anchor,
                               const Channels& channels, const Prepared& prepared) {
  std::vector<Link> links;
  const std::vector<Node>& nodes = index.graph().nodes;
  for (auto use = next_in_chain(index, anchor, prepared); use;
       use = next_in_chain(index, use->node, prepared)) {
    auto affine = affine_of(index, nodes[use->node], use->input, channels);
    if (!affine) break;
    links.push_back({.node = use->node, .input = use->input, .affine = std::move(*affine)});
  }
  return links;
}

/// Whether an op of a chain can be the bias of the MatMul before it.
bool is_bias(const GraphIndex& index, const Link& link) {
  const std::optional<std::size_t> bias = bias_input(index, index.graph().nodes[link.node]);
  return bias && *bias != link.input;
}

/// Whether a MatMul can take it: what is added needs a bias in front of all that moves.
bool can_take(const GraphIndex& index, std::size_t anchor, const std::vector<Link>& links,
              const Affine& affine) {
  return index.graph().nodes[anchor].kind != Kind::matmul || affine.only_scales() ||
         std::ranges::any_of(
             links, [&](const Link& link) { return !link.is_behind_move && is_bias(index, link); });
}

std::vector<Link> chain_through(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                const Channels& channels, const Prepared& prepared) {
  const std::vector<Node>& nodes = index.graph().nodes;
  std::vector<Link> links;
  std::optional<ChannelAxis> axis = channels;
  bool has_moved = false;
  for (auto use = next_in_chain(index, anchor, prepared); use;
       use = next_in_chain(index, use->node, prepared)) {
    const Node& node = nodes[use->node];
    if (only_moves(node.kind)) {
      axis = use->input == 0 ? moved(index, ranks, node, *axis) : std::nullopt;
      if (!axis) break;
      has_moved = true;
      continue;
    }
    auto affine = affine_of(index, node, use->input, *axis);
    if (!affine || (has_moved && !can_take(index, anchor, links, *affine))) break;
    links.push_back({use->node, use->input, std::move(*affine), has_moved});
  }
  while (!links.empty() && !can_be_replaced(index, op_id(nodes[links.back().node])))
    links.pop_back();
  if (links.empty() || !links.back().is_behind_move) return {};
  return links;
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

  /// Of the links those that have become part of the chain, from the first one on.
  std::vector<Link> run(std::vector<Link> links) {
    while (!links.empty()) {
      const bool done = node_.kind == Kind::matmul ? fold_matmul(links) : fold_biased(links);
      if (done) break;
      links.pop_back();
    }
    return links;
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
                      {channels_.count, node_.kind == Kind::gemm ? 2U : 1U, 1});
  }

  /// Of a MatMul: what scales goes into its weight, the first Add stays and takes the rest.
  bool fold_matmul(const std::vector<Link>& links) {
    const std::vector<Node>& nodes = index_.graph().nodes;
    const auto add =
        std::ranges::find_if(links, [&](const Link& link) { return is_bias(index_, link); });
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

/// The channels of an op with a constant weight of floats.
std::optional<Channels> made_by(const GraphIndex& index, const Ranks& ranks, std::size_t anchor) {
  const Node& node = index.graph().nodes[anchor];
  const Tensor* weight = node.inputs.size() > 1 ? index.constant(node.inputs[1]) : nullptr;
  if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0)
    return std::nullopt;
  return layout_of(node, weight->shape(), ranks);
}

}  // namespace

std::optional<ChannelAxis> channels_of(const Node& node, const Shape& weight, const Ranks& ranks) {
  return layout_of(node, weight, ranks);
}

std::vector<std::size_t> fold_chain(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                    Prepared& prepared) {
  const std::optional<Channels> channels = made_by(index, ranks, anchor);
  if (!channels) return {};
  std::vector<std::size_t> members;
  for (const Link& link : Folding(index, anchor, *channels, prepared)
                              .run(chain_behind(index, anchor, *channels, prepared))) {
    members.push_back(link.node);
  }
  return members;
}

std::vector<Use> fold_chain_through(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                    Prepared& prepared) {
  const std::optional<Channels> channels = made_by(index, ranks, anchor);
  if (!channels) return {};
  std::vector<Link> links = chain_through(index, ranks, anchor, *channels, prepared);
  const std::size_t folds = prepared.folds.size();
  links = Folding(index, anchor, *channels, prepared).run(std::move(links));
  std::vector<Use> gone;
  for (const Link& link : links) {
    const std::string& op = op_id(index.graph().nodes[link.node]);
    const bool is_folded =
        std::any_of(prepared.folds.begin() + static_cast<std::ptrdiff_t>(folds),
                    prepared.folds.end(), [&](const Fold& fold) { return fold.op == op; });
    if (is_folded) gone.push_back({link.node, link.input});  // the Add of a MatMul stays
  }
  return gone;
}

}  // namespace quantlens
