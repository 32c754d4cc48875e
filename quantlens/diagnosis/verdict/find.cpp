// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/find.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/float_remedies.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/verdict/found_cause.h"
#include "quantlens/diagnosis/verdict/same_remedy.h"
#include "quantlens/diagnosis/verdict/share_statement.h"
#include "quantlens/diagnosis/verdict/uncompared.h"
#include "quantlens/diagnosis/verdict/uncorrected_bias.h"
#include "quantlens/diagnosis/verdict/verdict.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/record/op_refs.h"
#include "quantlens/record/own_error.h"

namespace quantlens {
namespace {

constexpr double kLeastShare = 0.05;
constexpr std::size_t kMostValues = 64;
constexpr double kNothingLost = 60;  // dB: what is above is hardly more than the order of sums

struct NamedRule {
  std::string_view name;
  ValueRule rule;
  bool is_mistake = false;
};

constexpr NamedRule kValueRules[] = {
    {"huge_mask", huge_mask},
    {"clipped_range", clipped_range, true},
    {"weight_scales", weight_scales, true},
    {"spread_weight", spread_weight, true},
    {"lost_bias", lost_bias, true},
    {"saturation", saturation},
    {"unexplained", unexplained, true},
    {"wasted_range", wasted_range, true},
    {"unfolded_scale", unfolded_scale, true},
    {"steep_reader", steep_reader},
    {"outlier_channel", outlier_channel},
    {"outlier_activation", outlier_activation},
    {"rounding", rounding},
};

constexpr ModelRule kModelRules[] = {changed,      nonfinite,     unlike_data,
                                     accumulation, float_islands, dead_channels};

void add_share(const ActivationRow& row, const SharesWithout& shares, FoundCause& found) {
  found.share += row.output_share.value_or(0);
  for (std::size_t i = 0; i < 2; ++i) {
    found.interval[i] += row.output_share_interval.value_or(std::array{0.0, 1.0})[i];
  }
  const auto row_without = shares.find({row.value, row.quantized});
  if (row_without == shares.end()) return;
  found.without.resize(row_without->second.size());
  std::ranges::transform(found.without, row_without->second, found.without.begin(), std::plus());
}

void add_ops(std::vector<OpRef>& ops, std::vector<OpRef>&& others) {
  for (OpRef& op : others) {
    if (std::ranges::find(ops, op) == ops.end()) ops.push_back(std::move(op));
  }
}

void join(Cause& cause, Cause&& other) {
  add_ops(cause.ops, std::move(other.ops));
  add_ops(cause.measured, std::move(other.measured));
  cause.least_mended = std::min(cause.least_mended, other.least_mended);
  const auto entries = cause.remedy.find("op_name_dict");
  const auto others = other.remedy.find("op_name_dict");
  if (entries == cause.remedy.end() || others == other.remedy.end()) return;
  for (const auto& entry : others->value().as_object()) {
    entries->value().as_object()[entry.key()] = entry.value();
  }
}

/// The values that begin most of the error, those with most first.
std::vector<const ActivationRow*> beginnings(const Diagnosis& diagnosis) {
  std::vector<const ActivationRow*> rows;
  for (const ActivationRow& row : diagnosis.activations) {
    if (row.output_share.value_or(0) >= kLeastShare / kMistake) rows.push_back(&row);
  }
  std::ranges::stable_sort(
      rows, [](const auto* a, const auto* b) { return *a->output_share > *b->output_share; });
  if (rows.size() > kMostValues) rows.resize(kMostValues);
  return rows;
}

/// The values whose ops have the greatest errors of their own, of those that are no beginnings.
std::vector<const ActivationRow*> loudest(const Diagnosis& diagnosis,
                                          const std::vector<const ActivationRow*>& beginnings) {
  constexpr std::size_t kMostLoud = 2;
  std::vector<const ActivationRow*> rows;
  for (const ActivationRow& row : diagnosis.activations) {
    if (own_error(row) > 0) rows.push_back(&row);
  }
  std::ranges::stable_sort(
      rows, [](const auto* a, const auto* b) { return own_error(*a) > own_error(*b); });
  if (rows.size() > kMostLoud) rows.resize(kMostLoud);
  std::erase_if(rows, [&](const ActivationRow* row) {
    return std::ranges::find(beginnings, row) != beginnings.end();
  });
  return rows;
}

struct Asked {
  const ActivationRow& row;
  bool is_loud = false;
};

/// The first rule that has a cause for the value; null where none has.
const NamedRule* first_rule(const Evidence& evidence, const ActivationRow& row) {
  const auto* const found = std::ranges::find_if(
      kValueRules, [&](const NamedRule& named) { return named.rule(evidence, row).has_value(); });
  return found == std::end(kValueRules) ? nullptr : found;
}

void ask(const Evidence& evidence, const Asked& asked, const SharesWithout& shares,
         std::vector<FoundCause>& found) {
  const ActivationRow& row = asked.row;
  for (const NamedRule& named : kValueRules) {
    std::optional<Cause> cause = named.rule(evidence, row);
    if (!cause) continue;
    const bool is_mistake = named.is_mistake && !cause->is_effect;
    if (!is_mistake && !asked.is_loud && *row.output_share < kLeastShare) return;
    if (cause->ops.empty()) cause->ops.push_back(row.op);
    const auto same = std::ranges::find_if(found, [&](const FoundCause& one) {
      return !cause->shared.empty() && one.rule == named.name && one.cause.shared == cause->shared;
    });
    if (same != found.end()) {
      join(same->cause, std::move(*cause));
      same->own_error = std::max(same->own_error, own_error(row));
      add_share(row, shares, *same);
    } else {
      found.push_back({.rule = named.name,
                       .op = row.op,
                       .value = row.value,
                       .cause = std::move(*cause),
                       .is_mistake = is_mistake,
                       .is_loud = asked.is_loud,
                       .own_error = own_error(row),
                       .estimated = {}});
      add_share(row, shares, found.back());
    }
    return;
  }
}

/// A mistake that several values share is mended at all of them, however little begins at some:
/// adds those that were not asked.
void add_the_rest(const Evidence& evidence, const std::vector<const ActivationRow*>& asked,
                  const SharesWithout& shares, std::vector<FoundCause>& found) {
  for (FoundCause& one : found) {
    if (!one.is_mistake || one.cause.shared.empty()) continue;
    const auto* const named = std::ranges::find(kValueRules, one.rule, &NamedRule::name);
    for (const ActivationRow& row : evidence.diagnosis().activations) {
      if (std::ranges::find(asked, &row) != asked.end()) continue;
      std::optional<Cause> cause = named->rule(evidence, row);
      if (!cause || cause->shared != one.cause.shared) continue;
      if (first_rule(evidence, row) != named) continue;
      if (cause->ops.empty()) cause->ops.push_back(row.op);
      join(one.cause, std::move(*cause));
      if (row.output_share) add_share(row, shares, one);
    }
  }
}

/// An op has several values where a kernel of its pattern gives codes before the pattern's end.
/// Findings of one op say which of them they speak of.
void name_values(std::vector<FoundCause>& found) {
  std::vector<bool> is_one_of_several(found.size(), false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[i].op == found[k].op && found[i].value != found[k].value)
        is_one_of_several[i] = true;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_one_of_several[i]) continue;
    Statements& reasons = found[i].cause.reasons;
    reasons.insert(reasons.begin(),
                   {.says = "at_value", .figures = {{"value", figure::value(found[i].value)}}});
  }
}

std::vector<FoundCause> causes(const Evidence& evidence, const ShareSources& shares) {
  std::vector<FoundCause> found;
  std::vector<const ActivationRow*> rows = beginnings(evidence.diagnosis());
  for (const ActivationRow* row : rows) ask(evidence, {.row = *row}, shares.without, found);
  if (shares.measure) {
    for (const ActivationRow* row : loudest(evidence.diagnosis(), rows)) {
      ask(evidence, {.row = *row, .is_loud = true}, shares.without, found);
      rows.push_back(row);
    }
    if (evidence.outputs().sqnr_db < kNothingLost) {
      std::ranges::move(uncompared_causes(evidence.pairing(), evidence.diagnosis()),
                        std::back_inserter(found));
    }
  }
  add_the_rest(evidence, rows, shares.without, found);
  name_values(found);
  join_same_remedies(found);
  return found;
}

/// Whether it is one mistake wherever it is made: errors that nothing explains have no cause in
/// common.
bool may_be_common(const NamedRule& named) {
  return named.is_mistake && named.rule != unexplained;
}

/// The mistake of the op that adds most error by one, at all values where it is at work, those that
/// add most first.
std::optional<FoundCause> made_together(const Evidence& evidence, const SharesWithout& shares) {
  std::vector<const ActivationRow*> rows;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (own_error(row) > 0) rows.push_back(&row);
  }
  std::ranges::stable_sort(
      rows, [](const auto* a, const auto* b) { return own_error(*a) > own_error(*b); });
  std::optional<FoundCause> all;
  std::size_t values = 0;
  for (const ActivationRow* row : rows) {
    const auto* named = first_rule(evidence, *row);
    if (named == nullptr || !may_be_common(*named) || (all && all->rule != named->name)) continue;
    Cause cause = *named->rule(evidence, *row);
    if (cause.ops.empty()) cause.ops.push_back(row->op);
    if (cause.measured.empty()) cause.measured = cause.ops;
    if (all) {
      join(all->cause, std::move(cause));
    } else {
      all.emplace(FoundCause{.rule = named->name,
                             .op = row->op,
                             .value = row->value,
                             .cause = std::move(cause),
                             .is_mistake = true,
                             .own_error = own_error(*row),
                             .estimated = {}});
    }
    add_share(*row, shares, *all);
    if (++values == kMostValues) break;
  }
  return values < 2 ? std::nullopt : all;
}

/// Whether data that calibration did not see may be why codes are wasted or clip: what begins most
/// error is that.
bool is_made_by_data(const std::vector<Finding>& findings) {
  return !findings.empty() &&
         (findings.front().rule == "wasted_range" || findings.front().rule == "clipped_range");
}

/// What makes all other figures doubtful comes first, then what is about error.
int place(const Finding& finding, bool by_data) {
  if (is_changed(finding)) return 0;
  if (by_data && finding.rule == "unlike_data") return 0;
  if (finding.output_share) return 1;
  return finding.severity == Severity::problem ? 0 : 2;
}

Finding finding_of(FoundCause&& found, Severity severity) {
  Finding finding{.rule = std::string(found.rule),
                  .op = std::move(found.op),
                  .ops = std::move(found.cause.ops),
                  .reasons = std::move(found.cause.reasons),
                  .remedy = {},
                  .severity = severity,
                  .output_share = std::min(1.0, found.share),
                  .output_share_interval = {},
                  .share_is_measured = found.estimated.has_value(),
                  .share_samples = found.samples,
                  .estimated_share = found.estimated,
                  .tied_with_previous = found.tied_with_previous,
                  .measured_gain = {},
                  .measured_gain_interval = {}};
  finding.output_share_interval = {found.interval[0], std::min(1.0, found.interval[1])};
  const bool may_help = !takes_nothing(finding) && !found.cause.remedy.empty();
  if (may_help) finding.remedy = std::move(found.cause.remedy);
  return finding;
}

/// In their order. What takes nothing away and is not all that is known of the error is a note, and
/// no tie.
std::vector<Finding> findings_of(std::vector<FoundCause>&& found, Severity severity) {
  std::vector<Finding> findings;
  findings.reserve(found.size());
  for (FoundCause& one : found) {
    Finding finding = finding_of(std::move(one), severity);
    const bool is_nothing = takes_nothing(finding);
    if (!findings.empty()) {
      if (is_nothing) finding.severity = Severity::note;
      if (is_nothing || takes_nothing(findings.back())) finding.tied_with_previous = false;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// The shares of the outputs' error that single samples have, but for those that were measured: of
/// those that have most of it.
std::vector<double> lumps_of(const Evidence& evidence, const SampleSet& measured) {
  std::map<std::uint64_t, double> errors;  // by sample
  double whole = 0;
  for (const ValueInfo& output : evidence.reference().graph().outputs) {
    const std::vector<ActivationRow>& rows = evidence.diagnosis().activations;
    const auto row = std::ranges::find(rows, output.name, &ActivationRow::value);
    if (row == rows.end() || !std::isfinite(row->sqnr_db)) continue;
    const double error = std::pow(10.0, -row->sqnr_db / 10);
    whole += error;
    for (const SampleShare& sample : row->worst_samples) {
      if (!measured.contains(sample.sample)) errors[sample.sample] += error * sample.share;
    }
  }
  std::vector<double> lumps;
  lumps.reserve(errors.size());
  for (const auto& [sample, error] : errors) lumps.push_back(error / whole);
  return lumps;
}

/// Shares are of all samples, though a few of them are measured.
MeasureShare of_all_samples(const MeasureShare& measure, const Evidence& evidence) {
  if (!measure) return {};
  return [&measure, &evidence](const std::vector<OpRef>& ops) {
    std::optional<Gain> gain = measure(ops);
    if (gain) widen_for_others(lumps_of(evidence, gain->samples), *gain);
    return gain;
  };
}

/// Of ops some of which the two files differ at nothing is measured: the difference would make the
/// share, whatever the others do.
MeasureShare without_changes(const MeasureShare& measure, const Pairing& pairing) {
  if (!measure) return {};
  std::vector<OpRef> changed;
  for (const Change& change : pairing.changes) {
    if (!change.ops.empty()) changed.push_back(change.ops.front());
  }
  return [&measure, changed](const std::vector<OpRef>& ops) -> std::optional<Gain> {
    const auto differ = std::ranges::count_if(ops, [&](const OpRef& op) {
      return std::ranges::any_of(changed, [&](const OpRef& one) { return is_same_op(one, op); });
    });
    const bool is_mixed = differ > 0 && differ < std::ssize(ops);
    return is_mixed ? std::nullopt : measure(ops);
  };
}

/// Whether an op stands out by what was measured, though estimates are spread over many.
bool has_measured_culprit(const std::vector<Finding>& findings) {
  constexpr double kStandsOut = 0.1;
  return std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.share_is_measured && finding.output_share.value_or(0) >= kStandsOut;
  });
}

/// Whether the recipe in the file has SmoothQuant on. One that cannot be read says nothing here.
bool is_smoothed(const Model& quantized) {
  const std::optional<Recipe> recipe = readable_recipe(quantized);
  return recipe && recipe->recipes.smooth_quant.value_or(false);
}

/// What is in force already mends nothing more: the ops stay float instead.
void replace_what_is_in_force(const Model& quantized, std::vector<FoundCause>& found) {
  if (!is_smoothed(quantized)) return;
  const boost::json::object smooth{{"recipes", {{"smooth_quant", true}}}};
  for (FoundCause& one : found) {
    if (one.cause.remedy == smooth) one.cause.remedy = in_float(one.cause.ops);
  }
}

}  // namespace

Severity usual_severity(const Evidence& evidence) {
  constexpr double kMostLost = 10;
  constexpr double kMuchLost = 20;
  const double output_sqnr_db = evidence.outputs().sqnr_db;
  if (output_sqnr_db < kMostLost) return Severity::problem;
  return output_sqnr_db < kMuchLost ? Severity::warning : Severity::note;
}

void add_findings(const PairedModels& models, const ShareSources& shares, Diagnosis& diagnosis) {
  const Evidence evidence(models, diagnosis);
  std::vector<FoundCause> found = causes(evidence, shares);
  replace_what_is_in_force(models.quantized.model, found);
  if (std::optional<FoundCause> shifts = uncorrected_bias(evidence, models.quantized.model)) {
    found.push_back(*std::move(shifts));
  }
  FloatRemedies remedies(evidence);
  remedies.join(found);
  const MeasureShare measure = of_all_samples(shares.measure, evidence);
  const MeasureShare of_remedies = remedies.measuring(measure);
  settle_shares(
      without_changes(of_remedies, models.pairing), diagnosis.unknown_share.value_or(0),
      [&] { return made_together(evidence, shares.without); }, found,
      remedies.expecting(shares.expect));
  for (FoundCause& one : found) remedies.tell(one);
  std::vector<Finding> findings = findings_of(std::move(found), usual_severity(evidence));
  const bool by_data = is_made_by_data(findings);
  for (const ModelRule rule : kModelRules) {
    if (rule == accumulation && has_measured_culprit(findings)) continue;
    std::ranges::move(rule(evidence), std::back_inserter(findings));
  }
  std::ranges::stable_sort(findings, [by_data](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    return place(a, by_data) < place(b, by_data);
  });
  diagnosis.conclusions = verdict(evidence, findings);
  diagnosis.findings = std::move(findings);
}

}  // namespace quantlens
