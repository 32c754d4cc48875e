// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/find.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/rules/verdict.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr double kLeastShare = 0.05;
/// Of what is a mistake, and not the price of 8 bits: so much less is worth a finding, and so much
/// more counts each when findings are put in order.
constexpr double kMistake = 3;
constexpr std::size_t kMostValues = 64;
constexpr std::array<std::string_view, 3> kSeverities = {"problem", "warning", "note"};

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
    {"wasted_range", wasted_range, true},
    {"steep_reader", steep_reader},
    {"outlier_channel", outlier_channel},
    {"outlier_activation", outlier_activation},
    {"unexplained", unexplained, true},
    {"rounding", rounding},
};

constexpr ModelRule kModelRules[] = {changed,      nonfinite,     unlike_data,
                                     accumulation, float_islands, dead_channels};

/// A cause and the values at which it is at work.
struct Found {
  std::string_view rule;
  std::string op;  // the worst one
  Cause cause;
  bool is_mistake = false;
  double share = 0;
  std::array<double, 2> interval{};
  std::vector<double> without = {};  // the share, without each block of samples
  bool tied_with_previous = false;
  /// How much begins there at least: what one sample decides does not come first.
  double weight() const { return interval[0] * (is_mistake ? kMistake : 1); }
};

void add_share(const ActivationRow& row, const SharesWithout& shares, Found& found) {
  found.share += *row.output_share;
  for (std::size_t i = 0; i < 2; ++i) {
    found.interval[i] += row.output_share_interval.value_or(std::array{0.0, 1.0})[i];
  }
  const auto row_without = shares.find({row.value, row.quantized});
  if (row_without == shares.end()) return;
  found.without.resize(row_without->second.size());
  std::ranges::transform(found.without, row_without->second, found.without.begin(), std::plus());
}

/// Whether the samples cannot tell which of the two shares is greater.
bool is_tied(const Found& a, const Found& b) {
  std::vector<double> without;
  std::ranges::transform(a.without, b.without, std::back_inserter(without), std::minus());
  return is_within_chance(a.share - b.share, without);
}

void join(Cause& cause, Cause&& other) {
  for (std::string& op : other.ops) {
    if (std::ranges::find(cause.ops, op) == cause.ops.end()) cause.ops.push_back(std::move(op));
  }
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

std::vector<Found> causes(const Evidence& evidence, const SharesWithout& shares) {
  std::vector<Found> found;
  for (const ActivationRow* row : beginnings(evidence.diagnosis())) {
    for (const NamedRule& named : kValueRules) {
      std::optional<Cause> cause = named.rule(evidence, *row);
      if (!cause) continue;
      if (!named.is_mistake && *row->output_share < kLeastShare) break;
      if (cause->ops.empty()) cause->ops.push_back(row->name);
      const auto same = std::ranges::find_if(found, [&](const Found& one) {
        return !cause->shared.empty() && one.rule == named.name &&
               one.cause.shared == cause->shared;
      });
      if (same != found.end()) {
        join(same->cause, std::move(*cause));
        add_share(*row, shares, *same);
      } else {
        found.push_back({.rule = named.name,
                         .op = row->name,
                         .cause = std::move(*cause),
                         .is_mistake = named.is_mistake});
        add_share(*row, shares, found.back());
      }
      break;
    }
  }
  return found;
}

/// How grave it is to lose so much of the outputs.
std::string_view severity_at(double output_sqnr_db) {
  constexpr double kMostLost = 10;
  constexpr double kMuchLost = 20;
  if (output_sqnr_db < kMostLost) return "problem";
  return output_sqnr_db < kMuchLost ? "warning" : "note";
}

std::size_t rank(const Finding& finding) {
  return static_cast<std::size_t>(std::ranges::find(kSeverities, finding.severity) -
                                  kSeverities.begin());
}

/// What makes all other figures doubtful comes first, then what is about error.
int place(const Finding& finding) {
  if (is_changed(finding)) return 0;
  if (finding.output_share) return 1;
  return finding.severity == kSeverities.front() ? 0 : 2;
}

Finding finding_of(Found&& found, std::string_view severity) {
  Finding finding{.rule = std::string(found.rule),
                  .op = std::move(found.op),
                  .ops = std::move(found.cause.ops),
                  .because = std::move(found.cause.because),
                  .remedy = {},
                  .severity = std::string(severity),
                  .output_share = std::min(1.0, found.share),
                  .output_share_interval = {},
                  .tied_with_previous = found.tied_with_previous,
                  .measured_gain = {},
                  .measured_gain_interval = {}};
  finding.output_share_interval = {std::max(0.0, found.interval[0]),
                                   std::min(1.0, found.interval[1])};
  if (!found.cause.remedy.empty()) finding.remedy = boost::json::serialize(found.cause.remedy);
  return finding;
}

}  // namespace

void add_findings(const Model& reference, const Model& quantized, const Pairing& pairing,
                  const SharesWithout& shares, Diagnosis& diagnosis) {
  const Evidence evidence(reference, quantized, pairing, diagnosis);
  const std::string_view severity = severity_at(evidence.outputs().sqnr_db);
  std::vector<Found> found = causes(evidence, shares);
  std::vector<Finding> findings;
  findings.reserve(found.size());
  for (Found& one : found) {
    if (one.without.size() > 2) one.interval = jackknife_interval(one.share, one.without, {0, 1});
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Found::weight);
  for (std::size_t i = 1; i < found.size(); ++i) {
    found[i].tied_with_previous = is_tied(found[i - 1], found[i]);
  }
  for (Found& one : found) findings.push_back(finding_of(std::move(one), severity));
  for (const ModelRule rule : kModelRules) {
    for (Finding& finding : rule(evidence)) {
      if (finding.severity.empty()) finding.severity = severity;
      findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return place(a) < place(b);
  });
  diagnosis.verdict = verdict(evidence, findings);
  diagnosis.findings = std::move(findings);
}

}  // namespace quantlens
