// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/error/output_gain.h"
#include "quantlens/diagnosis/error/output_shares.h"
#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// How much of the outputs' error is gone when these ops are computed in float inside the
/// quantized model, over some samples; nothing where that cannot be measured.
using MeasureShare = std::function<std::optional<Gain>(const std::vector<OpRef>& ops)>;

/// Told which ops MeasureShare will be asked for next, in this order, whatever it answers.
using ExpectShares = std::function<void(const std::vector<std::vector<OpRef>>& ops)>;

/// How much of the outputs' error begins where.
struct ShareSources {
  const SharesWithout& without;  ///< estimates, without each block of samples
  MeasureShare measure = {};     ///< may be empty; takes a run for each answer
  ExpectShares expect = {};      ///< may be empty
};

/// Sets `findings`, worst first, and `verdict`. Each value that begins much of the outputs' error
/// is asked for its cause; values with one cause in common make one finding. How grave it is
/// follows from how much of the outputs is lost: below 10 dB of SQNR `problem`, below 20 dB
/// `warning`, else `note`. Shares of the first findings are
/// measured, and so are those of the two ops with the greatest errors of their own, whatever the
/// estimate says of them; the findings then stand by what was measured. REQUIRES: local errors, or
/// there is little to find.
void add_findings(const PairedModels& models, const ShareSources& shares, Diagnosis& diagnosis);

}  // namespace quantlens
