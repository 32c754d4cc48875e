// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/output_shares.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Sets `findings`, worst first, and `verdict`. Each value that begins much of the outputs' error
/// is asked for its cause; values with one cause in common make one finding. How grave it is
/// follows from how much of the outputs is lost: below 10 dB of SQNR `problem`, below 20 dB
/// `warning`, else `note`. `shares` say which findings are tied. REQUIRES: local errors, or there
/// is little to find.
void add_findings(const Model& reference, const Model& quantized, const Pairing& pairing,
                  const SharesWithout& shares, Diagnosis& diagnosis);

}  // namespace quantlens
