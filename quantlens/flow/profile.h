// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/profiling/profile.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct ProfileVerbOptions {
  fs::path model;                 ///< or a profile that another tool wrote
  std::optional<fs::path> other;  ///< its quantized form
  DataChoice data;                ///< empty: random
  ProfileOptions profile;         ///< threads are the session's
  std::uint64_t verify = 5;       ///< findings whose remedies are timed, from the first
  fs::path trace;                 ///< where a Chrome trace is written as well; empty: nowhere
};

/// The records of the run: a profile of `model`, or of it and `other`.
struct ProfileResult : RunRecords {
  fs::path folder;       ///< the workload's
  bool is_ours = false;  ///< `other` has the recipe that quantlens made it with
};

/// Where the time of a model goes, or of two, joined op by op; or what a profile of another tool
/// says of it. What findings propose is timed in the quantized model (remedy_bench.h). Throws
/// Errc::usage where a profile is to be joined with something or run, where the two models are
/// swapped, or where the trace would be written over what is read.
ProfileResult profile(const ProfileVerbOptions& options, const Session& session);

}  // namespace quantlens::flow
