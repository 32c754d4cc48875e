// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/recipe.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// The recipe that quantlens made the model with, over which a remedy is laid; nothing for models
/// of others. Throws Errc::bad_input where what stands there is none.
std::optional<Recipe> recipe_of(const Model& quantized);

/// Of each finding; empty where it has none.
std::vector<std::string> remedies_of(const Diagnosis& diagnosis);

/// Writes what is not empty to remedy_1.json, remedy_2.json, ...: each has the number of its
/// finding, and is a document for `--recipe`.
void write_remedies(const std::vector<std::string>& remedies, WorkloadWriter& workload);

}  // namespace quantlens::flow
