// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/error/output_shares.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// What a Run gathers for local errors: sums of the pairs that have statistics of their own
/// and of their channels, without suspects.
TapSpec local_taps_for(const Pairing& pairing);

/// What the passes gathered.
struct GatheredErrors {
  const TapState& accumulated;
  const TapState& local;
  const TapState* rounded_weights = nullptr;  ///< of RoundedWeights::taps; null: was not run
  const TapState* rounded_inputs = nullptr;   ///< of rounded_input_taps; null: was not run
};

/// Sets `local_mse` and `local_sqnr_db`, with its interval, of the rows whose pairs the second pass
/// has gathered, their parts (add_local_parts) and shares (add_output_shares), and says of how many
/// samples. What is only moved has no error of its own: such rows stay without.
SharesWithout add_local_errors(const Graph& reference, const Pairing& pairing,
                               const GatheredErrors& gathered, Diagnosis& diagnosis);

}  // namespace quantlens
