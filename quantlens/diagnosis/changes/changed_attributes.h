// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/model.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// What two nodes that are said to compute the same do otherwise, by their attributes with the
/// format's defaults: "pads is [0,0,2,2], not [1,1,1,1]". Only attributes that no tool changes
/// while it keeps the function: where one model spells a function in another way (another type of
/// node, padding by name or in an op before, channels last), they are not looked at. An axis
/// counted from the end may equal any that is not.
Statements changed_attributes(const Node& reference, const Node& quantized);

}  // namespace quantlens
