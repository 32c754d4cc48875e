// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/json.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// A record in which each list of two or more QParams is written in columns:
/// {"scale": [0.5, 0.25], "zero_point": 0}, the zero point once where all have the same one. A
/// weight has as many as channels, and they would be most of the file.
json::Value in_columns(json::Value record);

/// A plan as plan.json has it: in columns, and without the parameters of biases that have one a
/// channel; each is the input's scale times the weight's, its zero point 0.
json::Value plan_record(const Plan& plan);

/// The reverse of `in_columns`: what json::decode takes. Lists that are not in columns, as older
/// records have them, stay. Throws Errc::bad_input with `where` for columns of unequal length.
json::Value from_columns(json::Value record, std::string_view where);

}  // namespace quantlens
