// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/profile.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// Of each finding; empty where it has none.
std::vector<std::string> remedies_of(const Diagnosis& diagnosis);
std::vector<std::string> remedies_of(const ProfileRecord& pair);

/// Writes what is not empty to remedy_1.json, remedy_2.json, ...: each has the number of its
/// finding, and is a document for `--recipe`.
void write_remedies(const std::vector<std::string>& remedies, WorkloadWriter& workload);

}  // namespace quantlens::flow
