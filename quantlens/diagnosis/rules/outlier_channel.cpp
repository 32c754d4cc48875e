// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

namespace {

/// SmoothQuant moves the width of channels from such values into the weights behind them.
bool feeds_weights_alone(const Evidence& evidence, const ActivationRow& row) {
  const std::vector<Use> readers = evidence.readers(row.value);
  return !readers.empty() && std::ranges::all_of(readers, [&](const Use& use) {
    const Node& node = evidence.reference().graph().nodes[use.node];
    return (node.kind == Kind::matmul || node.kind == Kind::gemm) && use.input == 0 &&
           evidence.constant_weight(node) != nullptr;
  });
}

}  // namespace

/// A few channels decide the range of all: the others have few codes.
std::optional<Cause> outlier_channel(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kWide = 8;  // 3 bits
  if (part(row.rounding_mse, row) < 0.5 || row.channel_spread.value_or(1) < kWide) return {};
  const std::vector<OpRef> ops = evidence.ops_at(row);
  const std::int64_t codes = evidence.steps(row) + 1;
  return Cause{.reasons = {{"outlier_channel",
                            {{"spread", figure::number(*row.channel_spread)},
                             {"codes_left",
                              figure::number(static_cast<double>(codes) / *row.channel_spread)},
                             {"codes", figure::count(static_cast<std::uint64_t>(codes))}}}},
               .ops = ops,
               .remedy = feeds_weights_alone(evidence, row)
                             ? boost::json::object{{"recipes", {{"smooth_quant", true}}}}
                             : in_float(ops),
               .shared = {}};
}

}  // namespace quantlens
