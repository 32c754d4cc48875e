// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/flow/session.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct JudgeOptions {
  /// That diagnosed or evaluated: its id, the beginning of it, its name, "last", or its folder.
  /// Several are parts of one: of the same verb, models and metric, over different samples. At
  /// least one.
  std::vector<std::string> runs;
  /// What the run is recorded as: `evaluate` where that had its parts scored by others.
  std::string verb = "judge";
};

/// What a diagnosis or an evaluation returns.
struct JudgeResult : RunRecords {
  fs::path folder;
};

/// Judges what earlier runs gathered by the rules of this quantlens: no model is run, no data are
/// read, the models' files are. The same version gives the same diagnosis and accuracy, but for
/// gains that `--verify` measured. Pairs, and what the two files do otherwise, are those of the run
/// with the first sample. Parts give what one run over all samples does of what accumulates, and
/// its accuracy; local errors and shares are over the first samples of each part. Throws
/// Errc::not_found where there is no such run, or it gathered nothing; Errc::bad_input where a
/// model's file is not there any more or is another one, and, naming two runs, where they are no
/// parts of one.
JudgeResult judge(const JudgeOptions& options, const Session& session);

}  // namespace quantlens::flow
