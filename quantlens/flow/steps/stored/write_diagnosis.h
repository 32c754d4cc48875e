// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/diagnosis.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// Writes diagnosis.json and its CSV tables.
void write_diagnosis(const Diagnosis& diagnosis, WorkloadWriter& workload);

}  // namespace quantlens::flow
