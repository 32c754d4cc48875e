// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/nonfinite_elements.h"
#include "quantlens/quant/params.h"

namespace quantlens {

/// Channels whose weights are all zero: they compute nothing but a bias.
std::vector<Finding> dead_channels(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const WeightRow& row : evidence.diagnosis().weights) {
    const WeightPair* pair = evidence.weight_pair(row.op.id);
    const Node* node = evidence.node(row.op.id);
    if (!pair || !node || !pair->scheme.axis || pair->transposed) continue;
    const auto input = std::ranges::find(node->inputs, pair->reference) - node->inputs.begin();
    const Tensor* stored = evidence.constant_input(*node, static_cast<std::size_t>(input));
    if (stored == nullptr || !is_float(stored->dtype())) continue;
    const Tensor floats = with_nonfinite_as(1, to_float32(*stored));  // no zeros
    const std::vector<Range> reaches = extremes(floats, pair->scheme.axis);
    const auto dead = std::ranges::count(reaches, Range{0, 0});
    if (dead == 0) continue;
    findings.push_back({.rule = "dead_channels",
                        .op = row.op,
                        .ops = {row.op},
                        .reasons = {{"dead_channels",
                                     {{"dead", figure::count(static_cast<std::uint64_t>(dead))},
                                      {"channels", figure::count(reaches.size())}}}},
                        .remedy = {},
                        .severity = Severity::note});
  }
  return findings;
}

}  // namespace quantlens
