// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/speed_findings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/profiling/pair/costs.h"

namespace quantlens {
namespace {

constexpr double kLeastShare = 0.005;

std::string joined(const std::vector<std::string>& types) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& type : types) {
    const std::size_t dot = type.rfind('.');
    if (++shown > 4) return text + fmt::format(" and {} more", types.size() - 4);
    if (!text.empty()) text += " + ";
    text += dot == std::string::npos ? type : type.substr(dot + 1);
  }
  return text.empty() ? "nothing" : text;
}

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

std::string_view rule_of(const OpTime& row) {
  if (!row.quantized) {
    if (row.wrapped) return "lost_kernel";
    return row.conversion_us + row.layout_us > 0 ? "float_island" : "";
  }
  if (row.quantized_nodes.size() > row.reference_nodes.size()) return "broken_fusion";
  return row.quantized_us > row.reference_us ? "slow_kernel" : "conversions";
}

/// "QLinearConv", or of rows that differ "QLinearConv (3 ops), Conv + Relu (1)", the most first.
std::string kernels(const Alike& alike, std::vector<std::string> OpTime::*nodes) {
  std::map<std::string, std::size_t> ops;
  for (const OpTime* row : alike.rows) ++ops[joined(row->*nodes)];
  if (ops.size() == 1) return ops.begin()->first;
  std::vector<std::pair<std::string, std::size_t>> most(ops.begin(), ops.end());
  std::ranges::stable_sort(most, std::ranges::greater(), &decltype(most)::value_type::second);
  std::string text;
  for (const auto& [types, count] : most) {
    text += text.empty() ? fmt::format("{} ({})", types, counted(count, "op"))
                         : fmt::format(", {} ({})", types, count);
  }
  return text;
}

std::string because(std::string_view rule, const Alike& alike) {
  const std::string of_float = kernels(alike, &OpTime::reference_nodes);
  const std::string of_codes = kernels(alike, &OpTime::quantized_nodes);
  const bool needs_readers =
      std::ranges::any_of(alike.rows, [](const OpTime* row) { return !row->passed_to.empty(); });
  const std::string times =
      fmt::format("{:.1f} us in the float model, {:.1f} in the quantized one, and there {}",
                  alike.costs.reference, alike.costs.kernels, around_text(alike.costs));
  if (rule == "lost_kernel") {
    return fmt::format(
        "{} stands between quantizers, but the runtime has no integer kernel for it "
        "there and computes it in float: {}",
        of_codes, times);
  }
  if (rule == "float_island") {
    return fmt::format("{} is computed in float and pays for what is around it: {}", of_codes,
                       times);
  }
  if (rule == "broken_fusion") {
    return fmt::format("what float computes as {} takes {} in int8: {}", of_float, of_codes, times);
  }
  if (rule == "slow_kernel") {
    return fmt::format(
        "{}, which the quantized model runs, is slower than {} of the float model{}: {}", of_codes,
        of_float, needs_readers ? ", and needs what reads it in float, too" : "", times);
  }
  return fmt::format("{} saves less than conversions and layouts cost: {}", of_codes, times);
}

std::vector<std::string> names_of(const Alike& alike) {
  std::vector<std::string> names;
  for (const OpTime* row : alike.rows) {
    names.insert(names.end(), row->names.begin(), row->names.end());
  }
  return names;
}

/// The medians over all runs. Between rounds a machine may change its speed, so their ratio may be
/// another one than that of runs in turn.
std::string medians_text(const ProfileRecord& pair) {
  const double quantized = pair.quantized->wall.median_us;
  const double reference = pair.reference.wall.median_us;
  const double ratio = reference > 0 ? quantized / reference : *pair.ratio;
  std::string text =
      fmt::format("medians {:.3f} ms against {:.3f}", quantized / 1e3, reference / 1e3);
  const auto [low, high] = *pair.ratio_interval;
  if (ratio >= low && ratio <= high) return text + ".";
  return text + fmt::format(
                    ", {:.3f} of each other, since the machine's speed changed between rounds: the "
                    "runs in turn are what compares.",
                    ratio);
}

}  // namespace

std::vector<SpeedFinding> speed_findings(const ProfileRecord& pair) {
  using Key = std::pair<std::string_view, std::string>;
  std::map<Key, Alike> found;
  for (const OpTime& row : pair.ops) {
    if (row.ops.empty() || row.gain_us >= 0) continue;
    const std::string_view rule = rule_of(row);
    if (!rule.empty()) found[{rule, row.type}].add(row);
  }
  std::vector<SpeedFinding> findings;
  for (const auto& [key, alike] : found) {
    if (alike.cost_us() < kLeastShare * pair.quantized->wall.median_us) continue;
    SpeedFinding finding{.rule = std::string(key.first), .ops = names_of(alike)};
    finding.because = because(key.first, alike);
    finding.milliseconds = alike.cost_us() / 1e3;
    findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(findings, std::ranges::greater(), &SpeedFinding::milliseconds);
  return findings;
}

std::string speed_verdict(const ProfileRecord& pair) {
  double saved = 0;
  double lost = 0;
  Costs costs;
  for (const OpTime& row : pair.ops) {
    const double kernel = row.reference_us - row.quantized_us;
    (kernel > 0 ? saved : lost) += std::abs(kernel);
    costs.add(row);
  }
  const double ratio = *pair.ratio;
  const auto [low, high] = *pair.ratio_interval;
  const std::string compared =
      low <= 1 && high >= 1
          ? "is neither faster nor slower than float, as far as these runs can tell"
          : fmt::format("is {:.2f} times as {} as float", ratio < 1 ? 1 / ratio : ratio,
                        ratio < 1 ? "fast" : "slow");
  return fmt::format(
      "The quantized model {}: run in turn with float, it takes {:.3f} of its time (95 % {:.3f} to "
      "{:.3f}); {} "
      "Faster kernels save {:.3f} ms, slower ones cost {:.3f}, conversions {:.3f} and other "
      "layouts {:.3f}.",
      compared, ratio, low, high, medians_text(pair), saved / 1e3, lost / 1e3,
      costs.conversions / 1e3, costs.layouts / 1e3);
}

}  // namespace quantlens
