// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/found_cause.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr std::size_t kFirst = 3;
constexpr std::size_t kMostMeasured = 4;
constexpr double kLeast = -1;  // error that is doubled or more is told as that

void measure_share(const MeasureShare& measure, FoundCause& found) {
  found.is_asked = true;
  const Cause& cause = found.cause;
  std::optional<Gain> gain = measure(cause.measured.empty() ? cause.ops : cause.measured);
  if (!gain) return;
  found.estimated = found.share;
  found.share = std::max(kLeast, gain->share);
  found.interval = {std::max(kLeast, gain->interval[0]), std::max(kLeast, gain->interval[1])};
  found.without = std::move(gain->without);
}

bool any_is_measured(const std::vector<FoundCause>& found) {
  return std::ranges::any_of(found,
                             [](const FoundCause& one) { return one.estimated.has_value(); });
}

/// Shares that may be nothing are no order: local errors are known far better.
std::tuple<int, double, bool, double> place_by_errors(const FoundCause& one) {
  if (one.interval[0] > 0) return {2, one.weight(), one.is_mistake, one.share};
  const bool takes_nothing = one.estimated && one.interval[1] <= 0;
  if (takes_nothing) return {0, one.share, false, 0};
  return {1, 0, one.is_mistake, one.own_error};
}

void put_in_order(std::vector<FoundCause>& found) {
  if (any_is_measured(found)) {
    std::ranges::stable_sort(found, std::ranges::greater(), place_by_errors);
    return;
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [](const FoundCause& one) {
    return std::pair(one.weight(), one.share);
  });
}

/// How far the ends of measured intervals were from their estimates: the least and the greatest
/// factor. No estimate is more certain than a measurement.
struct Factors {
  double least = 1, greatest = 1;
  bool any = false;
};

Factors factors_of(const std::vector<FoundCause>& found) {
  Factors factors;
  for (const FoundCause& one : found) {
    if (!one.estimated || *one.estimated <= 0 || one.is_loud) continue;
    factors.least = std::min(factors.least, one.interval[0] / *one.estimated);
    factors.greatest = std::max(factors.greatest, one.interval[1] / *one.estimated);
    factors.any = true;
  }
  return factors;
}

/// Widens what is an estimate still by how well estimates were confirmed.
void widen(std::vector<FoundCause>& found) {
  const Factors factors = factors_of(found);
  for (FoundCause& one : found) {
    if (one.estimated) continue;
    const double end = factors.least < 0 ? one.interval[1] : one.interval[0];
    one.interval[0] = factors.any ? std::max(kLeast, end * factors.least) : 0;
    one.interval[1] = std::min(1.0, one.interval[1] * factors.greatest);
  }
}

/// Whether the samples cannot tell which of the two shares is greater.
bool is_tied(const FoundCause& a, const FoundCause& b) {
  if (a.estimated.has_value() != b.estimated.has_value() || a.without.size() != b.without.size()) {
    return a.interval[0] <= b.interval[1] && b.interval[0] <= a.interval[1];
  }
  std::vector<double> without;
  std::ranges::transform(a.without, b.without, std::back_inserter(without), std::minus());
  return is_within_chance(a.share - b.share, without);
}

void measure_first(const MeasureShare& measure, std::vector<FoundCause>& found) {
  for (FoundCause& one : found) {
    if (one.is_loud) measure_share(measure, one);
  }
  std::erase_if(found, [](const FoundCause& one) {
    return one.is_loud && one.estimated && one.interval[0] <= 0;
  });
  for (std::size_t tried = 0; tried < kMostMeasured; ++tried) {
    put_in_order(found);
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(kFirst, found.size()));
    const auto next =
        std::find_if(found.begin(), end, [](const FoundCause& one) { return !one.is_asked; });
    if (next == end) break;
    measure_share(measure, *next);
  }
}

/// Where no share is surely above 0, the first one is no cause that is known: it stays, as what may
/// be one.
void admit_doubt(std::vector<FoundCause>& found) {
  const auto is_sure = [](const FoundCause& one) { return one.interval[0] > 0; };
  if (!any_is_measured(found) || std::ranges::any_of(found, is_sure)) return;
  const auto measured =
      std::ranges::count_if(found, [](const FoundCause& one) { return one.estimated.has_value(); });
  FoundCause& first = found.front();
  first.rule = "unexplained";
  first.cause.because = fmt::format(
      "no share is surely above 0 ({} of {} were measured), so what makes the error is not known; "
      "by the ops' own errors, mistakes first, it may be this: {}",
      measured, found.size(), first.cause.because);
}

}  // namespace

void settle_shares(const MeasureShare& measure, double unknown, std::vector<FoundCause>& found) {
  for (FoundCause& one : found) {
    if (one.without.size() > 2) one.interval = jackknife_interval(one.share, one.without, {0, 1});
    one.interval[0] = std::max(0.0, one.interval[0] - unknown);
  }
  if (measure) {
    measure_first(measure, found);
    widen(found);
  }
  put_in_order(found);
  for (std::size_t i = 1; i < found.size(); ++i) {
    found[i].tied_with_previous = is_tied(found[i - 1], found[i]);
  }
  admit_doubt(found);
}

}  // namespace quantlens
