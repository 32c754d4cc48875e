// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "quantlens/compare/compare_parts.h"

namespace quantlens {
namespace {

/// What a finding is known by in both runs: its rule, and the id of its op in B.
using FindingKey = std::pair<std::string, std::string>;

bool are_apart(const std::optional<std::array<double, 2>>& a,
               const std::optional<std::array<double, 2>>& b) {
  return a && b && ((*a)[1] < (*b)[0] || (*b)[1] < (*a)[0]);
}

bool is_changed(const Finding& a, const Finding& b) {
  return a.severity != b.severity || are_apart(a.output_share_interval, b.output_share_interval);
}

/// The op's id in B; of one that B has not a text that is no id there.
std::string id_in_b(const OpRef& op, const OpsTogether& ops) {
  if (const auto found = ops.by_a.find(op.id); found != ops.by_a.end())
    return ops.ops[found->second].b.id;
  for (const SameOp& input : ops.inputs)
    if (input.a.id == op.id) return input.b.id;
  return "\n" + op.id;
}

ComparedFinding in_both(const Finding& a, const Finding& b) {
  return {.change = is_changed(a, b) ? FindingChange::changed : FindingChange::same,
          .rule = b.rule,
          .a = a.op,
          .b = b.op,
          .reasons = b.reasons};
}

void take_a(const Finding& from, std::size_t index, ComparedFinding& to) {
  to.index_a = index;
  to.severity_a = from.severity;
  to.output_share_a = from.output_share;
  to.output_share_interval_a = from.output_share_interval;
  to.share_is_measured_a = from.share_is_measured;
}

void take_b(const Finding& from, std::size_t index, ComparedFinding& to) {
  to.index_b = index;
  to.severity_b = from.severity;
  to.output_share_b = from.output_share;
  to.output_share_interval_b = from.output_share_interval;
  to.share_is_measured_b = from.share_is_measured;
}

}  // namespace

std::vector<ComparedFinding> compared_findings(const RunToCompare& a, const RunToCompare& b,
                                               const OpsTogether& ops) {
  if (!a.records.diagnosis || !b.records.diagnosis) return {};
  const std::vector<Finding>& in_a = a.records.diagnosis->findings;
  const std::vector<Finding>& in_b = b.records.diagnosis->findings;
  std::multimap<FindingKey, std::size_t> left;
  for (std::size_t i = 0; i < in_a.size(); ++i)
    left.emplace(FindingKey(in_a[i].rule, id_in_b(in_a[i].op, ops)), i);
  std::vector<ComparedFinding> all;
  for (std::size_t j = 0; j < in_b.size(); ++j) {
    const auto found = left.find(FindingKey(in_b[j].rule, in_b[j].op.id));
    ComparedFinding one{.change = FindingChange::new_,
                        .rule = in_b[j].rule,
                        .b = in_b[j].op,
                        .reasons = in_b[j].reasons};
    if (found != left.end()) {
      one = in_both(in_a[found->second], in_b[j]);
      take_a(in_a[found->second], found->second, one);
      left.erase(found);
    }
    take_b(in_b[j], j, one);
    all.push_back(std::move(one));
  }
  std::vector<std::size_t> gone;
  for (const auto& [key, i] : left) gone.push_back(i);
  std::ranges::sort(gone);
  for (const std::size_t i : gone) {
    all.push_back({.change = FindingChange::gone,
                   .rule = in_a[i].rule,
                   .a = in_a[i].op,
                   .reasons = in_a[i].reasons});
    take_a(in_a[i], i, all.back());
  }
  const auto order = [](const ComparedFinding& one) {
    constexpr FindingChange kOrder[] = {FindingChange::new_, FindingChange::changed,
                                        FindingChange::gone, FindingChange::same};
    return std::ranges::find(kOrder, one.change) - std::begin(kOrder);
  };
  std::ranges::stable_sort(all, {}, order);
  return all;
}

}  // namespace quantlens
