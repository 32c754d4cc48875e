// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/rules/share_words.h"
#include "quantlens/record/own_error.h"

namespace quantlens {
namespace {

/// What is left of the outputs that were compared.
std::string left_text(const Evidence& evidence) {
  const bool are_all = evidence.diagnosis().outputs_not_compared.empty();
  const char* subject = are_all ? "The outputs" : "The compared outputs";
  const double sqnr_db = evidence.outputs().sqnr_db;
  if (std::isinf(sqnr_db) && sqnr_db > 0) return fmt::format("{} are equal", subject);
  const char* how_much = "little of their signal is lost";
  if (sqnr_db < 20) how_much = "some of their signal is lost";
  if (sqnr_db < 10) how_much = "much of their signal is lost";
  if (sqnr_db < 3) how_much = "little of their signal is left";
  return fmt::format("{} keep {:.1f} dB of SQNR: {}", subject, sqnr_db, how_much);
}

std::string loss_text(const Evidence& evidence) {
  const Evidence::Outputs& outputs = evidence.outputs();
  const double sqnr_db = outputs.sqnr_db;
  if (!outputs.compared) {
    if (std::isinf(sqnr_db)) return "No output was compared";
    return fmt::format("No output was compared; the worst activation keeps {:.1f} dB of SQNR",
                       sqnr_db);
  }
  if (outputs.nonfinite >= 1) return "An output holds nothing but NaN and infinities";
  if (outputs.nonfinite > 0) {
    return fmt::format("{} % of an output are NaN or infinities", percent_text(outputs.nonfinite));
  }
  return left_text(evidence);
}

/// " 1 of 2 outputs was not compared: prob." Empty where all were, or none.
std::string left_out_text(const Evidence& evidence) {
  constexpr std::size_t kMost = 3;
  const std::vector<std::string>& left = evidence.diagnosis().outputs_not_compared;
  if (left.empty() || !evidence.outputs().compared) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(kMost, left.size()); ++i)
    names += (i == 0 ? "" : ", ") + printable(left[i]);
  const std::vector<ValueInfo>& all = evidence.reference().graph().outputs;
  const auto floats = static_cast<std::size_t>(std::ranges::count_if(
      all, [](const ValueInfo& output) { return output.dtype && is_float(*output.dtype); }));
  return fmt::format(" {} of {} outputs{} {} not compared: {}{}.", left.size(), floats,
                     floats == all.size() ? "" : " of floats", left.size() == 1 ? "was" : "were",
                     names, left.size() > kMost ? ", …" : "");
}

/// Whether shares were measured and not even the first is surely above 0.
bool is_doubtful(std::span<const Finding> findings, const Finding& first) {
  return first.output_share_interval.value_or(std::array{0.0, 1.0})[0] <= 0 &&
         std::ranges::any_of(findings, &Finding::share_is_measured);
}

/// "; 20 % of the error passes through values that were not compared"
std::string unknown_text(const Diagnosis& diagnosis) {
  const double unknown = diagnosis.unknown_share.value_or(0);
  if (unknown < 0.005) return {};
  return fmt::format("; {:.0f} % of the error passes through values that were not compared",
                     100 * unknown);
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

bool is_named(const Finding& finding, const std::string& op) {
  return std::ranges::find(finding.ops, op) != finding.ops.end();
}

/// Whether no op that the finding names adds as much error by itself.
bool is_worse(const ActivationRow& row, const Diagnosis& diagnosis, const Finding& finding) {
  return std::ranges::all_of(diagnosis.activations, [&](const ActivationRow& other) {
    return !is_named(finding, other.name) || own_sqnr_db(row) < own_sqnr_db(other);
  });
}

/// What the local errors say of another op, and where the first share is small that none is great.
/// Shares and local errors that name different ops are both told: of a great share that was
/// measured, where the other op adds more error by itself.
std::string doubt_text(const Evidence& evidence, std::span<const Finding> findings,
                       const Finding& first, bool in_doubt) {
  constexpr double kMuch = 0.1;
  const auto is_much = [](const Finding& finding) {
    return finding.share_is_measured && finding.output_share.value_or(0) >= kMuch;
  };
  const ActivationRow* worst = worst_unexplained(evidence);
  std::string text;
  if (first.share_is_measured && std::ranges::none_of(findings, is_much) && !in_doubt) {
    text = " No op that was tried alone takes much of it away.";
  }
  if (worst == nullptr || is_named(first, worst->name)) return text;
  if (is_much(first) && !is_worse(*worst, evidence.diagnosis(), first)) return text;
  return text + fmt::format(
                    " By itself, {} has an error ({:.1f} dB) that no rounding explains, the "
                    "greatest of this kind.",
                    printable(worst->name), *worst->local_sqnr_db);
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

/// " As much may begin at Conv_3, 34 %: rounding its weight …"
std::string second_text(const Evidence& evidence, const Finding& second, bool in_doubt) {
  const std::string place = place_words(evidence, second);
  const std::string share = fmt::format("{:.0f} % ({})", 100 * *second.output_share,
                                        second.share_is_measured ? "measured" : "estimated");
  if (in_doubt) {
    return fmt::format(" As much may be gone with {} in float, {}: {}.", place, share,
                       second.because);
  }
  return fmt::format(" As much may begin at {}, {}: {}.", place, share, second.because);
}

}  // namespace

std::string verdict(const Evidence& evidence, std::span<const Finding> findings) {
  if (evidence.diagnosis().paired == 0) return "Nothing was compared.";
  std::string text = loss_text(evidence) + "." + left_out_text(evidence);
  if (!findings.empty() && is_changed(findings.front())) {
    const Finding& first = findings.front();
    return text + fmt::format(" The two files differ at {}: {}. Mend that before all else.",
                              printable(first.op), first.because);
  }
  for (const Finding& finding : findings) {
    const bool leads = &finding == &findings.front() && finding.rule == "unlike_data";
    if (!finding.output_share && (finding.severity == "problem" || leads)) {
      text += fmt::format(" {}: {}.", printable(finding.op), finding.because);
    }
  }
  const auto first = std::ranges::find_if(
      findings, [](const Finding& finding) { return finding.output_share.has_value(); });
  if (first == findings.end()) {
    if (evidence.diagnosis().local_samples == 0) {
      text += " Where it begins is not known without local errors.";
    }
    return text;
  }
  const bool in_doubt = is_doubtful(findings, *first);
  text += fmt::format(" {}{}.", share_words(evidence, *first, in_doubt),
                      unknown_text(evidence.diagnosis()));
  text += doubt_text(evidence, findings, *first, in_doubt);
  if (const Finding* second = as_much(findings, *first)) {
    text += second_text(evidence, *second, in_doubt);
  }
  return text;
}

}  // namespace quantlens
