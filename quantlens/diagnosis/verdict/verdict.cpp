// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/verdict/share_statement.h"
#include "quantlens/record/own_error.h"

namespace quantlens {
namespace {

Statement loss(const Evidence& evidence) {
  const Evidence::Outputs& outputs = evidence.outputs();
  if (!outputs.compared) {
    Statement statement{.says = "loss.no_output", .figures = {}};
    if (!std::isinf(outputs.sqnr_db))
      statement.figures["worst_activation"] = figure::decibels(outputs.sqnr_db);
    return statement;
  }
  if (outputs.became_nonfinite > 0) {
    return {.says = "loss.nonfinite",
            .figures = {{"part", figure::share(outputs.became_nonfinite)}}};
  }
  const bool are_all = evidence.diagnosis().outputs_not_compared.empty();
  return {.says = "loss",
          .figures = {{"sqnr", figure::decibels(outputs.sqnr_db)},
                      {"outputs", figure::text(are_all ? "all" : "compared")}}};
}

/// Of outputs that were not compared; nothing where all were, or none.
Statements left_out(const Evidence& evidence) {
  const std::vector<std::string>& left = evidence.diagnosis().outputs_not_compared;
  if (left.empty() || !evidence.outputs().compared) return {};
  const std::vector<ValueInfo>& all = evidence.reference().graph().outputs;
  const auto floats = static_cast<std::uint64_t>(std::ranges::count_if(
      all, [](const ValueInfo& output) { return output.dtype && is_float(*output.dtype); }));
  return {{.says = "outputs_left_out",
           .figures = {{"outputs", figure::values(left)},
                       {"of_floats", figure::count(floats)},
                       {"of", figure::count(all.size())}}}};
}

/// Whether shares were measured and not even the first is surely above 0.
bool is_doubtful(std::span<const Finding> findings, const Finding& first) {
  return first.output_share_interval.value_or(std::array{0.0, 1.0})[0] <= 0 &&
         std::ranges::any_of(findings, &Finding::share_is_measured);
}

/// Of error that passes through values that were not compared.
Statements unknown(const Diagnosis& diagnosis) {
  const double share = diagnosis.unknown_share.value_or(0);
  if (share < 0.005) return {};
  return {{.says = "unknown_share", .figures = {{"share", figure::share(share)}}}};
}

/// SQNR of what an op adds by itself, its inputs' rounding apart; infinite where that is nothing.
double own_sqnr_db(const ActivationRow& row) {
  const double local = row.local_mse.value_or(0);
  const double own = local - row.input_mse.value_or(0);
  if (local <= 0 || own <= 0) return std::numeric_limits<double>::infinity();
  return row.local_sqnr_db.value_or(row.sqnr_db) - 10 * std::log10(own / local);
}

/// The op that adds most error by itself of those whose error is mostly none that rounding makes,
/// and more than 8 bits seldom make: what they clip of the samples that local errors are of may be
/// more than of all.
const ActivationRow* worst_unexplained(const Evidence& evidence) {
  const ActivationRow* worst = nullptr;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.local_sqnr_db.value_or(kSeldomRounding) >= kSeldomRounding) continue;
    const bool is_own = row.local_mse && row.other_mse && *row.other_mse > 0.5 * *row.local_mse &&
                        !lost_bias(evidence, row) && unexplained(evidence, row);
    if (is_own && (!worst || *row.local_sqnr_db < *worst->local_sqnr_db)) worst = &row;
  }
  return worst;
}

bool is_named(const Finding& finding, const OpRef& op) {
  return std::ranges::find(finding.ops, op) != finding.ops.end();
}

/// Whether no op that the finding names adds as much error by itself.
bool is_worse(const ActivationRow& row, const Diagnosis& diagnosis, const Finding& finding) {
  return std::ranges::all_of(diagnosis.activations, [&](const ActivationRow& other) {
    return !is_named(finding, other.op) || own_sqnr_db(row) < own_sqnr_db(other);
  });
}

/// What the local errors say of another op, and where the first share is small that none is great.
/// Shares and local errors that name different ops are both told: of a great share that was
/// measured, where the other op adds more error by itself.
Statements doubts(const Evidence& evidence, std::span<const Finding> findings, const Finding& first,
                  bool in_doubt) {
  constexpr double kMuch = 0.1;
  const auto is_much = [](const Finding& finding) {
    return finding.share_is_measured && finding.output_share.value_or(0) >= kMuch;
  };
  const ActivationRow* worst = worst_unexplained(evidence);
  Statements told;
  if (first.share_is_measured && std::ranges::none_of(findings, is_much) && !in_doubt) {
    told.push_back({.says = "none_takes_much", .figures = {}});
  }
  if (worst == nullptr || is_named(first, worst->op)) return told;
  if (is_much(first) && !is_worse(*worst, evidence.diagnosis(), first)) return told;
  told.push_back({.says = "unexplained_by_itself",
                  .figures = {{"op", figure::op(worst->op)},
                              {"own_sqnr", figure::decibels(*worst->local_sqnr_db)}}});
  return told;
}

/// The finding below the first with the greatest share of those at which as much may begin, though
/// others stand before it; null where there is none.
const Finding* as_much(std::span<const Finding> findings, const Finding& first) {
  const Finding* greatest = nullptr;
  bool are_tied = true;  // all up to here
  for (const Finding* one = &first + 1; one != findings.data() + findings.size(); ++one) {
    are_tied = are_tied && one->tied_with_previous;
    if (!one->output_share || takes_nothing(*one)) continue;
    const double high = one->output_share_interval.value_or(std::array{0.0, 1.0})[1];
    const bool is_second = one == &first + 1;
    const bool may_be = are_tied && (is_second || high >= *first.output_share);
    if (!may_be && *one->output_share <= *first.output_share) continue;
    if (!greatest || *one->output_share > *greatest->output_share) greatest = one;
  }
  return greatest;
}

/// Another one that may be as great, before its reasons.
Statement second_place(const Evidence& evidence, const Finding& second, bool in_doubt) {
  Statement statement{.says = in_doubt ? "as_much.in_float" : "as_much.begins", .figures = {}};
  add_place(evidence, second, statement);
  add_share(second, statement);
  return statement;
}

/// Statements one behind the other.
class Paragraph {
 public:
  void add(Statement statement) { statements_.push_back(std::move(statement)); }
  void add_all(const Statements& more) {
    statements_.insert(statements_.end(), more.begin(), more.end());
  }
  /// `lead`, the finding's reasons, and what ends the sentence.
  void add_reasons(Statement lead, const Finding& finding, const Statements& more = {}) {
    add(std::move(lead));
    add_all(finding.reasons);
    add_all(more);
    add({.says = "end", .figures = {}});
  }
  Statements take() { return std::move(statements_); }

 private:
  Statements statements_;
};

/// Findings of no share that come before those that have one.
void add_grave(std::span<const Finding> findings, Paragraph& paragraph) {
  for (const Finding& finding : findings) {
    const bool leads = &finding == &findings.front() && finding.rule == "unlike_data";
    if (!finding.output_share && (finding.severity == Severity::problem || leads)) {
      paragraph.add_reasons({.says = "at_op", .figures = {{"op", figure::op(finding.op)}}},
                            finding);
    }
  }
}

}  // namespace

Statements verdict(const Evidence& evidence, std::span<const Finding> findings) {
  if (evidence.diagnosis().paired == 0) return {{.says = "nothing_compared", .figures = {}}};
  Paragraph text;
  text.add(loss(evidence));
  text.add_all(left_out(evidence));
  if (!findings.empty() && is_changed(findings.front())) {
    const Finding& first = findings.front();
    text.add_reasons({.says = "files_differ", .figures = {{"op", figure::op(first.op)}}}, first);
    text.add({.says = "mend_first", .figures = {}});
    return text.take();
  }
  add_grave(findings, text);
  const auto first = std::ranges::find_if(
      findings, [](const Finding& finding) { return finding.output_share.has_value(); });
  if (first == findings.end()) {
    if (evidence.diagnosis().local_samples == 0) {
      text.add({.says = "no_local_errors", .figures = {}});
    }
    return text.take();
  }
  const bool in_doubt = is_doubtful(findings, *first);
  text.add_reasons(share_statement(evidence, *first, in_doubt), *first,
                   unknown(evidence.diagnosis()));
  text.add_all(doubts(evidence, findings, *first, in_doubt));
  if (const Finding* second = as_much(findings, *first)) {
    text.add_reasons(second_place(evidence, *second, in_doubt), *second);
  }
  return text.take();
}

}  // namespace quantlens
