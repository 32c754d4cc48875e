// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/code_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {
namespace {

Range united(const std::optional<Range>& one, const Range& other) {
  if (!one) return other;
  return {std::min(one->min, other.min), std::max(one->max, other.max)};
}

/// What the greatest code of a range stands for: codes lie around zero, or begin there.
float greatest_of(const Range& range) {
  return range.min < 0 ? std::max(std::abs(range.min), std::abs(range.max)) : range.max;
}

}  // namespace

std::optional<ClipBounds> bounds_of_maker(const GraphIndex& index, const std::string& value) {
  const std::optional<std::size_t> maker = index.producer(value);
  if (!maker) return std::nullopt;
  const Node& node = index.graph().nodes[*maker];
  return node.kind == Kind::relu ? ClipBounds{.low = 0} : clip_bounds(index, node);
}

CodeGroups::CodeGroups(const GraphIndex& index, const Prepared& prepared,
                       const Selection& selection, FindRange range_of)
    : index_(index), prepared_(prepared), range_of_(std::move(range_of)) {
  const std::vector<Node>& nodes = index.graph().nodes;
  for (const std::string& value : selection.made) {
    const auto bounds = bounds_of_maker(index, value);
    if (bounds && std::isfinite(bounds->high)) groups_[value].end = bounds->high;
  }
  for (std::size_t p = 0; p < prepared.patterns.size(); ++p) {  // in order of flow
    const Kind kind = nodes[prepared.patterns[p].anchor].kind;
    if (!selection.quantized[p]) continue;
    if (prepared.able->has(kind, Role::pass_through)) move(prepared.patterns[p]);
    if (prepared.able->has(kind, Role::join)) join(p);
  }
}

const std::string& CodeGroups::leader(const std::string& value) const {
  const std::string* leader = &value;
  for (auto found = leaders_.find(*leader); found != leaders_.end(); found = leaders_.find(*leader))
    leader = &found->second;
  return *leader;
}

std::optional<Range> CodeGroups::joined_range(const std::string& leader) const {
  return group_of(leader).range;
}

CodeGroups::Group CodeGroups::group_of(const std::string& value) const {
  const auto found = groups_.find(leader(value));
  return found == groups_.end() ? Group() : found->second;
}

void CodeGroups::move(const Pattern& pattern) {
  const Graph& graph = index_.graph();
  const std::string first = leader(graph.nodes[pattern.anchor].inputs[0]);
  for (const std::string& output : pattern_outputs(graph, pattern)) leaders_[output] = first;
}

void CodeGroups::join(std::size_t pattern) {
  const std::optional<Group> group = joined(pattern);
  if (!group) return;
  const Node& node = index_.graph().nodes[prepared_.patterns[pattern].anchor];
  const std::string& whole = op_id(node);
  for (const std::size_t input : data_inputs(*prepared_.able, node)) {
    const std::string part = leader(node.inputs[input]);
    if (part != whole) leaders_[part] = whole;
  }
  groups_[whole] = *group;
}

std::optional<CodeGroups::Group> CodeGroups::joined(std::size_t pattern) {
  constexpr float kSlack = 1e-5F;  // of float arithmetic
  const Node& node = index_.graph().nodes[prepared_.patterns[pattern].anchor];
  const Range* own = range_of_(op_id(node));
  if (own == nullptr) return std::nullopt;  // which has a reason of its own
  Group whole{.range = *own};
  for (const std::size_t input : data_inputs(*prepared_.able, node)) {
    if (index_.constant(node.inputs[input]) != nullptr) {
      obstacles_[pattern] = "one of its parts is a constant";
      return std::nullopt;
    }
    const Group part = group_of(node.inputs[input]);
    if (part.range) whole.range = united(whole.range, *part.range);
    whole.end = std::min(whole.end, part.end);
  }
  if (greatest_of(*whole.range) <= whole.end * (1 + kSlack)) return whole;
  obstacles_[pattern] =
      fmt::format("codes of one of its parts end at {}, and those of all its parts at {}",
                  whole.end, greatest_of(*whole.range));
  return std::nullopt;
}

}  // namespace quantlens
