// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/found_cause.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "quantlens/record/op_refs.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr std::size_t kFirst = 3;
constexpr std::size_t kMostMeasured = 4;
constexpr std::size_t kMostForTheFirst = 8;  // where an estimate would stand first
constexpr double kLeast = -1;                // error that is doubled or more is told as that

std::vector<OpRef> sorted(std::vector<OpRef> ops) {
  std::sort(ops.begin(), ops.end());
  return ops;
}

/// What the remedy takes away, of what float does.
double mended(double gain, const FoundCause& found) {
  return std::max(kLeast, gain > 0 ? gain * found.cause.least_mended : gain);
}

void set_measured(const std::optional<Gain>& gain, FoundCause& found) {
  found.is_asked = true;
  if (!gain) return;
  found.estimated = found.share;
  found.samples = gain->samples.size();
  found.share = mended(gain->share, found);
  found.interval = {mended(gain->interval[0], found), std::max(kLeast, gain->interval[1])};
  found.without = gain->without;
  for (double& share : found.without) share = mended(share, found);
}

void tell_of_other(const FoundCause& other, FoundCause& found) {
  found.cause.reasons.push_back(
      other.op != found.op ? includes_op(other.op)
                           : Statement{.says = "share_includes",
                                       .figures = {{"value", figure::value(other.value)}}});
}

/// Of one of all, and of those whose share is measured by the same ops: it is of them together.
void measure_share(const MeasureShare& measure, std::size_t one, std::vector<FoundCause>& all) {
  const std::optional<Gain> gain = measure(all[one].measured_ops());
  set_measured(gain, all[one]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == one || !are_measured_by_the_same(all[i], all[one])) continue;
    set_measured(gain, all[i]);
    if (!gain) continue;
    tell_of_other(all[one], all[i]);
    tell_of_other(all[i], all[one]);
  }
}

bool any_is_measured(const std::vector<FoundCause>& found) {
  return std::ranges::any_of(found,
                             [](const FoundCause& one) { return one.estimated.has_value(); });
}

/// Whether it surely takes something away, and not next to nothing.
bool surely_takes(const FoundCause& one) {
  constexpr double kNextToNothing = 0.05;
  return one.interval[0] > 0 && one.interval[1] >= kNextToNothing;
}

/// Shares that may be nothing are no order: local errors are known far better.
std::tuple<int, double, bool, double> place_by_errors(const FoundCause& one) {
  if (surely_takes(one)) return {2, one.weight(), one.is_mistake, one.share};
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

bool none_is_sure(const std::vector<FoundCause>& found) {
  return any_is_measured(found) &&
         std::ranges::none_of(found, [](const FoundCause& one) { return one.interval[0] > 0; });
}

/// The most error that comes back where one measured share is taken away: so much of it errors hide
/// of each other, which is chance, and falls otherwise in the next file.
double hidden_by_chance(const std::vector<FoundCause>& found) {
  double most = 0;
  for (const FoundCause& one : found) {
    if (one.estimated) most = std::max(most, -one.share);
  }
  return most;
}

/// A mistake is mended whatever chance does. The price of 8 bits is a draw, and the file that the
/// remedy writes draws anew, of other ranges and biases: of what was tried some lay a tenth off
/// where nothing was hidden (docs/performance.md, claims).
void widen_by_chance(std::vector<FoundCause>& found) {
  constexpr double kDrawnAnew = 0.1;
  const double hidden = hidden_by_chance(found);
  for (FoundCause& one : found) {
    if (!one.estimated || one.is_mistake || one.share <= 0) continue;
    one.chance = std::hypot(hidden, kDrawnAnew * one.share);
    const auto [low, high] = one.interval;
    one.interval = {std::max(kLeast, one.share - std::hypot(one.share - low, one.chance)),
                    std::min(1.0, one.share + std::hypot(high - one.share, one.chance))};
  }
}

/// How far the ends of measured intervals were from their estimates: the least and the greatest
/// factor, and the greatest distances. No estimate is more certain than a measurement.
struct Deviations {
  double least = 1, greatest = 1;
  double below = 0, above = 0;
  bool any = false;
};

Deviations deviations_of(const std::vector<FoundCause>& found) {
  Deviations far;
  for (const FoundCause& one : found) {
    if (!one.estimated || *one.estimated <= 0 || one.is_loud) continue;
    far.least = std::min(far.least, one.interval[0] / *one.estimated);
    far.greatest = std::max(far.greatest, one.interval[1] / *one.estimated);
    far.below = std::max(far.below, *one.estimated - one.interval[0]);
    far.above = std::max(far.above, one.interval[1] - *one.estimated);
    far.any = true;
  }
  return far;
}

/// Widens what is an estimate still by how well estimates were confirmed. Where they say nothing of
/// the outputs, one of nearly nothing is as far off as the others.
void widen(std::vector<FoundCause>& found) {
  const Deviations far = deviations_of(found);
  const bool fail = none_is_sure(found);
  for (FoundCause& one : found) {
    if (one.estimated) continue;
    const std::array<double, 2> estimate = one.interval;
    const double end = far.least < 0 ? estimate[1] : estimate[0];
    one.interval[0] = far.any ? std::max(kLeast, end * far.least) : 0;
    one.interval[1] = std::min(1.0, estimate[1] * far.greatest);
    if (!fail) continue;
    const double off = std::max(far.below, far.above);
    one.interval[0] = std::max(kLeast, std::min(one.interval[0], estimate[0] - off));
    one.interval[1] = std::min(1.0, std::max(one.interval[1], estimate[1] + off));
  }
}

/// Whether the samples cannot tell which of the two shares is greater, or chance may turn it.
bool is_tied(const FoundCause& a, const FoundCause& b) {
  if (a.estimated.has_value() != b.estimated.has_value() || a.without.size() != b.without.size()) {
    return a.interval[0] <= b.interval[1] && b.interval[0] <= a.interval[1];
  }
  if (std::abs(a.share - b.share) <= std::hypot(a.chance, b.chance)) return true;
  std::vector<double> without;
  std::ranges::transform(a.without, b.without, std::back_inserter(without), std::minus());
  return is_within_chance(a.share - b.share, without);
}

void add_new(const std::vector<OpRef>& ops, std::vector<std::vector<OpRef>>& all) {
  const auto is_same = [&](const auto& one) { return sorted(one) == sorted(ops); };
  if (std::ranges::none_of(all, is_same)) all.push_back(ops);
}

/// Tells which are asked next whatever the answers are. As long as fewer than three were asked, one
/// of the first three was not, and answers do not change the order of those that were not: but for
/// the first answer, which changes what all are ordered by.
void tell_next(const ExpectShares& expect, const std::vector<FoundCause>& found, std::size_t most) {
  if (!expect || !any_is_measured(found)) return;
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(found, &FoundCause::is_asked));
  const std::size_t sure = std::min(most, kFirst - std::min(kFirst, asked));
  std::vector<std::vector<OpRef>> next;
  for (const FoundCause& one : found) {
    if (next.size() == sure) break;
    if (!one.is_asked) add_new(one.measured_ops(), next);
  }
  if (!next.empty()) expect(next);
}

void tell_loud(const ExpectShares& expect, const std::vector<FoundCause>& found) {
  std::vector<std::vector<OpRef>> loud;
  for (const FoundCause& one : found) {
    if (one.is_loud) add_new(one.measured_ops(), loud);
  }
  if (expect && !loud.empty()) expect(loud);
}

void measure_first(const MeasureShare& measure, const ExpectShares& expect,
                   std::vector<FoundCause>& found) {
  tell_loud(expect, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].is_loud && !found[i].is_asked) measure_share(measure, i, found);
  }
  std::erase_if(found, [](const FoundCause& one) {
    return one.is_loud && (!one.estimated || one.interval[0] <= 0);
  });
  for (std::size_t tried = 0; tried < kMostForTheFirst; ++tried) {
    put_in_order(found);
    const std::size_t places = tried < kMostMeasured ? kFirst : 1;
    if (tried < kMostMeasured) tell_next(expect, found, kMostMeasured - tried);
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(places, found.size()));
    const auto next = std::ranges::find_if_not(found.begin(), end, &FoundCause::is_asked);
    if (next == end) break;
    measure_share(measure, static_cast<std::size_t>(next - found.begin()), found);
  }
}

/// Where no share is surely above 0, the first one is no cause that is known: it stays, as what may
/// be one.
void admit_doubt(std::vector<FoundCause>& found) {
  const auto measured = static_cast<std::uint64_t>(std::ranges::count_if(
      found, [](const FoundCause& one) { return one.estimated.has_value(); }));
  Statement doubt{
      .says = "in_doubt",
      .figures = {{"measured", figure::count(measured)}, {"causes", figure::count(found.size())}}};
  FoundCause& first = found.front();
  first.rule = "unexplained";
  if (first.estimated && first.interval[1] <= 0) {
    doubt.says = "in_doubt.none_alone";
    first.cause.reasons = {std::move(doubt)};
    return;
  }
  first.cause.reasons.insert(first.cause.reasons.begin(), std::move(doubt));
}

/// The most that one measured by itself may take away.
double greatest_alone(const std::vector<FoundCause>& found) {
  double most = 0;
  for (const FoundCause& one : found) {
    if (one.estimated) most = std::max(most, one.interval[1]);
  }
  return most;
}

/// Whether one takes away so much by itself that nothing hides it.
bool any_is_much(const std::vector<FoundCause>& found) {
  constexpr double kMuch = 0.5;
  return std::ranges::any_of(found, [](const FoundCause& one) {
    return one.estimated && one.interval[1] >= kMuch && one.interval[0] > 0;
  });
}

/// Puts a mistake that is made at many values in place of its parts, if it surely takes more away
/// than any by itself that surely takes something; where none does, if it surely takes something.
bool put_together(const MeasureShare& measure, const Together& together,
                  std::vector<FoundCause>& found) {
  std::optional<FoundCause> all = together ? together() : std::nullopt;
  if (!all) return false;
  set_measured(measure(all->measured_ops()), *all);
  const bool none_alone = none_is_sure(found);
  const double enough = none_alone ? 0 : greatest_alone(found);
  if (!all->estimated || all->interval[0] <= enough) return false;
  all->cause.reasons.insert(
      all->cause.reasons.begin(),
      {.says = "made_together",
       .figures = {{"ops", figure::count(all->cause.ops.size())},
                   {"alone", figure::text(none_alone ? "nothing" : "little")}}});
  std::erase_if(found, [&](const FoundCause& one) {
    return one.rule == all->rule &&
           std::ranges::find(all->cause.ops, one.op) != all->cause.ops.end();
  });
  found.insert(found.begin(), *std::move(all));
  return true;
}

}  // namespace

Statement includes_op(const OpRef& op) {
  return {.says = "share_includes", .figures = {{"op", figure::op(op)}}};
}

bool are_measured_by_the_same(const FoundCause& a, const FoundCause& b) {
  return sorted(a.measured_ops()) == sorted(b.measured_ops());
}

void settle_shares(const MeasureShare& measure, double unknown, const Together& together,
                   std::vector<FoundCause>& found, const ExpectShares& expect) {
  for (FoundCause& one : found) {
    if (one.without.size() > 2) one.interval = jackknife_interval(one.share, one.without, {0, 1});
    one.interval[0] = std::max(0.0, one.interval[0] - unknown);
  }
  if (measure) {
    measure_first(measure, expect, found);
    widen_by_chance(found);
    widen(found);
  }
  put_in_order(found);
  const bool may_hide = any_is_measured(found) && !any_is_much(found);
  const bool is_together = may_hide && put_together(measure, together, found);
  const bool is_doubtful = !is_together && none_is_sure(found);
  for (std::size_t i = 1; i < found.size(); ++i) {
    found[i].tied_with_previous = is_tied(found[i - 1], found[i]);
  }
  if (is_doubtful) admit_doubt(found);
}

}  // namespace quantlens
