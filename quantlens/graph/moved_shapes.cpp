// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "quantlens/graph/known_shapes.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

namespace rules = shape_rules;

using Numbers = std::optional<std::vector<std::int64_t>>;

class Moved {
 public:
  explicit Moved(const KnownShapes& known) : known_(known) {}

  MaybeDims of(const Node& node) const {
    switch (node.kind) {
      case Kind::transpose:
        return of_transpose(node);
      case Kind::reshape:
        return of_reshape(node);
      case Kind::flatten:
        return of_flatten(node);
      case Kind::squeeze:
        return of_squeeze(node);
      case Kind::unsqueeze:
        return of_unsqueeze(node);
      case Kind::expand:
        return of_expand(node);
      case Kind::concat:
        return of_concat(node);
      case Kind::gather:
        return of_gather(node);
      case Kind::gather_elements:
        return known_.shape(indices_of(node));
      case Kind::slice:
        return of_slice(node);
      case Kind::pad:
        return of_pad(node);
      case Kind::tile:
        return of_tile(node);
      case Kind::reduce_mean:
      case Kind::reduce_sum:
      case Kind::reduce_max:
      case Kind::reduce_min:
        return of_reduction(node);
      default:
        return std::nullopt;
    }
  }

 private:
  MaybeDims of_transpose(const Node& node) const {
    const MaybeDims before = known_.input(node, 0);
    if (!before) return std::nullopt;
    const std::vector<std::int64_t>& order = permutation_of(node);
    Dims row(before->rbegin(), before->rend());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i >= row.size() || order[i] < 0 || order[i] >= std::ssize(*before)) return std::nullopt;
      row[i] = (*before)[static_cast<std::size_t>(order[i])];
    }
    return row;
  }

  MaybeDims of_reshape(const Node& node) const {
    const MaybeDims target = known_.list(new_shape_of(node));
    const auto* role = quantlens::role<roles::Reshaping>(node);
    if (!target || role == nullptr) return std::nullopt;
    return rules::reshaped(known_.input(node, 0), *target, role->copies_zeros);
  }

  MaybeDims of_flatten(const Node& node) const {
    const MaybeDims data = known_.input(node, 0);
    const auto rank = data ? std::ssize(*data) : 0;
    const std::int64_t axis = axis_of(node).value_or(rank + 1);
    if (!data || axis < -rank || axis > rank) return std::nullopt;
    return rules::flattened(*data, static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  }

  MaybeDims of_squeeze(const Node& node) const {
    const MaybeDims data = known_.input(node, 0);
    std::vector<std::int64_t> axes = axes_named(known_.index(), node);
    if (!data) return std::nullopt;
    if (axes.empty()) {  // all that are 1
      if (!axes_input_of(node).empty()) return std::nullopt;
      for (std::size_t i = 0; i < data->size(); ++i) {
        if (!(*data)[i].extent) return std::nullopt;
        if ((*data)[i].extent == 1) axes.push_back(static_cast<std::int64_t>(i));
      }
    }
    const auto gone = places(axes, data->size());
    return gone ? MaybeDims(rules::without(*data, *gone, false)) : std::nullopt;
  }

  MaybeDims of_unsqueeze(const Node& node) const {
    const MaybeDims data = known_.input(node, 0);
    const std::vector<std::int64_t> axes = axes_named(known_.index(), node);
    if (!data || axes.empty()) return std::nullopt;
    const auto added = places(axes, data->size() + axes.size());
    return added ? MaybeDims(rules::with(*data, *added)) : std::nullopt;
  }

  MaybeDims of_expand(const Node& node) const {
    const MaybeDims data = known_.input(node, 0), target = known_.list(repetition_of(node));
    if (!data || !target) return std::nullopt;
    return rules::broadcast(*data, *target);
  }

  MaybeDims of_concat(const Node& node) const {
    std::vector<Dims> parts;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      MaybeDims part = known_.input(node, i);
      if (!part || (i > 0 && part->size() != parts[0].size())) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    const auto named = axis_of(node);
    const auto axis = named ? rules::axis_number(*named, parts[0].size()) : std::nullopt;
    return axis ? MaybeDims(rules::joined(parts, *axis)) : std::nullopt;
  }

  /// The shape of the indices stands where the axis was.
  MaybeDims of_gather(const Node& node) const {
    const MaybeDims data = known_.input(node, 0), indices = known_.shape(indices_of(node));
    const auto axis =
        data ? rules::axis_number(axis_of(node).value_or(0), data->size()) : std::nullopt;
    if (!axis || !indices) return std::nullopt;
    const auto at = data->begin() + static_cast<std::ptrdiff_t>(*axis);
    Dims row(data->begin(), at);
    row.insert(row.end(), indices->begin(), indices->end());
    row.insert(row.end(), at + 1, data->end());
    return row;
  }

  MaybeDims of_slice(const Node& node) const {
    MaybeDims row = known_.input(node, 0);
    const MaybeDims begins = known_.list(begins_of(node)), ends = known_.list(ends_of(node));
    if (!row || !begins || !ends || begins->size() != ends->size()) return std::nullopt;
    std::vector<std::int64_t> axes(begins->size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    std::vector<std::int64_t> steps(axes.size(), 1);
    const auto read = [&](const std::string& from, std::vector<std::int64_t>& to) {
      if (from.empty()) return true;
      const Numbers given = known_.numbers(from);
      if (!given || given->size() != to.size()) return false;
      to = *given;
      return true;
    };
    if (!read(axes_input_of(node), axes) || !read(steps_of(node), steps)) return std::nullopt;
    const auto at = places(axes, row->size());
    if (!at) return std::nullopt;
    for (std::size_t i = 0; i < at->size(); ++i) {
      Dim& dim = (*row)[(*at)[i]];
      dim = rules::sliced(dim, {(*begins)[i].extent, (*ends)[i].extent, steps[i]});
    }
    return row;
  }

  MaybeDims of_pad(const Node& node) const {
    MaybeDims row = known_.input(node, 0);
    const auto* role = quantlens::role<roles::Padding>(node);
    const Numbers pads = role != nullptr && !role->pads.empty() ? Numbers(role->pads)
                                                                : known_.numbers(pads_of(node));
    if (!row || !pads || !axes_input_of(node).empty() || pads->size() != 2 * row->size())
      return std::nullopt;
    for (std::size_t i = 0; i < row->size(); ++i) {
      (*row)[i] = rules::widened((*row)[i], (*pads)[i], (*pads)[row->size() + i]);
    }
    return row;
  }

  MaybeDims of_tile(const Node& node) const {
    MaybeDims row = known_.input(node, 0);
    const Numbers times = known_.numbers(repetition_of(node));
    if (!row || !times || times->size() != row->size()) return std::nullopt;
    for (std::size_t i = 0; i < row->size(); ++i) {
      (*row)[i] = rules::times((*row)[i], (*times)[i]);
    }
    return row;
  }

  MaybeDims of_reduction(const Node& node) const {
    const auto* role = quantlens::role<roles::Reduction>(node);
    MaybeDims data = known_.input(node, 0);
    if (role == nullptr || !data) return std::nullopt;
    const std::string& given = axes_input_of(node);
    const Numbers axes = given.empty() ? Numbers(role->axes) : known_.numbers(given);
    if (!axes) return std::nullopt;
    if (axes->empty() && !role->takes_all) return data;
    std::vector<std::int64_t> reduced = *axes;
    if (reduced.empty()) {
      reduced.resize(data->size());
      std::iota(reduced.begin(), reduced.end(), std::int64_t{0});
    }
    const auto gone = places(reduced, data->size());
    return gone ? MaybeDims(rules::without(*data, *gone, role->keeps_axes)) : std::nullopt;
  }

  const KnownShapes& known_;
};

}  // namespace

MaybeDims moved_shape(const KnownShapes& known, const Node& node) {
  return Moved(known).of(node);
}

}  // namespace quantlens
