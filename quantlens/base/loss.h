// How much of a figure may be lost, as `--max-loss` says it: a share of it or, with `absolute`, in
// its own unit. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace quantlens {

/// What `difference` (from `reference`) costs: below 0 it is a gain. As a share of a figure of 0,
/// any loss is infinite. NaN is an infinite loss.
double loss_of(double reference, double difference, bool higher_is_better, bool absolute);

/// What rounding adds to a loss of just that much is forgiven.
bool is_within_loss(double loss, double most);

/// Throws Errc::usage where a figure that higher is better of may be lost whole.
void check_allowed_loss(double most, bool higher_is_better, bool absolute);

}  // namespace quantlens
