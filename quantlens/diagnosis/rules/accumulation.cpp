// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

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
  return {{.rule = "accumulation",
           .op = greatest->op,
           .ops = {},
           .reasons = {{"accumulation",
                        {{"ops", figure::count(half)},
                         {"of", figure::count(shares.size())},
                         {"together", figure::share(sum)},
                         {"greatest", figure::share(shares.front())}}}},
           .remedy = boost::json::object{{"accuracy_level", "best"}},
           .severity = usual_severity(evidence)}};
}

}  // namespace quantlens
