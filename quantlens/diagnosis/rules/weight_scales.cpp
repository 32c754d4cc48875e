// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

/// How many channels have a scale that is far from what their weights need.
std::size_t count_misfits(const std::vector<Range>& reaches, const WeightPair& pair) {
  constexpr double kTooWide = 3;      // times the reach of the weights
  constexpr double kTooNarrow = 0.6;  // least error clips less
  const auto limits = code_limits(pair.scheme.dtype);
  return static_cast<std::size_t>(std::ranges::count_if(reaches, [&](const Range& range) {
    const auto i = static_cast<std::size_t>(&range - reaches.data());
    const QParams& params = pair.params[pair.params.size() == 1 ? 0 : i];
    const double wanted = std::max(std::abs(range.min), std::abs(range.max));
    const double had = params.scale * static_cast<double>(limits.max - params.zero_point);
    return wanted > 0 && (had > kTooWide * wanted || had < kTooNarrow * wanted);
  }));
}

}  // namespace

/// The weight's scales are not those of its channels: swapped, of another axis, or scaled.
std::optional<Cause> weight_scales(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kMany = 0.25;
  constexpr double kGoodDb = 30;
  const WeightRow* weight = evidence.weight(row.op);
  const WeightPair* pair = evidence.weight_pair(row.op);
  const Node* node = evidence.node(row.op);
  if (!weight || !pair || !node || weight->sqnr_db >= kGoodDb || pair->params.empty()) return {};
  const auto input = std::ranges::find(node->inputs, pair->reference);
  const Tensor* stored =
      evidence.constant_input(*node, static_cast<std::size_t>(input - node->inputs.begin()));
  if (stored == nullptr || !is_float(stored->dtype())) return {};
  std::optional<int> axis = pair->scheme.axis;
  if (axis && pair->transposed) axis = 1 - *axis;
  const std::vector<Range> reaches = extremes(to_float32(*stored), axis);
  if (reaches.size() != pair->params.size()) return {};
  const std::size_t misfits = count_misfits(reaches, *pair);
  if (static_cast<double>(misfits) < kMany * static_cast<double>(reaches.size())) return {};
  return Cause{.because = fmt::format("{} of {} scales of its weight do not fit the weights that "
                                      "they are for, which keeps {:.1f} dB",
                                      misfits, reaches.size(), weight->sqnr_db),
               .ops = {row.name},
               .remedy = for_ops({row.name}, {{"weight", {{"granularity", "per_channel"}}}}),
               .shared = {}};
}

}  // namespace quantlens
