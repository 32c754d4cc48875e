// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "quantlens/record/study.h"

namespace quantlens {

/// Throws Errc::usage where the goal allows a figure to be lost that higher is better of, whole.
void check_goal(const Goal& goal, bool higher_is_better);

/// Throws Errc::bad_input where the float model's figure is one that no loss can be told from: it
/// is no number, or 0 where higher is better, and the goal is a share of it or `from_zero`: the
/// metric counts from zero, so that 0 is what a model scores that knows nothing.
void check_baseline(const Goal& goal, const Accuracy& reference, bool from_zero);

/// A sentence where the goal is a rate above 1, which no model reaches; else empty.
std::string out_of_reach(const Goal& goal, const Accuracy& reference);

/// What `difference` (from `reference`) costs in the goal's unit: below 0 it is a gain. As a share
/// of a figure of 0, any loss is infinite. NaN is an infinite loss.
double loss_of(const Goal& goal, const Accuracy& reference, double difference);

/// Whether a loss is within the goal; what rounding adds to a loss of just that is forgiven.
bool is_within(const Goal& goal, double loss);

/// Judged::met or Judged::missed where a 95 % interval of the difference from `reference` lies on
/// one side of what the goal allows; else nothing.
std::optional<Judged> judged_early(const Goal& goal, const Accuracy& reference,
                                   const std::optional<std::array<double, 2>>& interval);

/// The end of an interval of differences that loses least; minus infinity where there is none.
double least_loss(const Goal& goal, const Accuracy& reference,
                  const std::optional<std::array<double, 2>>& interval);

/// Whether chance leaves it open that what was judged over all samples is within the goal: its
/// interval reaches there. False where it has none.
bool may_be_within(const Goal& goal, const Trial& trial);

/// Whether `trial` is what the goal's objective would rather have than `other`, both judged over
/// all samples: one within the goal rather than not; then speed: the one that is predicted to be
/// faster, where both are; else, and for int8: more multiplications in int8, then more ops that
/// compute, then more ops, then the better figure; size: the smaller file; accuracy: the better
/// figure. Neither within it: the smaller loss.
bool is_better(const Goal& goal, const Trial& trial, const Trial& other);

}  // namespace quantlens
