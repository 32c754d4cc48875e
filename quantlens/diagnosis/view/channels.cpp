// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/channels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/stats/channel.h"

namespace quantlens {
namespace {

/// The channels of a value.
struct Channels {
  std::size_t axis = 0;
  std::size_t count = 0;
  std::vector<std::uint32_t> order;  ///< which to mark first; as many as a pair ever marks
};

/// The greatest absolute weight of each channel.
std::vector<float> reaches_of(const Tensor& weight, int axis) {
  const Tensor floats = to_float32(weight);
  const AxisLayout layout = axis_layout(weight.shape(), axis);
  std::vector<float> reaches(layout.channels);
  const auto values = floats.data<float>();
  for (std::size_t at = 0, run = 0; at < values.size(); at += layout.inner, ++run) {
    float& reach = reaches[run % layout.channels];
    for (const float value : values.subspan(at, layout.inner)) {
      reach = std::max(reach, std::abs(value));
    }
  }
  return reaches;
}

/// Whether each element of the result comes from the elements of its own place, or of its own
/// channel where that is the axis that the op takes for channels.
enum class Spreads { not_at_all, over_positions, otherwise };

Spreads spreads_of(Kind kind) {
  if (is_elementwise(kind)) return Spreads::not_at_all;
  switch (kind) {
    case Kind::softmax:
    case Kind::layer_norm:
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
    case Kind::pow:
    case Kind::min:
    case Kind::max:
      return Spreads::not_at_all;
    case Kind::batch_norm:
    case Kind::instance_norm:
    case Kind::max_pool:
    case Kind::average_pool:
    case Kind::global_average_pool:
      return Spreads::over_positions;
    default:
      return Spreads::otherwise;
  }
}

/// The axis that an op takes for channels.
std::size_t own_channel_axis(const Node& node) {
  if (const auto* convolution = role<roles::Convolution>(node)) return convolution->channel_axis;
  if (const auto* pool = role<roles::Pool>(node)) return pool->channel_axis;
  if (const auto* norm = role<roles::Normalization>(node)) return norm->channel_axis;
  return 1;
}

/// Follows channels from the ops that make them.
class Follower {
 public:
  Follower(const GraphIndex& index, const Prepared& prepared, std::size_t most)
      : index_(index), prepared_(prepared), most_(most), ranks_(ranks(index)) {
    for (const Node& node : index.graph().nodes) {
      if (op_id(node).empty()) continue;
      std::optional<Channels> made = made_by(node);
      if (made && made->count > 1) found_.emplace(op_id(node), std::move(*made));
    }
  }

  const Channels* find(const std::string& value) const {
    const auto found = found_.find(value);
    return found == found_.end() ? nullptr : &found->second;
  }

 private:
  std::optional<Channels> made_by(const Node& node) {
    switch (node.kind) {
      case Kind::conv:
        begin_at_input(node);
        return begin(node, own_channel_axis(node));
      case Kind::conv_transpose:
      case Kind::gemm:
        return begin(node, own_channel_axis(node));
      case Kind::matmul:
        return multiplied(node);
      case Kind::transpose:
        return transposed(node);
      case Kind::reshape:
        return reshaped(node);
      case Kind::concat:
        return joined(node);
      default:
        return inherited(node);
    }
  }

  /// 0 where it is not known.
  std::size_t rank_of(const std::string& value) const {
    const auto found = ranks_.find(value);
    return found == ranks_.end() ? 0 : found->second;
  }

  std::optional<Channels> begin(const Node& node, std::size_t axis) const {
    const Tensor* weight = constant_weight(prepared_, index_, node);
    if (weight == nullptr || weight->size() == 0 || !is_float(weight->dtype())) return {};
    if ((node.kind == Kind::matmul || node.kind == Kind::gemm) && weight->shape().size() != 2) {
      return {};
    }
    const std::optional<int> of_weight = output_channel_axis(node, weight->shape());
    if (!of_weight) return {};
    if (node.kind == Kind::conv_transpose && groups_of(node) != 1) return {};
    const std::vector<float> reaches = reaches_of(*weight, *of_weight);
    return Channels{axis, reaches.size(), marking_order(reaches, most_)};
  }

  /// The columns of the second matrix, be it a weight or not.
  std::optional<Channels> multiplied(const Node& node) const {
    const std::size_t rank = rank_of(op_id(node));
    if (rank == 0) return {};
    const Channels* from = last_axis_of(weight_of(node));
    if (from == nullptr) return begin(node, rank - 1);
    return Channels{rank - 1, from->count, from->order};
  }

  /// The channels of a value, where they are its last axis.
  const Channels* last_axis_of(const std::string& value) const {
    const Channels* found = find(value);
    return found != nullptr && rank_of(value) == found->axis + 1 ? found : nullptr;
  }

  /// Other axes may be joined and divided; the last one has to stay.
  std::optional<Channels> reshaped(const Node& node) const {
    const Channels* from = last_axis_of(node.inputs.at(0));
    const Tensor* shape = index_.constant(new_shape_of(node));
    if (from == nullptr || shape == nullptr || shape->size() == 0) return {};
    const std::vector<std::int64_t> extents = to_int64(*shape);
    if (extents.back() != static_cast<std::int64_t>(from->count)) return {};
    return Channels{extents.size() - 1, from->count, from->order};
  }

  /// The colours of an image, and whatever else a network begins with.
  void begin_at_input(const Node& conv) {
    const Tensor* weight = constant_weight(prepared_, index_, conv);
    const auto axes = weight ? weight_axes(conv, weight->shape().size()) : std::nullopt;
    if (!axes || !index_.is_input(data_of(conv)) || groups_of(conv) != 1) return;
    std::vector<float> equals(static_cast<std::size_t>(weight->shape()[axes->input]));
    const std::size_t count = equals.size();
    if (count <= 1) return;
    found_.emplace(data_of(conv),
                   Channels{own_channel_axis(conv), count, marking_order(equals, most_)});
  }

  /// What an op gets from its inputs of the result's rank that have channels; nothing where two do
  /// not agree.
  std::optional<Channels> inherited(const Node& node) const {
    const Spreads spreads = spreads_of(node.kind);
    if (spreads == Spreads::otherwise) return std::nullopt;
    const Channels* from = nullptr;
    for (const std::string& input : node.inputs) {
      const Channels* other = find(input);
      if (other == nullptr) continue;
      if (from != nullptr && (other->axis != from->axis || other->count != from->count)) return {};
      if (rank_of(input) == 0 || rank_of(input) != rank_of(op_id(node))) return {};
      if (from == nullptr) from = other;
    }
    const bool by_axis = spreads == Spreads::over_positions;
    if (from == nullptr || (by_axis && from->axis != own_channel_axis(node))) return {};
    return *from;
  }

  std::optional<Channels> transposed(const Node& node) const {
    const Channels* from = find(node.inputs.at(0));
    if (from == nullptr) return {};
    const std::vector<std::int64_t> order = permutation_of(node);
    const auto at = std::ranges::find(order, static_cast<std::int64_t>(from->axis));
    if (at == order.end()) return {};
    return Channels{static_cast<std::size_t>(at - order.begin()), from->count, from->order};
  }

  /// The channels that the parts share, or those of all parts side by side.
  std::optional<Channels> joined(const Node& node) const {
    const std::int64_t axis = axis_of(node).value_or(-1);
    std::vector<const Channels*> parts;
    for (const std::string& input : node.inputs) {
      if (const Channels* found = find(input)) parts.push_back(found);
    }
    if (parts.empty() || axis < 0) return {};
    if (!std::ranges::all_of(parts, [&](const Channels* p) { return p->axis == parts[0]->axis; })) {
      return {};
    }
    if (axis != static_cast<std::int64_t>(parts[0]->axis)) return *parts[0];
    if (parts.size() != node.inputs.size()) return {};
    return side_by_side(parts);
  }

  /// Those to mark are taken from each in turn.
  Channels side_by_side(const std::vector<const Channels*>& parts) const {
    Channels all;
    all.axis = parts[0]->axis;
    for (std::size_t turn = 0; turn < most_; ++turn) {
      std::size_t offset = 0;
      for (const Channels* part : parts) {
        if (turn < part->order.size() && all.order.size() < most_) {
          all.order.push_back(static_cast<std::uint32_t>(offset) + part->order[turn]);
        }
        offset += part->count;
      }
      all.count = offset;
    }
    return all;
  }

  const GraphIndex& index_;
  const Prepared& prepared_;
  std::size_t most_;
  std::unordered_map<std::string, std::size_t> ranks_;
  std::unordered_map<std::string, Channels> found_;
};

}  // namespace

std::vector<std::uint32_t> marking_order(const std::vector<float>& reaches, std::size_t most) {
  std::vector<std::uint32_t> sorted(reaches.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::stable_sort(sorted, std::greater(),
                           [&](std::uint32_t channel) { return reaches[channel]; });
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; order.size() < std::min(most, sorted.size()); ++i) {
    order.push_back(i % 2 == 0 ? sorted[i / 2] : sorted[sorted.size() - 1 - i / 2]);
  }
  return order;
}

void mark_channels(const GraphIndex& index, const Prepared& prepared, Pairing& pairing,
                   const ChannelLimits& limits) {
  const Follower channels(index, prepared, limits.histograms_of_one);
  std::vector<std::pair<ValuePair*, const Channels*>> chosen;
  std::size_t sum = 0;
  for (ValuePair& pair : pairing.pairs) {
    const Channels* found = pair.same_as ? nullptr : channels.find(pair.reference);
    if (found == nullptr || sum + found->count > limits.channels) continue;
    sum += found->count;
    chosen.emplace_back(&pair, found);
  }
  for (ValuePair& pair : pairing.pairs) {  // whose codes tell channels where the graph does not
    const bool is_marked = pair.same_as || channels.find(pair.reference) != nullptr;
    if (is_marked || pair.channel_params.empty() || !pair.scheme) continue;
    sum += pair.channel_params.size();
    if (sum > limits.channels) break;
    pair.channel_axis = pair.scheme->axis;
  }
  if (chosen.empty()) return;
  const std::size_t each = limits.histograms / chosen.size() / 2 * 2;  // widest and narrowest
  const std::size_t most = std::clamp<std::size_t>(each, 2, limits.histograms_of_one);
  std::size_t left = limits.histograms;
  for (const auto& [pair, found] : chosen) {
    pair->channel_axis = static_cast<int>(found->axis);
    const std::size_t share = found->count / limits.channels_of_a_histogram / 2 * 2;
    const std::size_t count =
        std::min({most, std::max<std::size_t>(share, 2), found->order.size(), left});
    left -= count;
    pair->channel_histograms.assign(found->order.begin(),
                                    found->order.begin() + static_cast<std::ptrdiff_t>(count));
    std::ranges::sort(pair->channel_histograms);
  }
}

}  // namespace quantlens
