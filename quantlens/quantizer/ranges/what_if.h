// What a stored diagnosis says of codes that its model does not have: no model is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/record/what_if.h"

namespace quantlens {

/// What is stored of one op and its activation; null: it is not.
struct StoredOp {
  const ActivationRow* row = nullptr;
  const ValuePair* pair = nullptr;
  const PairedStats* activation = nullptr;  ///< of the pair, or of the one whose elements it has
  const WeightRow* weight_row = nullptr;
  const WeightPair* weight_pair = nullptr;
  const PairedStats* weight = nullptr;  ///< float and dequantized, with the channels of its axis
  std::int64_t groups = 1;              ///< of a convolution
};

/// The op's local error with other codes, all else as it was. Rounding and clipping of the
/// activation are integrals over the histogram of what the reference computed; the weight's part
/// goes with the weight's own squared error, which its histogram tells for one scale a tensor and
/// extremes of channels for one scale a channel (step^2 / 12 of evenly spread elements, at most
/// what they hold beside their extreme, times what that estimate lacks of the present codes'
/// measured error). Another granularity is unknown where groups read inputs of their own, whose
/// sizes weigh the channels otherwise. Throws Errc::bad_input for a change that makes no sense
/// (nothing asked, a range without width or beside an algorithm, a percentile outside of 0..100,
/// formats of no such tensor). REQUIRES: `row`.
Expectation expect(const StoredOp& op, const WhatIf& change);

/// The recipe's fragment and the gain of changes whose expectations are these, one each.
Expectations sum_up(std::vector<Expectation> changes, const std::vector<WhatIf>& asked);

}  // namespace quantlens
