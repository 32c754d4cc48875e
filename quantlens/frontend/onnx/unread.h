// What the forms of a plan share: each goes over the pairs that `plan_edit` makes, and puts other
// operators in their place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/onnx/names.h"
#include "quantlens/frontend/onnx/plan_edit.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {

/// All names of the edited graph, and none of these free.
FreeNames names_of(const Graph& graph, const PlanEdit& plan);

/// Leaves out a DequantizeLinear whose readers all read its codes now, constants that only removed
/// and rewired nodes have read, and entries for values that nobody makes any more.
void drop_unread(const GraphIndex& index, Edit& edit);

}  // namespace quantlens::onnx
