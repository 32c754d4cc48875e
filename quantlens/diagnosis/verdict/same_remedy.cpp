// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/same_remedy.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace quantlens {
namespace {

/// "and at mm2: rounding its weight ..". Causes of one op begin with their value.
void tell_after(FoundCause& lead, const FoundCause& other) {
  Statement link{.says = "and_also", .figures = {}};
  if (other.op != lead.op) link.figures["op"] = figure::op(other.op);
  lead.cause.reasons.push_back(std::move(link));
  std::ranges::copy(other.cause.reasons, std::back_inserter(lead.cause.reasons));
}

void add_estimate(const FoundCause& other, FoundCause& lead) {
  lead.share += other.share;
  for (std::size_t i = 0; i < 2; ++i) lead.interval[i] += other.interval[i];
  if (other.without.empty()) return;
  lead.without.resize(other.without.size());
  std::ranges::transform(lead.without, other.without, lead.without.begin(), std::plus());
}

void join_under(FoundCause&& other, FoundCause& lead) {
  tell_after(lead, other);
  lead.is_loud = lead.is_loud && other.is_loud;
  lead.own_error = std::max(lead.own_error, other.own_error);
  add_estimate(other, lead);
}

bool leads(const FoundCause& a, const FoundCause& b) {
  return a.is_mistake == b.is_mistake ? a.share > b.share : a.is_mistake;
}

bool are_one(const FoundCause& a, const FoundCause& b) {
  return !a.cause.remedy.empty() && a.cause.remedy == b.cause.remedy &&
         are_measured_by_the_same(a, b);
}

/// Joins each to the first that leads it, in their order. `join_one` makes of one and its lead one.
template <class AreOne, class JoinOne>
void join_all(std::vector<FoundCause>& found, const AreOne& same_as, const JoinOne& join_one) {
  std::vector<FoundCause> joined;
  for (FoundCause& one : found) {
    const auto same =
        std::ranges::find_if(joined, [&](const FoundCause& other) { return same_as(one, other); });
    if (same == joined.end()) {
      joined.push_back(std::move(one));
      continue;
    }
    if (leads(one, *same)) std::swap(one, *same);
    join_one(std::move(one), *same);
  }
  found = std::move(joined);
}

}  // namespace

void join_same_remedies(std::vector<FoundCause>& found) {
  join_all(found, are_one, join_under);
}

void join_same_trials(const MadeFloat& made_float, std::vector<FoundCause>& found) {
  const auto are_one_trial = [&](const FoundCause& a, const FoundCause& b) {
    const std::vector<OpRef> of_a = made_float(a);
    return !of_a.empty() && of_a == made_float(b);
  };
  join_all(found, are_one_trial, [](FoundCause&& other, FoundCause& lead) {
    std::vector<OpRef>& ops = lead.cause.ops;
    for (const OpRef& op : other.cause.ops) {
      if (std::ranges::find(ops, op) == ops.end()) ops.push_back(op);
    }
    lead.cause.remedy = in_float(ops);
    join_under(std::move(other), lead);
  });
}

}  // namespace quantlens
