// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/comparison_gate.h"

#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// Why nothing can be told of B; empty: both ended well, and have a figure in common.
std::string unchecked_because(const Comparison& comparison) {
  for (const ComparedRun* run : {&comparison.b, &comparison.a}) {
    if (run->state != WorkloadState::success)
      return fmt::format("{} did not end well; see 'quantlens workloads show {}' for why", run->id,
                         run->id);
  }
  const ComparisonCounts& counts = comparison.counts;
  const bool has_ops = counts.better + counts.worse + counts.equal + counts.undecided > 0;
  if (has_ops || comparison.accuracy.verdict != ComparisonVerdict::unknown) return {};
  if (comparison.accuracy.difference)
    return fmt::format("the {} of neither is a number", printable(comparison.accuracy.a->metric));
  return "the two have no figure in common; run both with --diagnose or with the same --metric";
}

WorseVerdict missed_since(std::string because) {
  return {.reached = false, .because = std::move(because)};
}

}  // namespace

WorseVerdict worse_gate(const Comparison& comparison) {
  const std::string &a = comparison.a.id, &b = comparison.b.id;
  if (const std::string why = unchecked_because(comparison); !why.empty())
    return missed_since(fmt::format("whether {} is worse than {} cannot be told: {}", b, a, why));
  const bool is_accuracy = comparison.accuracy.verdict == ComparisonVerdict::worse;
  const std::uint64_t worse = comparison.counts.worse;
  if (comparison.same_models || (!is_accuracy && worse == 0)) return {};
  std::string what = is_accuracy ? "the accuracy" : "";
  if (worse > 0)
    what = fmt::format("{}{}{}", counted(worse, "activation"), is_accuracy ? " and " : "", what);
  return missed_since(fmt::format("{} is worse than {}: {}", b, a, what));
}

}  // namespace quantlens
