// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/moved_channels.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

/// For each axis of a result the axis of the input that it is; nothing where it is none alone.
struct AxisMap {
  std::size_t input_rank = 0;
  std::vector<std::optional<std::size_t>> origins;
};

/// What a Reshape or Flatten asks of each axis of its result.
struct Moved {
  std::vector<Extent> extents;  ///< of the result
  std::vector<bool> is_copied;  ///< it is the input's axis in this place, whatever its extent
};

std::optional<Moved> reshape_target(const GraphIndex& index, const Node& node) {
  const Tensor* shape = index.constant(new_shape_of(node));
  if (shape == nullptr || shape->dtype() != DType::int64 || shape->shape().size() != 1)
    return std::nullopt;
  const auto* reshaping = role<roles::Reshaping>(node);
  const bool copies_zeros = reshaping != nullptr && reshaping->copies_zeros;
  const Tensor values = aligned(*shape);
  Moved target;
  for (const std::int64_t one : values.data<std::int64_t>()) {
    target.extents.push_back(one > 0 ? Extent(one) : std::nullopt);
    target.is_copied.push_back(one == 0 && copies_zeros);
  }
  return target;
}

std::optional<Moved> flatten_target(const Node& node, const std::vector<Extent>& input) {
  const auto rank = std::ssize(input);
  const std::optional<std::int64_t> axis = axis_of(node);
  if (!axis) return std::nullopt;
  const std::int64_t split = *axis < 0 ? *axis + rank : *axis;
  if (split < 0 || split > rank) return std::nullopt;
  Moved target{.extents = {Extent(1), Extent(1)}, .is_copied = {split == 1, false}};
  for (std::int64_t i = 0; i < rank; ++i) {
    Extent& joined = target.extents[i < split ? 0 : 1];
    const Extent& one = input[static_cast<std::size_t>(i)];
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    const bool is_known = joined && one && *one > 0 && *one < kMost && *joined < kMost;
    joined = is_known ? Extent(*joined * *one) : std::nullopt;
  }
  return target;
}

/// Compares the axes of a value with those that a Reshape makes of it, from one end to the other.
///
/// Elements keep their order: from either end on, axes whose extents have equal products count the
/// same elements, whatever the extents at the other end are. Two axes between such places are one
/// and the same. A walk ends where it would need an extent that is not known.
class Match {
 public:
  Match(const std::vector<Extent>& input, Moved target)
      : input_(input), target_(std::move(target)), origins_(target_.extents.size()) {
    for (std::size_t i = 0; i < std::min(input_.size(), origins_.size()); ++i) {
      if (target_.is_copied[i]) target_.extents[i] = input_[i];
    }
  }

  AxisMap run() {
    walk(false);
    walk(true);
    return {.input_rank = input_.size(), .origins = std::move(origins_)};
  }

 private:
  /// How many axes of both are behind the walk.
  struct Place {
    std::size_t input = 0, output = 0;
  };

  std::size_t input_axis(std::size_t place) const {
    return from_back_ ? input_.size() - 1 - place : place;
  }
  std::size_t output_axis(std::size_t place) const {
    return from_back_ ? origins_.size() - 1 - place : place;
  }
  /// Positive, or nothing.
  Extent input_extent(std::size_t place) const {
    return place < input_.size() ? usable(input_[input_axis(place)]) : std::nullopt;
  }
  Extent output_extent(std::size_t place) const {
    return place < origins_.size() ? usable(target_.extents[output_axis(place)]) : std::nullopt;
  }
  static Extent usable(Extent extent) { return extent && *extent > 0 ? extent : std::nullopt; }

  bool is_copied(Place at) const {
    const std::size_t axis = output_axis(at.output);
    return target_.is_copied[axis] && axis == input_axis(at.input);
  }

  void walk(bool from_back) {
    from_back_ = from_back;
    Place at;
    while (at.input < input_.size() && at.output < origins_.size()) {
      const Extent before = input_extent(at.input), after = output_extent(at.output);
      if (is_copied(at) || (before && before == after)) {
        origins_[output_axis(at.output++)] = input_axis(at.input++);
      } else if (before == 1) {
        ++at.input;
      } else if (after == 1) {
        ++at.output;
      } else if (!join(at)) {
        return;
      }
    }
  }

  /// Goes to the next place up to which both count the same elements; false where none is certain.
  bool join(Place& at) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;  // elements, and of a single axis
    Extent before = input_extent(at.input++), after = output_extent(at.output++);
    while (before && after && *before != *after) {
      const bool needs_input = *before < *after;
      const Extent next = needs_input ? input_extent(at.input++) : output_extent(at.output++);
      Extent& product = needs_input ? before : after;
      const bool is_certain = next && *product < kMost && *next < kMost;
      product = is_certain ? Extent(*product * *next) : std::nullopt;
    }
    return before && after;
  }

  const std::vector<Extent>& input_;
  Moved target_;
  std::vector<std::optional<std::size_t>> origins_;
  bool from_back_ = false;
};

AxisMap matched(const std::vector<Extent>& input, Moved target) {
  return Match(input, std::move(target)).run();
}

/// Axes that a Squeeze or Unsqueeze names, as positions; nothing where they are not known.
std::optional<std::vector<bool>> named_axes(const GraphIndex& index, const Node& node,
                                            std::size_t rank) {
  const std::vector<std::int64_t> axes = axes_named(index, node);
  if (axes.empty()) return std::nullopt;
  std::vector<bool> is_named(rank);
  for (std::int64_t axis : axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    if (is_named[static_cast<std::size_t>(axis)]) return std::nullopt;
    is_named[static_cast<std::size_t>(axis)] = true;
  }
  return is_named;
}

std::optional<AxisMap> transposed(const Node& node, std::size_t rank) {
  AxisMap map{.input_rank = rank, .origins = {}};
  for (const std::int64_t axis : permutation_of(node)) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    map.origins.emplace_back(static_cast<std::size_t>(axis));
  }
  if (map.origins.empty()) {
    for (std::size_t axis = rank; axis > 0; --axis) map.origins.emplace_back(axis - 1);
  }
  if (map.origins.size() != rank) return std::nullopt;
  return map;
}

/// `rank` and `known` are those of the first input.
std::optional<AxisMap> axes_of(const GraphIndex& index, const Node& node, std::size_t rank,
                               const std::vector<Extent>& known) {
  switch (node.kind) {
    case Kind::transpose:
      return transposed(node, rank);
    case Kind::reshape: {
      auto target = reshape_target(index, node);
      return target ? std::optional(matched(known, *std::move(target))) : std::nullopt;
    }
    case Kind::flatten: {
      auto target = flatten_target(node, known);
      return target ? std::optional(matched(known, *std::move(target))) : std::nullopt;
    }
    case Kind::squeeze: {
      const auto goes = named_axes(index, node, rank);
      if (!goes) return std::nullopt;
      AxisMap map{.input_rank = rank, .origins = {}};
      for (std::size_t i = 0; i < rank; ++i) {
        if (!(*goes)[i]) map.origins.emplace_back(i);
      }
      return map;
    }
    case Kind::unsqueeze: {
      const auto is_new = named_axes(index, node, rank + axes_named(index, node).size());
      if (!is_new) return std::nullopt;
      AxisMap map{.input_rank = rank, .origins = {}};
      std::size_t next = 0;
      for (const bool added : *is_new) {
        map.origins.push_back(added ? std::nullopt : std::optional(next++));
      }
      return map;
    }
    case Kind::identity: {
      AxisMap map{.input_rank = rank, .origins = {}};
      for (std::size_t i = 0; i < rank; ++i) map.origins.emplace_back(i);
      return map;
    }
    default:
      return std::nullopt;
  }
}

const std::vector<Extent>* known_extents(const Extents& extents, const Node& node) {
  const auto found = node.inputs.empty() ? extents.end() : extents.find(node.inputs[0]);
  return found == extents.end() ? nullptr : &found->second;
}

ChannelAxis at(std::size_t count, std::size_t rank, std::optional<std::size_t> axis) {
  return {.count = count, .rank = rank, .from_end = axis ? rank - *axis : 0};
}

}  // namespace

bool only_moves(Kind kind) {
  switch (kind) {
    case Kind::reshape:
    case Kind::flatten:
    case Kind::transpose:
    case Kind::squeeze:
    case Kind::unsqueeze:
    case Kind::identity:
      return true;
    default:
      return false;
  }
}

std::optional<ChannelAxis> moved(const GraphIndex& index, const Extents& extents, const Node& node,
                                 const ChannelAxis& channels) {
  const std::vector<Extent>* before = known_extents(extents, node);
  if (before == nullptr || before->size() < channels.from_end) return std::nullopt;
  const std::size_t rank = before->size();
  std::vector<Extent> known = *before;
  if (channels.has_axis())
    known[rank - channels.from_end] = static_cast<std::int64_t>(channels.count);
  const auto map = axes_of(index, node, rank, known);
  if (!map) return std::nullopt;
  std::optional<std::size_t> axis;
  for (std::size_t o = 0; o < map->origins.size() && channels.has_axis(); ++o) {
    if (map->origins[o] == rank - channels.from_end) axis = o;
  }
  return at(channels.count, map->origins.size(), axis);
}

std::optional<ChannelAxis> moved_back(const GraphIndex& index, const Extents& extents,
                                      const Node& node, const ChannelAxis& channels) {
  const std::vector<Extent>* before = known_extents(extents, node);
  if (before == nullptr) return std::nullopt;
  const auto map = axes_of(index, node, before->size(), *before);
  if (!map || map->origins.size() < channels.from_end) return std::nullopt;
  if (!channels.has_axis()) return at(channels.count, before->size(), std::nullopt);
  return at(channels.count, before->size(), map->origins[map->origins.size() - channels.from_end]);
}

}  // namespace quantlens
