// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_chains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/affine.h"
#include "quantlens/quantizer/analyze/bypass.h"
#include "quantlens/quantizer/analyze/moved_channels.h"

namespace quantlens {
namespace {

/// The op that alone reads what a node makes; nothing where there are more, where it is an output,
/// and where it is one of `stops`.
std::optional<Use> next_in_chain(const GraphIndex& index, std::size_t node,
                                 const std::map<std::size_t, std::string>& stops) {
  const std::string& value = op_id(index.graph().nodes[node]);
  const std::vector<Use>& uses = index.uses(value);
  if (uses.size() != 1 || index.is_output(value)) return std::nullopt;
  if (stops.contains(uses[0].node)) return std::nullopt;
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
bool adds(const GraphIndex& index, const ChainLink& link) {
  const Node& node = index.graph().nodes[link.node];
  const bool can =
      node.kind == Kind::add || node.kind == Kind::sub || node.kind == Kind::batch_norm;
  return can && (!link.affine.only_scales() || bias_input(index, node));
}

/// Whether a chain goes on behind such an op: a Sub or BatchNormalization at its end is as well off
/// by itself, and so is an Add that no kernel takes for a bias.
bool is_of_use(const GraphIndex& index, const std::vector<ChainLink>& links, std::size_t at) {
  const std::optional<std::size_t> bias = bias_input(index, index.graph().nodes[links[at].node]);
  return at + 1 < links.size() || (bias && *bias != links[at].input);
}

/// Whether a MatMul can take it: what is added needs a bias in front of all that moves.
bool can_take(const GraphIndex& index, std::size_t anchor, const std::vector<ChainLink>& links,
              const Affine& affine) {
  const std::vector<Node>& nodes = index.graph().nodes;
  return nodes[anchor].kind != Kind::matmul || affine.only_scales() ||
         std::ranges::any_of(links, [&](const ChainLink& link) {
           return !link.is_behind_move && adds(index, link);
         });
}

std::vector<ChainLink> chain_through(const GraphIndex& index, const Extents& extents,
                                     std::size_t anchor, const OutputChannels& channels,
                                     const std::map<std::size_t, std::string>& stops) {
  const std::vector<Node>& nodes = index.graph().nodes;
  std::vector<ChainLink> links;
  std::optional<ChannelAxis> axis = channels;
  bool has_moved = false;
  for (auto use = next_in_chain(index, anchor, stops); use;
       use = next_in_chain(index, use->node, stops)) {
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
  Folding(const GraphIndex& index, std::size_t anchor, const OutputChannels& channels,
          Prepared& prepared, const std::set<std::string>* like)
      : index_(index),
        node_(index.graph().nodes[anchor]),
        channels_(channels),
        prepared_(prepared),
        like_(like) {}

  /// Of the links those that have become part of the chain, from the first one on.
  std::vector<ChainLink> run(std::vector<ChainLink> links) {
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
  bool fold_biased(const std::vector<ChainLink>& links) {
    const Affine all = total(links);
    const std::optional<Tensor> after = weight_times(all.factor);
    if (!after) return false;
    const double times = beta_of(node_);
    const roles::Operands& operands = *operands_of(node_);
    const bool has_bias = !bias_of(node_).empty();
    std::optional<Tensor> bias;
    if ((has_bias && times != 0) || !all.only_scales()) {
      const auto before = has_bias ? bias_numbers() : std::vector<double>(channels_.count, 0);
      if (!before || times == 0 || (!has_bias && !can_get_bias(node_))) return false;
      bias = shifted(*before, all, times);
      if (!bias) return false;
    }
    if (!all.only_shifts()) edit(node_, operands.weight, *after);
    if (bias) edit(node_, operands.bias.value(), *bias);
    for (const ChainLink& link : links) fold(link, node_);
    return true;
  }

  std::optional<std::vector<double>> bias_numbers() const {
    return numbers_of(index_.constant(bias_of(node_)),
                      {channels_.count, node_.kind == Kind::gemm ? 2U : 1U, 1});
  }

  std::optional<Tensor> weight_times(const std::vector<double>& factor) const {
    const Tensor& weight = *index_.constant(node_.inputs[channels_.weight]);
    const auto size = static_cast<std::size_t>(weight.size());
    return scaled(weight, factor, [&](std::size_t i) { return channels_.of(i, size); });
  }

  /// Of a MatMul: what scales goes into its weight, the first op that adds stays and takes the
  /// rest.
  bool fold_matmul(const std::vector<ChainLink>& links) {
    const std::vector<Node>& nodes = index_.graph().nodes;
    const auto adder =
        std::ranges::find_if(links, [&](const ChainLink& link) { return adds(index_, link); });
    const auto at = static_cast<std::size_t>(adder - links.begin());
    if (like_ == nullptr && adder != links.end() && !is_of_use(index_, links, at)) return false;
    std::vector<double> factor = total({links.begin(), adder}).factor;
    std::vector<Edited> edits;
    if (adder != links.end()) {
      const Affine behind = total({adder + 1, links.end()});
      const bool is_norm = nodes[adder->node].kind == Kind::batch_norm;
      const bool is_shift =
          is_norm && like_ != nullptr && like_->contains(op_id(nodes[adder->node]));
      if (is_shift ? !leave_shift(*adder, behind, edits) : !take(*adder, behind, edits))
        return false;
      if (is_shift) multiply(adder->affine.factor, factor);
      if (!is_norm || is_shift) multiply(behind.factor, factor);
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
  bool take(const ChainLink& adder, const Affine& behind, std::vector<Edited>& edits) const {
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
    const auto* norm = role<roles::Normalization>(node);
    if (norm == nullptr) return false;
    const ChannelAxis vector{.count = channels_.count, .rank = 1, .from_end = 1};
    const std::size_t at_scale = norm->operands.scale, at_shift = norm->operands.shift;
    const auto shift = numbers_of(index_.constant(input_of(node, at_shift)), vector);
    if (!shift) return false;
    auto scale = scaled(*index_.constant(input_of(node, at_scale)), behind.factor,
                        [](std::size_t i) { return i; });
    auto sum = shifted(*shift, behind, 1);
    if (!scale || !sum) return false;
    edits.push_back({.input = at_scale, .tensor = *std::move(scale)});
    edits.push_back({.input = at_shift, .tensor = *std::move(sum)});
    return true;
  }

  /// A BatchNormalization whose factors are in the weight adds what is left.
  bool leave_shift(const ChainLink& norm, const Affine& behind, std::vector<Edited>& edits) const {
    const Node& node = index_.graph().nodes[norm.node];
    const auto* role = quantlens::role<roles::Normalization>(node);
    if (role == nullptr) return false;
    const roles::NormalizationOperands& operands = role->operands;
    const ChannelAxis vector{.count = channels_.count, .rank = 1, .from_end = 1};
    const auto mean = numbers_of(index_.constant(input_of(node, operands.mean)), vector);
    const auto variance = numbers_of(index_.constant(input_of(node, operands.variance)), vector);
    if (!mean || !variance) return false;
    const double epsilon = role->epsilon;
    std::vector<float> scale, shift;
    for (std::size_t c = 0; c < channels_.count; ++c) {
      scale.push_back(static_cast<float>(std::sqrt((*variance)[c] + epsilon)));
      const double all = norm.affine.shift[c] * behind.factor[c] + behind.shift[c];
      shift.push_back(static_cast<float>(all + (*mean)[c]));
    }
    const auto count = static_cast<std::int64_t>(channels_.count);
    auto scales = finite_tensor({count}, std::move(scale));
    auto shifts = finite_tensor({count}, std::move(shift));
    if (!scales || !shifts) return false;
    edits.push_back({.input = operands.scale, .tensor = *std::move(scales)});
    edits.push_back({.input = operands.shift, .tensor = *std::move(shifts)});
    return true;
  }

  Affine total(std::span<const ChainLink> links) const {
    Affine all = identity(channels_.count);
    for (const ChainLink& link : links) append(link.affine, all);
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

  void fold(const ChainLink& link, const Node& into) {
    prepared_.folds.push_back({.op = op_id(index_.graph().nodes[link.node]), .into = op_id(into)});
  }

  const GraphIndex& index_;
  const Node& node_;
  const OutputChannels channels_;
  Prepared& prepared_;
  const std::set<std::string>* like_;  // null: as is best
};

}  // namespace

std::vector<ChainLink> chain_behind(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, const OutputChannels& channels,
                                    const std::map<std::size_t, std::string>& stops) {
  std::vector<ChainLink> links;
  for (auto use = next_in_chain(index, anchor, stops); use;
       use = next_in_chain(index, use->node, stops)) {
    auto affine = affine_at(index, extents, *use, channels);
    if (!affine) break;
    links.push_back({.node = use->node, .input = use->input, .affine = std::move(*affine)});
  }
  return links;
}

std::vector<std::size_t> fold_chain(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared,
                                    const std::set<std::string>* like) {
  const Node& node = index.graph().nodes[anchor];
  const std::optional<OutputChannels> channels = output_channels(index, extents, node);
  if (!channels) return {};
  const std::map<std::size_t, std::string> nothing;
  std::vector<ChainLink> links =
      chain_behind(index, extents, anchor, *channels, like ? nothing : prepared.kept_float);
  const auto is_left = [&](const ChainLink& link) {
    return like != nullptr && !like->contains(op_id(index.graph().nodes[link.node]));
  };
  const auto is_sum = [&] {  // the bias of a MatMul belongs to it anyway
    const auto bias = bias_input(index, index.graph().nodes[links.back().node]);
    return node.kind == Kind::matmul && bias && *bias != links.back().input &&
           (links.size() == 1 || !is_left(links[links.size() - 2]));
  };
  while (!links.empty() && is_left(links.back()) && !is_sum()) links.pop_back();
  std::vector<std::size_t> members;
  for (const ChainLink& link :
       Folding(index, anchor, *channels, prepared, like).run(std::move(links))) {
    members.push_back(link.node);
  }
  return members;
}

std::vector<Use> fold_chain_through(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared) {
  const Node& node = index.graph().nodes[anchor];
  const std::optional<OutputChannels> channels = output_channels(index, extents, node);
  if (!channels) return {};
  std::vector<ChainLink> links =
      chain_through(index, extents, anchor, *channels, prepared.kept_float);
  links = Folding(index, anchor, *channels, prepared, nullptr).run(std::move(links));
  std::vector<Use> gone;
  for (const ChainLink& link : links) {
    const std::string& op = op_id(index.graph().nodes[link.node]);
    // what adds behind a MatMul stays
    if (prepared.folds.contains(op)) gone.push_back({link.node, link.input});
  }
  return gone;
}

}  // namespace quantlens
