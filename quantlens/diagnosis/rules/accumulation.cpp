// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// Nothing stands out: the outputs' error is the sum of many small ones.
std::vector<Finding> accumulation(const Evidence& evidence) {
  constexpr double kStandsOut = 0.1;
  std::vector<double> shares;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.output_share.value_or(0) > 0) shares.push_back(*row.output_share);
  }
  std::ranges::sort(shares, std::greater());
  if (shares.empty() || shares.front() >= kStandsOut) return {};
  double sum = 0;
  std::size_t half = 0;
  while (half < shares.size() && sum < 0.5) sum += shares[half++];
  const auto greatest = std::ranges::max_element(
      evidence.diagnosis().activations, {},
      [](const ActivationRow& row) { return row.output_share.value_or(0); });
  return {
      {.rule = "accumulation",
       .op = greatest->name,
       .ops = {},
       .because = fmt::format("no op stands out: {} of {} together begin {:.0f} % of the error, "
                              "this one most with {:.1f} %",
                              half, shares.size(), 100 * sum, 100 * shares.front()),
       .remedy = R"({"accuracy_level": "best"})",
       .severity = {}}};
}

}  // namespace quantlens
