// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

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

/// The parameters of a list in columns, out of which an empty list becomes; they would be most of
/// what json::decode looks at. Nothing for a list that is in no columns, as older records have
/// them: it stays. Throws Errc::bad_input with `where` for what `in_columns` cannot have made.
std::optional<std::vector<QParams>> take_columns(json::Value& list, std::string_view where);

/// The scales of parameters in columns, wherever they stand in a record.
void for_each_scales(json::Value& record, const std::function<void(json::Value& scales)>& visit);

}  // namespace quantlens
