// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/speed_findings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/profiling/pair/costs.h"

namespace quantlens {
namespace {

constexpr double kLeastShare = 0.005;

/// Rows to which the same happens.
struct Alike {
  std::vector<const OpTime*> rows;
  Costs costs;

  void add(const OpTime& row) {
    rows.push_back(&row);
    costs.add(row);
  }
  double cost_us() const { return costs.quantized() - costs.reference; }
};

std::optional<SpeedRule> rule_of(const OpTime& row) {
  if (!row.quantized) {
    if (row.wrapped) return SpeedRule::lost_kernel;
    return row.conversion_us + row.layout_us > 0 ? std::optional(SpeedRule::float_island)
                                                 : std::nullopt;
  }
  if (row.quantized_nodes.size() > row.reference_nodes.size()) return SpeedRule::broken_fusion;
  return row.quantized_us > row.reference_us ? SpeedRule::slow_kernel : SpeedRule::conversions;
}

/// How many rows are computed by these types of nodes: {"QLinearConv", 3}, {"Conv + Relu", 1}.
Figure kernels(const Alike& alike, std::vector<std::string> OpTime::*nodes) {
  std::map<std::string, std::uint64_t> rows;
  for (const OpTime* row : alike.rows) ++rows[fmt::format("{}", fmt::join(row->*nodes, " + "))];
  return figure::counts({rows.begin(), rows.end()});
}

Statement times(const Costs& costs) {
  return {"speed.times",
          {{"reference", figure::microseconds(costs.reference)},
           {"kernels", figure::microseconds(costs.kernels)},
           {"conversions", figure::microseconds(costs.conversions)},
           {"layouts", figure::microseconds(costs.layouts)}}};
}

Statement reason(SpeedRule rule, const Alike& alike) {
  Statement reason{.says = fmt::format("speed.{}", word(rule)),
                   .figures = {{"kernels", kernels(alike, &OpTime::quantized_nodes)}}};
  const bool has_another_kernel =
      rule == SpeedRule::broken_fusion || rule == SpeedRule::slow_kernel;
  if (has_another_kernel) {
    reason.figures.emplace("reference_kernels", kernels(alike, &OpTime::reference_nodes));
  }
  return reason;
}

Statements reasons(SpeedRule rule, const Alike& alike) {
  Statements said{reason(rule, alike)};
  const bool needs_readers =
      std::ranges::any_of(alike.rows, [](const OpTime* row) { return !row->passed_to.empty(); });
  if (needs_readers && rule == SpeedRule::slow_kernel) {
    said.push_back({"speed.slow_kernel.with_readers", {}});
  }
  said.push_back(times(alike.costs));
  return said;
}

std::vector<OpRef> ops_of(const Alike& alike) {
  std::vector<OpRef> ops;
  for (const OpTime* row : alike.rows) ops.insert(ops.end(), row->ops.begin(), row->ops.end());
  return ops;
}

/// The medians over all runs. Between rounds a machine may change its speed, so their ratio may be
/// another one than that of runs in turn.
Statement medians(const ProfileRecord& pair) {
  const double quantized = pair.quantized->wall.median_us;
  const double reference = pair.reference.wall.median_us;
  Statement said{"speed.medians",
                 {{"quantized", figure::microseconds(quantized)},
                  {"reference", figure::microseconds(reference)}}};
  const double ratio = reference > 0 ? quantized / reference : *pair.ratio;
  const auto [low, high] = *pair.ratio_interval;
  const bool agrees = ratio >= low && ratio <= high;
  if (!agrees) said.figures.emplace("other_ratio", figure::number(ratio));
  return said;
}

}  // namespace

std::vector<SpeedFinding> speed_findings(const ProfileRecord& pair) {
  using Key = std::pair<SpeedRule, std::string>;
  std::map<Key, Alike> found;
  for (const OpTime& row : pair.ops) {
    if (row.ops.empty() || row.gain_us >= 0) continue;
    if (const auto rule = rule_of(row)) found[{*rule, row.type}].add(row);
  }
  std::vector<SpeedFinding> findings;
  for (const auto& [key, alike] : found) {
    if (alike.cost_us() < kLeastShare * pair.quantized->wall.median_us) continue;
    SpeedFinding finding{.rule = key.first, .ops = ops_of(alike)};
    finding.reasons = reasons(key.first, alike);
    finding.milliseconds = alike.cost_us() / 1e3;
    findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(findings, std::ranges::greater(), &SpeedFinding::milliseconds);
  return findings;
}

Statements speed_conclusions(const ProfileRecord& pair) {
  double saved = 0;
  double lost = 0;
  Costs costs;
  for (const OpTime& row : pair.ops) {
    const double kernel = row.reference_us - row.quantized_us;
    (kernel > 0 ? saved : lost) += std::abs(kernel);
    costs.add(row);
  }
  return {{"speed.compared",
           {{"ratio", figure::number(*pair.ratio)},
            {"interval", figure::numbers(*pair.ratio_interval)}}},
          medians(pair),
          {"speed.balance",
           {{"saved", figure::microseconds(saved)},
            {"lost", figure::microseconds(lost)},
            {"conversions", figure::microseconds(costs.conversions)},
            {"layouts", figure::microseconds(costs.layouts)}}}};
}

}  // namespace quantlens
