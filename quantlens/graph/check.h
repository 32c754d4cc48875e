// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/model.h"

namespace quantlens {

/// Checks what every reader of a Graph relies on: nothing made twice, everything read is made
/// before, here or in a graph around it. The recursion is as deep as graphs are nested. Throws
/// Errc::bad_input with a sentence that lacks the path.
void check_names(const Graph& graph);

}  // namespace quantlens
