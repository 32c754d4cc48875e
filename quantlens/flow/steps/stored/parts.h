// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/flow/steps/stored/stored_run.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/record/histograms.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/passes.h"

namespace quantlens::flow {

/// What a diagnosis left.
struct Left {
  Pairing pairing;
  Histograms histograms;
  Passes passes;
};

/// What runs left that looked at parts of the samples, put together as if one had looked at all.
struct Parts {
  std::vector<StoredRun> runs;            ///< that with the first sample first
  std::optional<Left> left;               ///< of runs that compared two models value by value
  std::optional<AccuracyState> accuracy;  ///< of runs that scored samples
  std::vector<std::string> notes;         ///< what its reader should know of them
};

/// Reads what the runs left, in any order, and puts it together. What has accumulated, what local
/// passes gathered and what samples scored is merged; measured outputs stay apart, part by part;
/// pairs and how models were looked at are those of the run with the first sample; names of samples
/// and caveats are united. Throws as find_run does, Errc::not_found where a run left nothing to
/// judge, or compared models and was ended before it had paired them, and Errc::bad_input, naming
/// two runs, where they are no parts of one: of other verbs, models or metrics, over some of the
/// same samples, or with other values looked at. REQUIRES: there are runs.
Parts read_parts(const std::vector<std::string>& names, const Session& session);

}  // namespace quantlens::flow
