// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "quantlens/compare/compare_parts.h"
#include "quantlens/stats/rate_interval.h"

namespace quantlens {
namespace {

const Accuracy* accuracy_in(const RunToCompare& run) {
  return run.records.accuracy ? &run.records.accuracy->quantized : nullptr;
}

/// Of a search the float model's.
std::optional<Accuracy> reference_in(const RunToCompare& run) {
  if (run.records.accuracy && run.records.accuracy->reference)
    return run.records.accuracy->reference;
  return run.records.study ? std::optional(run.records.study->reference) : std::nullopt;
}

bool is_same_metric(const RunToCompare& a, const RunToCompare& b) {
  const Accuracy& in_a = *accuracy_in(a);
  const Accuracy& in_b = *accuracy_in(b);
  return in_a.metric == in_b.metric && in_a.is_rate == in_b.is_rate &&
         in_a.higher_is_better == in_b.higher_is_better &&
         (a.records.run.metric.empty() || b.records.run.metric.empty() ||
          a.records.run.metric == b.records.run.metric);
}

bool is_same_scored(const RunToCompare& a, const RunToCompare& b, const Common& common) {
  if (!common.data || accuracy_in(a)->samples == 0) return false;
  if (a.scored && b.scored && !(a.scored->samples == b.scored->samples)) return false;
  return accuracy_in(a)->samples == accuracy_in(b)->samples;
}

/// Samples that A answers right and B wrong, and the reverse.
struct Discordant {
  std::uint64_t lost = 0, gained = 0;
};

bool has_all_flips(const AccuracyRecord& record) {
  return record.reference && record.quantized.is_rate &&
         record.lost + record.gained == record.flips.size();
}

/// Both models were held against the same one: a sample that is in one list alone is answered
/// otherwise by the two.
Discordant discordant(const AccuracyRecord& a, const AccuracyRecord& b) {
  std::unordered_map<std::uint64_t, FlipDirection> in_a;
  for (const Flip& flip : a.flips) in_a.emplace(flip.sample, flip.direction);
  Discordant count;
  for (const Flip& flip : b.flips) {
    if (in_a.erase(flip.sample) > 0) continue;
    ++(flip.direction == FlipDirection::lost ? count.lost : count.gained);
  }
  for (const auto& [sample, direction] : in_a)
    ++(direction == FlipDirection::lost ? count.gained : count.lost);
  return count;
}

std::uint64_t hits(const Accuracy& rate) {
  return static_cast<std::uint64_t>(std::llround(rate.value * static_cast<double>(rate.samples)));
}

/// Newcombe's, of so many samples; nothing where the counts do not go together.
std::optional<std::array<double, 2>> paired_interval(const Accuracy& a, const Discordant& count) {
  const std::uint64_t right = hits(a);
  if (count.lost > right || right + count.gained > a.samples) return std::nullopt;
  return paired_rate_interval(right - count.lost, count.gained, count.lost,
                              a.samples - right - count.gained);
}

/// As many samples that differ as there is room for: no more than what both together differ from
/// their reference, than A has right and than B has wrong. The interval of fewer is within.
std::optional<Discordant> most_discordant(const RunToCompare& a, const RunToCompare& b) {
  const AccuracyRecord& in_a = *a.records.accuracy;
  const AccuracyRecord& in_b = *b.records.accuracy;
  if (!in_a.reference || !in_b.reference) return std::nullopt;
  const std::uint64_t samples = in_a.quantized.samples;
  const std::uint64_t right_a = hits(in_a.quantized), right_b = hits(in_b.quantized);
  if (right_a > samples || right_b > samples) return std::nullopt;
  return Discordant{.lost = std::min({in_a.gained + in_b.lost, right_a, samples - right_b}),
                    .gained = std::min({in_a.lost + in_b.gained, right_b, samples - right_a})};
}

/// Each end as far off as both together may be (Newcombe, 1998, method 10 without correlation).
std::optional<std::array<double, 2>> unpaired_interval(const Accuracy& a, const Accuracy& b) {
  if (!a.interval || !b.interval) return std::nullopt;
  const auto [low_a, high_a] = *a.interval;
  const auto [low_b, high_b] = *b.interval;
  const double difference = b.value - a.value;
  return std::array{difference - std::hypot(b.value - low_b, high_a - a.value),
                    difference + std::hypot(high_b - b.value, a.value - low_a)};
}

ComparisonVerdict accuracy_verdict(const ComparedAccuracy& made, bool is_one_model) {
  if (!made.difference) return ComparisonVerdict::unknown;
  if (const bool has_a = std::isfinite(made.a->value); has_a != std::isfinite(made.b->value))
    return has_a ? ComparisonVerdict::worse : ComparisonVerdict::better;
  if (std::isnan(*made.difference)) return ComparisonVerdict::unknown;
  const bool nothing_differs =
      is_one_model || (made.lost && made.gained && *made.lost + *made.gained == 0);
  if (*made.difference == 0 && nothing_differs) return ComparisonVerdict::equal;
  if (!made.difference_interval) return ComparisonVerdict::undecided;
  const auto [low, high] = *made.difference_interval;
  if (low <= 0 && high >= 0) return ComparisonVerdict::undecided;
  return (low > 0) == made.b->higher_is_better ? ComparisonVerdict::better
                                               : ComparisonVerdict::worse;
}

}  // namespace

ComparedAccuracy compared_accuracy(const RunToCompare& a, const RunToCompare& b,
                                   const Common& common) {
  ComparedAccuracy made;
  if (const Accuracy* of = accuracy_in(a)) made.a = *of;
  if (const Accuracy* of = accuracy_in(b)) made.b = *of;
  made.reference_a = reference_in(a);
  made.reference_b = reference_in(b);
  if (!made.a || !made.b || !is_same_metric(a, b)) return made;
  made.difference = made.b->value - made.a->value;
  const bool same_samples = is_same_scored(a, b, common);
  const bool same_rate =
      same_samples && common.reference && made.a->is_rate && std::isfinite(*made.difference);
  if (same_rate && has_all_flips(*a.records.accuracy) && has_all_flips(*b.records.accuracy)) {
    const Discordant count = discordant(*a.records.accuracy, *b.records.accuracy);
    made.lost = count.lost;
    made.gained = count.gained;
    made.difference_interval = paired_interval(*made.a, count);
    if (made.difference_interval) made.interval_is = AccuracyInterval::paired;
  } else if (const auto most = same_rate ? most_discordant(a, b) : std::nullopt) {
    made.difference_interval = paired_interval(*made.a, *most);
    if (made.difference_interval) made.interval_is = AccuracyInterval::bounds;
  }
  if (!made.difference_interval) {
    made.difference_interval = unpaired_interval(*made.a, *made.b);
    if (made.difference_interval) made.interval_is = AccuracyInterval::unpaired;
  }
  const bool is_one_model = same_samples && (common.run || common.quantized);
  made.verdict = accuracy_verdict(made, is_one_model);
  return made;
}

}  // namespace quantlens
