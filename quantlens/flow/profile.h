// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/profiling/profile.h"
#include "quantlens/record/profile.h"

namespace quantlens::flow {

struct ProfileVerbOptions {
  fs::path model;                 ///< or a profile that another tool wrote
  std::optional<fs::path> other;  ///< its quantized form
  DataChoice data;                ///< empty: random
  ProfileOptions profile;         ///< threads are the session's
};

struct ProfileResult {
  std::string workload;
  fs::path folder;
  Profile profile;                  ///< of `model`
  std::optional<ProfilePair> pair;  ///< with `other`
  std::string verdict;              ///< of the pair
};

/// Where the time of a model goes, or of two, joined op by op.
ProfileResult profile(const ProfileVerbOptions& options, const Session& session);

}  // namespace quantlens::flow
