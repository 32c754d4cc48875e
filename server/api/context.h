// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/workspace/workspace.h"
#include "server/api/kept_indexes.h"
#include "server/api/labels.h"
#include "server/api/row_index.h"
#include "server/api/runs.h"
#include "server/api/sample_names.h"
#include "server/events.h"

namespace quantlens::server {

class Jobs;

/// What routes work on; all of it may be used by several threads at once.
struct Context {
  const Store& store;
  Workspace& workspace;
  Runs& runs;
  Labels& labels;
  RowIndexes& rows;
  KeptIndexes& indexes;
  SampleNames& samples;
  Events& events;
  Jobs* jobs = nullptr;  ///< null: none are run
};

}  // namespace quantlens::server
