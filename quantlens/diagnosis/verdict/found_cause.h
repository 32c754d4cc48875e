// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/verdict/find.h"

namespace quantlens {

/// Of what is a mistake, and not the price of 8 bits: so much less is worth a finding, and so much
/// more counts each when findings are put in order.
inline constexpr double kMistake = 3;

/// A cause and the values at which it is at work.
struct FoundCause {
  std::string_view rule;
  OpRef op;           ///< the worst one
  std::string value;  ///< at which it is worst
  Cause cause;
  bool is_mistake = false;
  /// It is asked for its own error alone: its share was too small for a finding.
  bool is_loud = false;
  double share = 0;
  std::array<double, 2> interval{};
  /// What its op adds by itself, relative to the energy of its value: 0 where that is not known.
  double own_error = 0;
  std::vector<double> without = {};  ///< the share, without each block of samples
  std::optional<double> estimated;   ///< of a share that was measured
  std::uint64_t samples = 0;         ///< over which it was
  bool is_asked = false;             ///< it was tried to measure it
  bool tied_with_previous = false;
  /// How far the share may lie off in a file that is written anew: a standard deviation.
  double chance = 0;

  /// The ops that are computed in float to measure the share.
  const std::vector<OpRef>& measured_ops() const {
    return cause.measured.empty() ? cause.ops : cause.measured;
  }
  /// How much begins there at least: what one sample decides does not come first.
  double weight() const { return interval[0] * (is_mistake && interval[0] > 0 ? kMistake : 1); }
};

/// "share_includes": the share is also of what begins at another op.
Statement includes_op(const OpRef& op);

/// Whether one trial gives the shares of both.
bool are_measured_by_the_same(const FoundCause& a, const FoundCause& b);

/// One mistake at all values where it is at work; nothing where it is at fewer than two.
using Together = std::function<std::optional<FoundCause>()>;

/// Puts causes in order, those with the greatest weight first, and says which are tied. Where
/// shares were measured, those that are not surely above 0 follow, by the ops' own errors, mistakes
/// first, and then what surely takes nothing away. With `measure`, the shares of those that come
/// first are measured, until the first three are or four were tried, and further ones, eight at
/// most, where an estimate would stand first; and those of all loud ones, of which only those that
/// take something away stay. What the same ops measure is measured once, and says so. Those that
/// are no mistakes have wider intervals: by a tenth of the share, and by as much as the error grows
/// where another one is taken away; shares that are nearer to each other are tied. What is left of
/// estimates gets an interval as wide as the measured ones' lay from their estimates; from 0 on
/// where none could be measured.
/// Where some were measured and none at all is surely above 0 and may be half of the error, what is
/// to be tried `together` is measured as one: of ranges that clip one behind the other, none gives
/// much back alone. It stands first where it surely gives more. Where nothing at all is surely
/// above 0, the first becomes `unexplained`. `unknown`: share that passes
/// through values that were not compared.
void settle_shares(const MeasureShare& measure, double unknown, const Together& together,
                   std::vector<FoundCause>& found, const ExpectShares& expect = {});

}  // namespace quantlens
