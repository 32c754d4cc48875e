// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/share_words.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr double kNothing = 0.005;  // what is told as 0 %

std::array<double, 2> interval_of(const Finding& finding) {
  return finding.output_share_interval.value_or(std::array{0.0, 1.0});
}

/// "3 MatMul, 2 Mul, 1 Add", most first; empty where they are not nodes of the reference.
std::string types_of(const Evidence& evidence, const std::vector<std::string>& ops) {
  const std::unordered_set<std::string> names(ops.begin(), ops.end());
  std::map<std::string, std::size_t> counts;
  for (const Node& node : evidence.reference().graph().nodes) {
    if (names.contains(op_name(node))) ++counts[printable(node.type)];
  }
  std::vector<std::pair<std::string, std::size_t>> types(counts.begin(), counts.end());
  std::ranges::stable_sort(types, std::ranges::greater(), &decltype(types)::value_type::second);
  std::vector<std::string> parts;
  parts.reserve(types.size());
  for (const auto& [type, count] : types) parts.push_back(fmt::format("{} {}", count, type));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Whether the ops are the finding's own and those that read its result: the error begins at one
/// value, and goes where nobody reads its codes.
bool is_of_one_value(const Evidence& evidence, const Finding& finding) {
  return std::ranges::any_of(evidence.diagnosis().activations, [&](const ActivationRow& row) {
    return row.name == finding.op && evidence.ops_at(row) == finding.ops;
  });
}

double estimate_at(const Evidence& evidence, const std::string& op) {
  double greatest = 0;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.name == op) greatest = std::max(greatest, row.output_share.value_or(0));
  }
  return greatest;
}

/// What is known of the finding's first op among its others, as the begin of a sentence of it.
std::string lead_words(const Evidence& evidence, const Finding& finding) {
  const double own = estimate_at(evidence, finding.op);
  const bool is_greatest = own > 0 && std::ranges::all_of(finding.ops, [&](const auto& op) {
                             return estimate_at(evidence, op) <= own;
                           });
  return fmt::format("{} {}", is_greatest ? ". Most of it, by estimate, at" : ", among them",
                     printable(finding.op));
}

std::string interval_words(const Finding& finding) {
  const auto [low, high] = interval_of(finding);
  return fmt::format("{} to {}", whole_percent(low), whole_percent(high));
}

const char* how(const Finding& finding) {
  return finding.share_is_measured ? "measured" : "estimated";
}

std::string in_float_words(const Evidence& evidence, const Finding& finding) {
  const std::string place = place_words(evidence, finding);
  if (!takes_nothing(finding)) {
    return fmt::format("{:.0f} % ({}, {}) of the error would be gone with {} in float",
                       100 * *finding.output_share, interval_words(finding), how(finding), place);
  }
  if (interval_of(finding)[1] <= 0) {
    return fmt::format("None of the error is gone with {} in float ({} %, {})", place,
                       interval_words(finding), how(finding));
  }
  return fmt::format("With {} in float no gain can be told ({} % of the error gone, {})", place,
                     interval_words(finding), how(finding));
}

}  // namespace

bool takes_nothing(const Finding& finding) {
  return finding.output_share && *finding.output_share < kNothing;
}

std::string place_words(const Evidence& evidence, const Finding& finding) {
  if (finding.ops.size() < 2) return printable(finding.op);
  if (is_of_one_value(evidence, finding)) {
    if (finding.ops.size() == 2) {
      return fmt::format("{} and the op that reads it", printable(finding.op));
    }
    return fmt::format("{} and the {} ops that read it", printable(finding.op),
                       finding.ops.size() - 1);
  }
  const std::string types = types_of(evidence, finding.ops);
  return fmt::format("{} together{}", counted(finding.ops.size(), "op"),
                     types.empty() ? "" : fmt::format(" ({})", types));
}

std::string share_words(const Evidence& evidence, const Finding& finding, bool may_be_none) {
  const bool is_joint = finding.ops.size() > 1 && !is_of_one_value(evidence, finding);
  const std::string lead = is_joint ? lead_words(evidence, finding) : "";
  if (may_be_none || takes_nothing(finding)) {
    return fmt::format("{}{}: {}", in_float_words(evidence, finding), lead, finding.because);
  }
  // of a single value that was measured its readers were in float, too
  const bool with_readers = finding.ops.size() > 1 && !is_joint && finding.share_is_measured;
  const std::string place =
      is_joint || with_readers ? place_words(evidence, finding) : printable(finding.op);
  return fmt::format("{:.0f} % ({}, {}) of the error begins at {}{}: {}",
                     100 * *finding.output_share, interval_words(finding), how(finding), place,
                     lead, finding.because);
}

}  // namespace quantlens
