// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// Sets `op_ids` of findings, whose ops are named as people see them. A name that several ops have,
/// or that none of the outermost graph has, stands for no id.
void add_op_ids(const Graph& reference, std::vector<Finding>& findings);

}  // namespace quantlens
