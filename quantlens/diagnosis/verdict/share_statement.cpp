// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/share_statement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace quantlens {
namespace {

constexpr double kNothing = 0.005;  // what is told as 0 %

std::array<double, 2> interval_of(const Finding& finding) {
  return finding.output_share_interval.value_or(std::array{0.0, 1.0});
}

/// How many ops of each type, most first; empty where they are not nodes of the reference.
std::vector<std::pair<std::string, std::uint64_t>> types_of(const Evidence& evidence,
                                                            const std::vector<OpRef>& ops) {
  std::unordered_set<std::string> ids;
  for (const OpRef& op : ops) ids.insert(op.id);
  std::map<std::string, std::uint64_t> counts;
  for (const Node& node : evidence.reference().graph().nodes) {
    if (ids.contains(op_id(node))) ++counts[node.type];
  }
  std::vector<std::pair<std::string, std::uint64_t>> types(counts.begin(), counts.end());
  std::ranges::stable_sort(types, std::ranges::greater(), &decltype(types)::value_type::second);
  return types;
}

/// Whether the ops are the finding's own and those that read its result: the error begins at one
/// value, and goes where nobody reads its codes.
bool is_of_one_value(const Evidence& evidence, const Finding& finding) {
  return std::ranges::any_of(evidence.diagnosis().activations, [&](const ActivationRow& row) {
    return row.op == finding.op && evidence.ops_at(row) == finding.ops;
  });
}

double estimate_at(const Evidence& evidence, const OpRef& op) {
  double greatest = 0;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.op == op) greatest = std::max(greatest, row.output_share.value_or(0));
  }
  return greatest;
}

/// Whether no other of the finding's ops begins as much by estimate as its first.
bool leads_others(const Evidence& evidence, const Finding& finding) {
  const double own = estimate_at(evidence, finding.op);
  return own > 0 && std::ranges::all_of(finding.ops, [&](const auto& op) {
           return estimate_at(evidence, op) <= own;
         });
}

bool is_joint(const Evidence& evidence, const Finding& finding) {
  return finding.ops.size() > 1 && !is_of_one_value(evidence, finding);
}

}  // namespace

bool takes_nothing(const Finding& finding) {
  return finding.output_share && *finding.output_share < kNothing;
}

void add_place(const Evidence& evidence, const Finding& finding, Statement& statement) {
  statement.figures["op"] = figure::op(finding.op);
  if (finding.ops.size() < 2) return;
  if (is_of_one_value(evidence, finding)) {
    statement.figures["readers"] = figure::count(finding.ops.size() - 1);
    return;
  }
  statement.figures["ops"] = figure::count(finding.ops.size());
  statement.figures["types"] = figure::counts(types_of(evidence, finding.ops));
}

void add_share(const Finding& finding, Statement& statement) {
  statement.figures[finding.share_is_measured ? "measured" : "estimated"] =
      figure::share(*finding.output_share);
  if (finding.share_samples > 0)
    statement.figures["samples"] = figure::count(finding.share_samples);
}

Statement share_statement(const Evidence& evidence, const Finding& finding, bool may_be_none) {
  const bool joint = is_joint(evidence, finding);
  Statement statement{.says = "share.begins", .figures = {}};
  add_share(finding, statement);
  statement.figures["interval"] = figure::shares(interval_of(finding));
  if (joint) {
    statement.figures["first_is"] =
        figure::text(leads_others(evidence, finding) ? "greatest" : "one");
  }
  if (may_be_none || takes_nothing(finding)) {
    statement.says = "share.in_float";
    add_place(evidence, finding, statement);
    return statement;
  }
  // of a single value that was measured its readers were in float, too
  const bool with_others = joint || finding.share_is_measured;
  if (with_others) add_place(evidence, finding, statement);
  statement.figures["op"] = figure::op(finding.op);
  return statement;
}

}  // namespace quantlens
