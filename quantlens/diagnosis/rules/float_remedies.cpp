// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/float_remedies.h"

#include <algorithm>
#include <unordered_map>

#include "quantlens/diagnosis/verdict/same_remedy.h"
#include "quantlens/diagnosis/verdict/uncompared.h"
#include "quantlens/quantizer/plan/select.h"

namespace quantlens {
namespace {

bool share_an_op(const std::vector<OpRef>& a, const std::vector<OpRef>& b) {
  return std::ranges::find_first_of(a, b) != a.end();
}

}  // namespace

bool FloatRemedies::is_float(const Cause& cause) {
  return cause.measured.empty() && !cause.remedy.empty() && cause.remedy == in_float(cause.ops);
}

void FloatRemedies::join(std::vector<FoundCause>& found) {
  const auto expect = [this](const Cause& cause) {
    if (is_float(cause)) followers_.emplace(cause.ops, std::nullopt);
  };
  const auto made_float = [&](const FoundCause& one) {
    if (!is_float(one.cause)) return Ops();
    expect(one.cause);
    Ops ops = with_followers(one.cause.ops);
    std::sort(ops.begin(), ops.end());
    return ops;
  };
  join_same_trials(made_float, found);
  for (const FoundCause& one : found) expect(one.cause);
}

MeasureShare FloatRemedies::measuring(const MeasureShare& measure) {
  if (!measure) return {};
  return [this, &measure](const Ops& ops) { return measure(with_followers(ops)); };
}

ExpectShares FloatRemedies::expecting(const ExpectShares& expect) {
  if (!expect) return {};
  return [this, &expect](const std::vector<Ops>& all) {
    std::vector<Ops> wanted;
    wanted.reserve(all.size());
    for (const Ops& ops : all) wanted.push_back(with_followers(ops));
    expect(wanted);
  };
}

void FloatRemedies::tell(FoundCause& found) {
  const auto asked = followers_.find(found.cause.ops);
  if (!found.estimated || asked == followers_.end() || !asked->second) return;
  const Ops& behind = *asked->second;
  if (behind.empty()) return;
  Statements& reasons = found.cause.reasons;
  const Statement told = includes_op(behind.front());
  if (behind.size() == 1 && !reasons.empty() && reasons.back() == told) reasons.pop_back();
  reasons.push_back({.says = "share_includes.left_in_float",
                     .figures = {{"op", figure::op(behind.front())},
                                 {"other_ops", figure::count(behind.size() - 1)}}});
}

FloatRemedies::Ops FloatRemedies::with_followers(const Ops& ops) {
  const auto asked = followers_.find(ops);
  if (asked == followers_.end()) return ops;
  if (!asked->second) asked->second = find_followers(ops);
  Ops all = ops;
  all.insert(all.end(), asked->second->begin(), asked->second->end());
  return all;
}

FloatRemedies::Ops FloatRemedies::find_followers(const Ops& ops) {
  if (groups_.empty()) find_groups();
  const std::vector<bool> integer = integer_without(ops);
  Ops ops_behind;
  for (std::size_t p = 0; p < groups_.size(); ++p) {
    const Group& group = groups_[p];
    if (!integer_[p] || integer[p] || !group.told_as) continue;
    if (!share_an_op(group.ops, ops)) ops_behind.push_back(*group.told_as);
  }
  return ops_behind;
}

std::vector<bool> FloatRemedies::integer_without(const Ops& ops) const {
  const std::size_t count = groups_.size();
  Wishes wishes{.obstacles = {},
                .forced = std::vector<bool>(count),
                .float_results = std::vector<bool>(count),
                .wide = std::vector<bool>(count)};
  for (const Group& group : groups_) {
    const bool stays = !group.is_integer || share_an_op(group.ops, ops);
    wishes.obstacles.emplace_back(stays ? "float" : "");
  }
  return select(evidence_.reference(), evidence_.prepared(), wishes).quantized;
}

void FloatRemedies::find_groups() {
  std::unordered_map<std::string, const ValuePair*> pairs;  // by value of the reference
  for (const ValuePair& pair : evidence_.pairing().pairs) pairs.emplace(pair.reference, &pair);
  const std::unordered_set<std::string> unknown = uncompared_ops(evidence_.pairing());
  const Graph& graph = evidence_.reference().graph();
  for (const Pattern& pattern : evidence_.prepared().patterns) {
    Group group;
    for (const std::size_t member : pattern.members) {
      group.ops.push_back(ref_of(graph.nodes[member]));
    }
    const std::string& value = pattern_output(graph, pattern);
    const auto pair = pairs.find(value);
    const bool has_codes = pair != pairs.end() && pair->second->params.has_value();
    const bool has_weight = evidence_.weight_pair(value) != nullptr;
    group.is_integer =
        evidence_.able().has(graph.nodes[pattern.anchor].kind) && (has_codes || has_weight);
    if (pair != pairs.end() && !unknown.contains(pair->second->op.id))
      group.told_as = pair->second->op;
    groups_.push_back(std::move(group));
  }
  integer_ = integer_without({});
}

}  // namespace quantlens
