// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/against_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/stats/rate_interval.h"

namespace quantlens {
namespace {

[[noreturn]] void refuse(std::uint64_t samples) {
  throw Error(Errc::failed, fmt::format("nothing is kept of the float model over the first {} "
                                        "samples; have the data changed meanwhile? Begin anew",
                                        samples));
}

}  // namespace

bool LookingPoints::pass(std::uint64_t seen) {
  constexpr std::uint64_t kLeast = 32;
  const std::uint64_t before = std::exchange(seen_, seen);
  const auto passes = [&](std::uint64_t point) {
    return point >= kLeast && before < point && seen >= point;
  };
  return passes(samples_ / 8) || passes(samples_ / 4) || passes(samples_ / 2) ||
         (before < samples_ && seen >= samples_);
}

ScoresSink::ScoresSink(const MetricSpec& spec, std::uint64_t samples)
    : spec_(spec), metric_(make_metric(spec)), points_(samples) {}

void ScoresSink::add(const Batch& batch, const Outputs& outputs) {
  metric_->add(batch, outputs.reference);
  seen_ += batch.samples.size();
  for (const SampleScore& score : metric_->last()) scores_.right += score.right ? '1' : '0';
  if (!points_.pass(seen_) || !metric_->last().empty()) return;
  MetricFigure figure = metric_->figure();
  scores_.parts.push_back({.samples = seen_,
                           .value = figure.value,
                           .bounds = figure.bounds,
                           .without = std::move(figure.without)});
}

Scores ScoresSink::result() const {
  Scores scores = scores_;
  MetricFigure figure = metric_->figure();
  scores.accuracy = accuracy_of(spec_, figure);
  if (!figure.right && (scores.parts.empty() || scores.parts.back().samples != seen_)) {
    scores.parts.push_back({.samples = seen_,
                            .value = figure.value,
                            .bounds = figure.bounds,
                            .without = std::move(figure.without)});
  }
  return scores;
}

AgainstScoresSink::AgainstScoresSink(const MetricSpec& spec, const Scores& reference,
                                     std::uint64_t samples)
    : spec_(spec), metric_(make_metric(spec)), reference_(reference), points_(samples) {}

bool AgainstScoresSink::add(const Batch& batch, const Outputs& outputs) {
  metric_->add(batch, outputs.reference);
  for (const SampleScore& score : metric_->last()) {
    const std::uint64_t at = both_ + lost_ + gained_ + neither_;
    if (at >= reference_.right.size()) refuse(at + 1);
    if (reference_.right[at] == '1') {
      ++(score.right ? both_ : lost_);
    } else {
      ++(score.right ? gained_ : neither_);
    }
  }
  seen_ += batch.samples.size();
  return points_.pass(seen_);
}

AccuracyRecord AgainstScoresSink::of_rates() const {
  const std::uint64_t samples = both_ + lost_ + gained_ + neither_;
  Accuracy reference = reference_.accuracy;
  reference.samples = samples;
  reference.value =
      samples == 0 ? 0 : static_cast<double>(both_ + lost_) / static_cast<double>(samples);
  reference.interval = rate_interval(both_ + lost_, samples);
  AccuracyRecord pair = paired(std::move(reference), accuracy_of(spec_, metric_->figure()));
  pair.lost = lost_;
  pair.gained = gained_;
  pair.difference_interval = paired_rate_interval(both_, gained_, lost_, neither_);
  return pair;
}

/// What was kept of the reference over the samples so far.
const PartFigure& AgainstScoresSink::part() const {
  const auto part = std::ranges::find(reference_.parts, seen_, &PartFigure::samples);
  if (part == reference_.parts.end()) refuse(seen_);
  return *part;
}

AccuracyRecord AgainstScoresSink::result() const {
  if (reference_.accuracy.is_rate) return of_rates();
  const PartFigure& part = this->part();
  const MetricFigure before{.value = part.value,
                            .samples = part.samples,
                            .bounds = part.bounds,
                            .right = {},
                            .without = part.without};
  const MetricFigure figure = metric_->figure();
  if (before.without.size() != figure.without.size()) refuse(seen_);
  AccuracyRecord pair = paired(accuracy_of(spec_, before), accuracy_of(spec_, figure));
  pair.difference_interval = difference_interval(before, figure);
  return pair;
}

std::optional<std::array<double, 2>> AgainstScoresSink::cautious_interval() const {
  const AccuracyRecord pair = result();
  if (!pair.difference_interval) return std::nullopt;
  double most = 1;  // that two figures can differ
  if (!reference_.accuracy.is_rate) {
    const PartFigure& before = part();
    const MetricFigure figure = metric_->figure();
    // without the only group that differs, nothing does
    const bool rests_on_one =
        pair.difference == 0.0 ||
        !std::ranges::equal(before.without, figure.without, std::ranges::not_equal_to());
    if (!rests_on_one) return pair.difference_interval;
    most = before.bounds.back() - before.bounds.front();
    if (!std::isfinite(most)) return std::nullopt;
  }
  const double reach = rule_of_three(most, seen_);
  const auto [low, high] = *pair.difference_interval;
  return std::array{std::min(low, *pair.difference - reach),
                    std::max(high, *pair.difference + reach)};
}

}  // namespace quantlens
