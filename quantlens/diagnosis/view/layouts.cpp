// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/layouts.h"

#include <algorithm>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

/// First one permutation, then the other; nothing where they do not fit.
std::vector<std::int64_t> composed(const std::vector<std::int64_t>& first,
                                   const std::vector<std::int64_t>& then) {
  std::vector<std::int64_t> order;
  for (const std::int64_t axis : then) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(first.size())) return {};
    order.push_back(first[static_cast<std::size_t>(axis)]);
  }
  return order.size() == first.size() ? order : std::vector<std::int64_t>();
}

bool changes_nothing(const std::vector<std::int64_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  }
  return !order.empty();
}

}  // namespace

std::size_t Layouts::number(const Step& step) {
  const auto [found, is_new] = numbers_.try_emplace(step, steps_.size());
  if (is_new) steps_.push_back(step);
  return found->second;
}

std::size_t Layouts::after(std::size_t before, const Node& node) {
  const Kind kind = family(node, node.kind);
  if (kind == Kind::identity) return before;
  if (kind != Kind::transpose) return number({.before = before, .kind = kind, .order = {}});
  std::vector<std::int64_t> order = permutation_of(node);
  if (before != 0 && steps_[before].kind == Kind::transpose) {
    std::vector<std::int64_t> both = composed(steps_[before].order, order);
    if (!both.empty()) {
      order = std::move(both);
      before = steps_[before].before;
    }
  }
  if (changes_nothing(order)) return before;
  return number({.before = before, .kind = kind, .order = std::move(order)});
}

std::vector<std::size_t> Layouts::of(const FloatView& view) {
  std::vector<std::size_t> layouts(view.values().size(), 0);
  for (const FloatView::Op& op : view.ops()) {
    if (op.outputs.empty() || !op.outputs[0] || !only_moves(view.node(op))) continue;
    const std::size_t value = *op.outputs[0];
    if (view.values()[value].root == value) continue;
    layouts[value] = after(layouts[*op.operands[0].value], view.node(op));
  }
  return layouts;
}

}  // namespace quantlens
