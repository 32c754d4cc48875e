// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/workload.h"

namespace quantlens::flow {

/// A run by its id, or by its folder in a workspace that need not be the session's.
struct StoredRun {
  Workload run;
  fs::path folder;
};

/// `text`: its id, the beginning of it, its name, "last", or its folder. Throws Errc::not_found
/// where there is none.
StoredRun find_run(const std::string& text, const Session& session);

/// The model as it was then. Throws Errc::not_found where the run had none (null), and
/// Errc::bad_input where the file is another one by now.
Model read_again(const ModelFile* file, const StoredRun& stored, const Session& session);

}  // namespace quantlens::flow
