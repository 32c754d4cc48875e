// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/same_remedy.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace quantlens {
namespace {

/// "at mm2: rounding its weight ..". Causes of one op begin with their value.
std::string told_after(const FoundCause& one, const FoundCause& lead) {
  if (one.op == lead.op) return one.cause.because;
  return fmt::format("at {}: {}", one.op, one.cause.because);
}

void add_estimate(const FoundCause& other, FoundCause& lead) {
  lead.share += other.share;
  for (std::size_t i = 0; i < 2; ++i) lead.interval[i] += other.interval[i];
  if (other.without.empty()) return;
  lead.without.resize(other.without.size());
  std::ranges::transform(lead.without, other.without, lead.without.begin(), std::plus());
}

void join(FoundCause&& other, FoundCause& lead) {
  lead.cause.because += "; and " + told_after(other, lead);
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

}  // namespace

void join_same_remedies(std::vector<FoundCause>& found) {
  std::vector<FoundCause> joined;
  for (FoundCause& one : found) {
    const auto same =
        std::ranges::find_if(joined, [&](const FoundCause& other) { return are_one(one, other); });
    if (same == joined.end()) {
      joined.push_back(std::move(one));
      continue;
    }
    if (leads(one, *same)) std::swap(one, *same);
    join(std::move(one), *same);
  }
  found = std::move(joined);
}

}  // namespace quantlens
