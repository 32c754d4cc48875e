// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct JudgeOptions {
  std::string run;  ///< that diagnosed: its id, the beginning of it, "last", or its folder
};

/// What a diagnosis returns.
struct JudgeResult : RunRecords {
  fs::path folder;
};

/// Judges what an earlier run gathered by the rules of this quantlens: no model is run, no data are
/// read, both models' files are. The same version gives the same diagnosis, but for gains that
/// `--verify` measured. Pairs, and what the two files do otherwise, are those of the earlier run.
/// Throws Errc::not_found where there is no such run, or it gathered nothing; Errc::bad_input where
/// a model's file is not there any more or is another one.
JudgeResult judge(const JudgeOptions& options, const Session& session);

}  // namespace quantlens::flow
