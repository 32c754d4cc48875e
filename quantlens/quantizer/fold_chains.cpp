// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/fold_chains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
  std::size_t weight = 1;  ///< input of the op that is its weight

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

/// Of a MatMul: columns of its second operand, or rows of its first one.
Channels of_matmul(const Node& node, const Shape& weight, const Extents& extents,
                   std::size_t input) {
  const std::size_t from_end = input == 1 ? 1 : 2;
  const std::size_t rank = extents_of(extents, op_id(node)).size();
  Channels channels{{extent(weight, weight.size() - from_end), std::max(rank, from_end), from_end}};
  if (input == 0) channels.inner = extent(weight, weight.size() - 1);
  channels.weight = input;
  return channels;
}

/// Nothing where the op is no multiplication by a constant weight, input number `input`, that has
/// such channels.
std::optional<Channels> layout_of(const Node& node, const Shape& weight, const Extents& extents,
                                  std::size_t input) {
  const std::span<const std::int64_t> shape(weight);
  if (node.kind == Kind::matmul) {
    return weight.size() < 2 ? std::nullopt
                             : std::optional(of_matmul(node, weight, extents, input));
  }
  if (input != 1) return std::nullopt;
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

std::optional<Affine> affine_at(const GraphIndex& index, const Extents& extents, const Use& use,
                                const ChannelAxis& channels) {
  const Node& node = index.graph().nodes[use.node];
  if (use.input >= node.inputs.size()) return std::nullopt;  // a body of it reads the value
  return affine_of(index, node, use.input, channels, extents_of(extents, node.inputs[use.input]));
}

/// Whether an op of a chain stands for the bias that a MatMul lacks: what is behind it goes into
/// its constants. An Add that is a bias does even where it adds nothing: biases are corrected
/// later.
bool adds(const GraphIndex& index, const Link& link) {
  const Node& node = index.graph().nodes[link.node];
  const bool can =
      node.kind == Kind::add || node.kind == Kind::sub || node.kind == Kind::batch_norm;
  return can && (!link.affine.only_scales() || bias_input(index, node));
}

/// Whether a chain goes on behind such an op: a Sub or BatchNormalization at its end is as well off
/// by itself, and so is an Add that no kernel takes for a bias.
bool is_of_use(const GraphIndex& index, const std::vector<Link>& links, std::size_t at) {
  const std::optional<std::size_t> bias = bias_input(index, index.graph().nodes[links[at].node]);
  return at + 1 < links.size() || (bias && *bias != links[at].input);
}

std::vector<Link> chain_behind(const GraphIndex& index, const Extents& extents, std::size_t anchor,
                               const Channels& channels, const Prepared& prepared) {
  std::vector<Link> links;
  for (auto use = next_in_chain(index, anchor, prepared); use;
       use = next_in_chain(index, use->node, prepared)) {
    auto affine = affine_at(index, extents, *use, channels);
    if (!affine) break;
    links.push_back({.node = use->node, .input = use->input, .affine = std::move(*affine)});
  }
  return links;
}

/// Whether a MatMul can take it: what is added needs a bias in front of all that moves.
bool can_take(const GraphIndex& index, std::size_t anchor, const std::vector<Link>& links,
              const Affine& affine) {
  const std::vector<Node>& nodes = index.graph().nodes;
  return nodes[anchor].kind != Kind::matmul || affine.only_scales() ||
         std::ranges::any_of(
             links, [&](const Link& link) { return !link.is_behind_move && adds(index, link); });
}

std::vector<Link> chain_through(const GraphIndex& index, const Extents& extents, std::size_t anchor,
                                const Channels& channels, const Prepared& prepared) {
  const std::vector<Node>& nodes = index.graph().nodes;
  std::vector<Link> links;
  std::optional<ChannelAxis> axis = channels;
  bool has_moved = false;
  for (auto use = next_in_chain(index, anchor, prepared); use;
       use = next_in_chain(index, use->node, prepared)) {
    const Node& node = nodes[use->node];
    if (only_moves(node.kind)) {
      axis = use->input == 0 ? moved(index, extents, node, *axis) : std::nullopt;
      if (!axis) break;
      has_moved = true;
      continue;
    }
    auto affine = affine_at(index, extents, *use, *axis);
    if (!affine || (has_moved && !can_take(index, anchor, links, *affine))) break;
    links.push_back({use->node, use->input, std::move(*affine), has_moved});
  }
  while (!links.empty() && !can_be_replaced(index, op_id(nodes[links.back().node])))
    links.pop_back();
  if (links.empty() || !links.back().is_behind_move) return {};
  return links;
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
    const std::optional<Tensor> after = weight_times(all.factor);
    if (!after) return false;
    const double times = node_.kind == Kind::gemm ? attribute_float(node_, "beta", 1) : 1;
    const bool has_bias = node_.inputs.size() > 2 && !node_.inputs[2].empty();
    std::optional<Tensor> bias;
    if ((has_bias && times != 0) || !all.only_scales()) {
      const auto before = has_bias ? bias_numbers() : std::vector<double>(channels_.count, 0);
      if (!before || times == 0 || (!has_bias && !can_get_bias(node_))) return false;
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

  std::optional<Tensor> weight_times(const std::vector<double>& factor) const {
    const Tensor& weight = *index_.constant(node_.inputs[channels_.weight]);
    const auto size = static_cast<std::size_t>(weight.size());
    return scaled(weight, factor, [&](std::size_t i) { return channels_.of(i, size); });
  }

  /// Of a MatMul: what scales goes into its weight, the first op that adds stays and takes the
  /// rest.
  bool fold_matmul(const std::vector<Link>& links) {
    const std::vector<Node>& nodes = index_.graph().nodes;
    const auto adder =
        std::ranges::find_if(links, [&](const Link& link) { return adds(index_, link); });
    const auto at = static_cast<std::size_t>(adder - links.begin());
    if (adder != links.end() && !is_of_use(index_, links, at)) return false;
    std::vector<double> factor = total({links.begin(), adder}).factor;
    std::vector<Edited> edits;
    if (adder != links.end()) {
      const Affine behind = total({adder + 1, links.end()});
      if (!take(*adder, behind, edits)) return false;
      if (nodes[adder->node].kind != Kind::batch_norm) multiply(behind.factor, factor);
    }
    const std::optional<Tensor> weight = weight_times(factor);
    if (!weight) return false;
    if (std::ranges::any_of(factor, [](double one) { return one != 1; }))
      edit(node_, channels_.weight, *weight);
    for (Edited& one : edits) edit(nodes[adder->node], one.input, std::move(one.tensor));
    for (auto link = links.begin(); link != links.end(); ++link) {
      if (link != adder) fold(*link, link < adder ? node_ : nodes[adder->node]);
    }
    return true;
  }

  static void multiply(const std::vector<double>& by, std::vector<double>& factor) {
    for (std::size_t c = 0; c < factor.size(); ++c) factor[c] *= by[c];
  }

  /// What becomes of an adder's constants where it makes what `behind` makes of its result: a
  /// BatchNormalization takes all of it, an Add or Sub what is added. False where a number would
  /// get lost.
  bool take(const Link& adder, const Affine& behind, std::vector<Edited>& edits) const {
    const Node& node = index_.graph().nodes[adder.node];
    if (node.kind == Kind::batch_norm) return take_all(node, behind, edits);
    const bool is_subtracted = node.kind == Kind::sub && adder.input == 0;
    Affine sum = behind;
    const Tensor* constant = index_.constant(node.inputs[1 - adder.input]);
    const bool stays = behind.only_scales() && behind.only_shifts() &&
                       (constant->shape().size() <= 2 || channels_.weight == 0);
    if (stays) return true;
    for (double& one : sum.shift) one = is_subtracted ? -one : one;
    std::vector<double> number = adder.affine.shift;
    for (double& one : number) one = is_subtracted ? -one : one;
    auto tensor = shifted(number, sum, 1);
    if (!tensor) return false;
    if (channels_.weight == 0)  // figures of rows
      tensor = Tensor::from<float>({tensor->size(), 1}, values_of(*tensor));
    edits.push_back({.input = 1 - adder.input, .tensor = *std::move(tensor)});
    return true;
  }

  static std::vector<float> values_of(const Tensor& tensor) {
    const std::span<const float> values = tensor.data<float>();
    return {values.begin(), values.end()};
  }

  bool take_all(const Node& node, const Affine& behind, std::vector<Edited>& edits) const {
    constexpr std::size_t kScale = 1, kShift = 2;
    const ChannelAxis vector{.count = channels_.count, .rank = 1, .from_end = 1};
    const auto shift = numbers_of(index_.constant(node.inputs[kShift]), vector);
    if (!shift) return false;
    auto scale = scaled(*index_.constant(node.inputs[kScale]), behind.factor,
                        [](std::size_t i) { return i; });
    auto sum = shifted(*shift, behind, 1);
    if (!scale || !sum) return false;
    edits.push_back({.input = kScale, .tensor = *std::move(scale)});
    edits.push_back({.input = kShift, .tensor = *std::move(sum)});
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
std::optional<Channels> made_by(const GraphIndex& index, const Extents& extents,
                                std::size_t anchor) {
  const Node& node = index.graph().nodes[anchor];
  if (node.inputs.size() < 2) return std::nullopt;
  const bool is_second = node.kind != Kind::matmul || index.constant(node.inputs[1]) != nullptr;
  const std::size_t input = is_second ? 1 : 0;
  const Tensor* weight = index.constant(node.inputs[input]);
  if (weight == nullptr || weight->dtype() != DType::float32 || weight->size() == 0)
    return std::nullopt;
  return layout_of(node, weight->shape(), extents, input);
}

}  // namespace

std::vector<std::size_t> fold_chain(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared) {
  const std::optional<Channels> channels = made_by(index, extents, anchor);
  if (!channels) return {};
  std::vector<std::size_t> members;
  for (const Link& link : Folding(index, anchor, *channels, prepared)
                              .run(chain_behind(index, extents, anchor, *channels, prepared))) {
    members.push_back(link.node);
  }
  return members;
}

std::vector<Use> fold_chain_through(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared) {
  const std::optional<Channels> channels = made_by(index, extents, anchor);
  if (!channels) return {};
  std::vector<Link> links = chain_through(index, extents, anchor, *channels, prepared);
  const std::size_t folds = prepared.folds.size();
  links = Folding(index, anchor, *channels, prepared).run(std::move(links));
  std::vector<Use> gone;
  for (const Link& link : links) {
    const std::string& op = op_id(index.graph().nodes[link.node]);
    const bool is_folded =
        std::any_of(prepared.folds.begin() + static_cast<std::ptrdiff_t>(folds),
                    prepared.folds.end(), [&](const Fold& fold) { return fold.op == op; });
    if (is_folded) gone.push_back({link.node, link.input});  // what adds behind a MatMul stays
  }
  return gone;
}

}  // namespace quantlens
